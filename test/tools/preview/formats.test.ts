/** `plan` and `preview` of jobs whose responses are CSV or XML: the same requests, and items like any others. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, inTemporary } from '../../blackbox/command.js';
import { makeZip } from '../../http/decoding/zip/make-zip.js';
import { type Reply, startApi } from '../../loopback/api.js';

const csv = 'id,payload\n007,"{""n"":1.50}"\n008,\n';
const cases: readonly (readonly [string, Reply, object])[] = [
  ['CSV', { body: csv }, { format: 'csv', parse: ['payload'] }],
  [
    'CSV in an archive',
    { body: makeZip([{ name: 'a.csv', data: csv }]) },
    { format: 'csv', decode: ['unzip'], parse: ['payload'] },
  ],
  [
    'XML',
    { body: '<r><i><id>007</id><payload><n>1.50</n></payload></i><i><id>008</id></i></r>' },
    { format: 'xml', element: 'r.i' },
  ],
];

for (const [what, reply, response] of cases) {
  test(`preview shows the items of ${what}, and plan its request`, () =>
    inTemporary(async (folder) => {
      const api = await startApi(() => reply);
      const path = join(folder, 'config.json');
      const jobs = [{ endpoint: 'export', dataType: 'rows', response }];
      await writeFile(path, JSON.stringify({ api: { baseUrl: `${api.origin}/` }, config: { jobs } }));
      const plan = await commandHere(['plan', path]);
      assert.is(api.requests.length, 0);
      const preview = await commandHere(['preview', path]);
      await api.close();
      assert.equal([plan.exit, preview.exit], [0, 0], `${plan.stderr}${preview.stderr}`);
      assert.match(plan.stdout, `${api.origin}/export`);
      for (const text of ['id', '007', 'payload', '1.50'])
        assert.ok(preview.stdout.includes(text), `${text}: ${preview.stdout}`);
      assert.is(api.requests.length, 1);
    }));
}

test.run();
