/** Bodies that are files: archives with several files are one page; what begins as gzip or ZIP is decoded by itself. */
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import { run } from '../../src/run/extract.js';
import { type FileInZip, makeZip } from '../http/decoding/zip/make-zip.js';
import { type Reply, startApi } from '../loopback/api.js';
import { filesIn, inFolder, rejection } from '../sinks/lib.js';
import { configOf, listener } from '../support/mock-network.js';

interface Pulled {
  readonly items: readonly unknown[];
  readonly codes: readonly string[];
}

async function pull(replies: readonly Reply[], job: object): Promise<Pulled> {
  const server = await startApi((_, index) => replies[Math.min(index, replies.length - 1)] ?? {});
  try {
    const { codes, notify } = listener();
    const to = memory();
    await run(configOf([{ endpoint: 'export', ...job }], { baseUrl: `${server.origin}/` }), { to, notify });
    return { items: to.items(), codes: codes() };
  } finally {
    await server.close();
  }
}

const csvType = { 'content-type': 'text/csv' };
const table = 'id,name\n1,a\n';
const row = { id: '1', name: 'a' };
const unzip = { decode: ['unzip'], members: ['*'] };

test('the files of an archive are one page, each with its own header', async () => {
  const files: FileInZip[] = [
    { name: 'a.csv', data: table },
    { name: 'empty.csv', data: '' },
    { name: 'b.csv', data: 'name,id\nb,2\nc,3\n', descriptor: 'signed' },
  ];
  const { items, codes } = await pull([{ body: makeZip(files) }], { response: { format: 'csv', ...unzip } });
  assert.equal(items, [row, { name: 'b', id: '2' }, { name: 'c', id: '3' }]);
  assert.equal(codes, []);
});

test('documents and lines of JSON in an archive are read one after the other', async () => {
  const files = [
    { name: '1', data: '{"next":"x","items":[{"a":1}]}' },
    { name: '2', data: '{"items":[{"a":2},{"a":3}],"next":null}' },
  ];
  const job = { dataField: 'items', response: unzip };
  assert.equal((await pull([{ body: makeZip(files) }], job)).items, [{ a: 1 }, { a: 2 }, { a: 3 }]);
  const lines = [1, 2].map((at) => ({ name: `${at}.gz`, data: gzipSync(`{"a":${at}}\n{"a":0}`) }));
  const { items } = await pull([{ body: makeZip(lines) }], {
    response: { format: 'lines', decode: ['unzip', 'gunzip'], members: ['*'] },
  });
  assert.equal(items, [{ a: 1 }, { a: 0 }, { a: 2 }, { a: 0 }]);
});

test('a list that is there twice takes back the items of the first file only', async () => {
  const twice = '{"items":[{"a":1}],"items":[{"a":2}]}';
  const job = { dataField: 'items', response: unzip };
  const once = [{ name: '1', data: twice }];
  assert.equal((await pull([{ body: makeZip(once) }], job)).items, [{ a: 2 }]);
  const first = { name: '0', data: '{"items":[{"a":0}]}' };
  assert.equal((await pull([{ body: makeZip([first, ...once]) }], job)).items, [{ a: 0 }, { a: 2 }]);
  const long = Array.from({ length: 200_000 }, (_, at) => `{"a":${at}}`).join();
  const later = [first, { name: '1', data: `{"items":[${long}],"items":[]}` }];
  await rejection(pull([{ body: makeZip(later) }], job), 'ERR_JSON', /the list of its items twice, in the file "1"/);
});

