/** `download` of a child job: what the reader makes of it. docs/14-any-response.md#files. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inspect, parseConfig } from '../../src/config/parse-config.js';
import { fromPlain } from '../../src/core/json/exact.js';
import { faultsBySchema } from './schema/judge.js';

const documentOf = (child: object) => ({
  api: { baseUrl: 'https://api.example/', pagination: { method: 'pagenum' } },
  config: {
    jobs: [
      {
        endpoint: 'users',
        children: [{ endpoint: 'users/{user}', placeholders: { user: 'id' }, children: [child] }],
      },
    ],
  },
});

function jobOf(child: object) {
  const document = fromPlain(documentOf(child));
  const { configs } = parseConfig(document);
  return configs[0]?.jobs[0]?.children[0]?.children[0];
}

test('its URL is the endpoint, and names in its texts are paths of the rows above unless they are placeholders', () => {
  const job = jobOf({
    download: { url: '{files.0.url}?for={user}', to: '{2:login}-{nr}.pdf' },
    placeholders: { nr: 'number' },
    dataType: 'files',
  });
  assert.is(job?.endpoint, '{files.0.url}?for={user}');
  assert.equal(job?.download, { to: '{2:login}-{nr}.pdf' });
  assert.is(job?.paginator?.single, true);
  assert.equal(job?.dataField, { kind: 'path', segments: [], text: '.' });
  assert.equal(
    job?.placeholders.map(({ name, level, path, isImplied = false }) => [name, level, path, isImplied]),
    [
      ['nr', 1, 'number', false],
      ['files.0.url', 1, 'files.0.url', true],
      ['2:login', 2, 'login', true],
    ],
  );
});

test('the formats and the pagination of the API do not apply to it', () => {
  const document = documentOf({ download: { url: '{url}' } });
  const api = { ...document.api, response: { format: 'csv' } };
  assert.equal(inspect(fromPlain({ ...document, api })).problems, []);
});

test('the schema accepts it, and refuses what the reader refuses', () => {
  const good = documentOf({ download: { url: '{url}', to: 'a' }, dataType: 'files' });
  assert.equal(faultsBySchema(fromPlain(good)), []);
  for (const more of [{ endpoint: 'a' }, { response: { format: 'csv' } }, { children: [{ endpoint: 'b' }] }]) {
    const bad = documentOf({ download: { url: '{url}' }, ...more });
    assert.ok(faultsBySchema(fromPlain(bad)).length > 0, JSON.stringify(more));
  }
});

test.run();
