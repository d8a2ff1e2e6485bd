/** Recordings of CSV, XML and texts: a replay gives the same items, and no secret remains. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { recordExchanges } from '../../src/recording/record.js';
import { replayExchanges } from '../../src/recording/replay.js';
import { run } from '../../src/run/extract.js';
import { inTemporary } from '../blackbox/command.js';
import { type Reply, startApi } from '../loopback/api.js';
import { unchecked } from '../unchecked.js';

const secret = 'a-long-token-0123456789';

interface Ran {
  readonly items: readonly unknown[];
  readonly failure: string | undefined;
}

/** The run that is recorded, its replay, and the text of the recording. */
async function recordAndReplay(reply: Reply, response: object | undefined) {
  const api = await startApi(() => reply);
  const document = unchecked({
    api: { baseUrl: `${api.origin}/`, http: { headers: { 'X-Key': { attr: '#key' } } } },
    config: { '#key': secret, jobs: [{ endpoint: 'export', dataType: 'rows', ...(response && { response }) }] },
  });
  const runWith = async (exchanges: Awaited<ReturnType<typeof recordExchanges>>): Promise<Ran> => {
    const to = memory();
    const failure = await run(document, { to, exchanges }).then(
      () => undefined,
      (error: unknown) => (error instanceof ExtractError ? error.code : String(error)),
    );
    await exchanges.close();
    return { items: to.items(), failure };
  };
  let result: { readonly first: Ran; readonly again: Ran; readonly text: string } | undefined;
  await inTemporary(async (folder) => {
    const path = join(folder, 'recording.jsonl');
    const first = await runWith(await recordExchanges(path));
    await api.close();
    const again = await runWith(await replayExchanges(path));
    result = { first, again, text: await readFile(path, 'utf8') };
  });
  if (result === undefined) throw new Error('no result');
  return result;
}

const long = Array.from({ length: 60_000 }, (_, at) => `${at},"row ${at}\nof a table"\r\n`).join('');
const csvType = { 'content-type': 'text/csv' };

const cases: readonly (readonly [string, Reply, object | undefined, number])[] = [
  ['CSV by its type', { headers: csvType, body: `id,note\r\n${long}` }, undefined, 60_000],
  ['CSV of a job', { body: '\ufeffid;note\n1;"a ""b"""\n' }, { format: 'csv', delimiter: ';' }, 1],
  ['CSV in another encoding', { body: Buffer.from('id,é\n1,ü\n', 'latin1') }, { format: 'csv', encoding: 'latin1' }, 1],
  ['XML', { body: '<r>\n<i a="1">x &amp; y</i>\n<i/></r>' }, { format: 'xml', element: 'r.i' }, 2],
  ['a text', { body: 'two\n\n lines\t' }, { format: 'text' }, 1],
  ['lines of JSON', { body: '{"a":1}\n{"a":2}\n' }, { format: 'lines' }, 2],
  ['base64 of CSV', { body: Buffer.from('id\n1\n').toString('base64') }, { format: 'csv', decode: ['base64'] }, 1],
];

for (const [what, reply, response, count] of cases) {
  test(`a replay gives the items of ${what}`, async () => {
    const { first, again } = await recordAndReplay(reply, response);
    assert.is(first.failure, undefined);
    assert.is(first.items.length, count);
    assert.equal(again, first);
  });
}

test('secrets in such bodies are masked, wherever they are', async () => {
  const csv = await recordAndReplay({ headers: csvType, body: `id,note\n${long}1,${secret}\n` }, undefined);
  assert.not.match(csv.text, secret);
  assert.equal(csv.again.items.at(-1), { id: '1', note: '***' });
  assert.equal(csv.again.items.slice(0, -1), csv.first.items.slice(0, -1));
  const xml = await recordAndReplay({ body: `<r><i k="${secret}"/></r>` }, { format: 'xml', element: 'r.i' });
  assert.not.match(xml.text, secret);
  assert.equal(xml.again.items, [{ '@k': '***' }]);
});

test('compressed files are not kept: a secret in them could not be masked', async () => {
  const body = gzipSync(`id,note\n1,${secret}\n`);
  const { first, again, text } = await recordAndReplay({ headers: csvType, body }, undefined);
  assert.equal(first.items, [{ id: '1', note: secret }]);
  assert.equal(again, { items: [], failure: 'ERR_RECORDING' });
  assert.not.match(text, body.toString('latin1').slice(20, 40));
});

test.run();