test('pages of archives are compared with one another, as those of plain documents', async () => {
  const file = (id: number) => ({ name: String(id), data: `[{"id":${id}}]` });
  const archive = (id: number): Reply => ({ body: makeZip([file(id), file(id + 1)]) });
  const plain = (id: number): Reply => ({ body: `[{"id":${id}},{"id":${id + 1}}]` });
  const pullAll = async (page: (id: number) => Reply, response: object | undefined) => {
    const server = await startApi((_, index) => [page(1), page(3), page(3)][index] ?? { body: '[]' });
    try {
      const api = { baseUrl: `${server.origin}/`, pagination: { method: 'pagenum' } };
      const { codes, notify } = listener();
      const to = memory();
      const ended = await run(configOf([{ endpoint: 'export', ...(response && { response }) }], api), {
        to,
        notify,
      }).then(
        () => 'ended',
        (error: Error) => error.message.replace(/:\d+/, ''),
      );
      return { items: to.items(), codes: codes(), ended, requests: server.requests.length };
    } finally {
      await server.close();
    }
  };
  const expected = await pullAll(plain, undefined);
  assert.is(expected.requests, 3, 'a page that repeats the one before it is the end');
  assert.equal(await pullAll(archive, unzip), expected);
});

for (const [what, body] of [
  ['gzip file', gzipSync(table)],
  ['ZIP archive with one file', makeZip([{ name: 'a.csv', data: table, descriptor: 'signed' }])],
] as const) {
  test(`a ${what} is decoded without a word in the configuration`, async () => {
    assert.equal((await pull([{ body, headers: csvType }], {})).items, [row]);
    const json = what === 'gzip file' ? gzipSync('[{"a":1}]') : makeZip([{ name: 'a', data: '[{"a":1}]' }]);
    assert.equal((await pull([{ body: json }], {})).items, [{ a: 1 }]);
    const { items } = await pull([{ body }], { response: { format: 'binary' } });
    assert.equal(items, [{ base64: body.toString('base64') }]);
  });

  test(`a ${what} that is cut or has invalid content is an error`, async () => {
    await rejection(pull([{ body: body.subarray(0, -3), headers: csvType }], {}), 'ERR_DECODE');
    const invalid = Buffer.from('id\n1,2\n');
    const bad = what === 'gzip file' ? gzipSync(invalid) : makeZip([{ name: 'a.csv', data: invalid }]);
    await rejection(pull([{ body: bad, headers: csvType }], {}), 'ERR_CSV', /a row has more than 1 cells/);
  });
}

test('an archive with several files needs patterns', async () => {
  const body = makeZip([
    { name: 'a.csv', data: table },
    { name: 'b.csv', data: table },
  ]);
  await rejection(pull([{ body, headers: csvType }], {}), 'ERR_DECODE', /one of several, "a\.csv", "b\.csv": set/);
});

test(
  'what the directory says last decides: nothing of the archive is published before',
  inFolder(async (dir) => {
    const rows = `id\n${Array.from({ length: 400_000 }, (_, at) => `${at}\n`).join('')}`;
    const body = makeZip([{ name: 'a.csv', data: rows }], { files: 2 });
    const server = await startApi(() => ({ body }));
    try {
      const config = configOf(
        [{ endpoint: 'export', dataType: 'rows', response: { format: 'csv', decode: ['unzip'] } }],
        {
          baseUrl: `${server.origin}/`,
        },
      );
      await rejection(run(config, { to: `ndjson:${dir}` }), 'ERR_DECODE', /declares another number of files/);
      assert.equal(
        Object.keys(filesIn(dir)).filter((name) => name.endsWith('.ndjson')),
        [],
      );
    } finally {
      await server.close();
    }
  }),
);

test('JSON in cells becomes values', async () => {
  const body = 'id,payload\n1,"{""n"": 1.50, ""l"": [1, 2]}"\n2,\n';
  const { items } = await pull([{ body, headers: csvType }], { response: { parse: ['payload'] } });
  assert.equal(items, [
    { id: '1', payload: { n: 1.5, l: [1, 2] } },
    { id: '2', payload: null },
  ]);
  await rejection(
    pull([{ body: 'id,payload\n1,{}\n2,{', headers: csvType }], { response: { parse: ['payload'] } }),
    'ERR_JSON',
    /the text at "payload" is not JSON: .*, in item 1 of the page \(from 0\)/,
  );
});

test.run();
