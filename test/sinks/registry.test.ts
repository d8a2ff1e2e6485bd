import { Writable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { sinkFromUri, sinks } from '../../sinks/registry.js';
import { calm, filesIn, inFolder, rejection } from './lib.js';

const faults: readonly [uri: string, message: RegExp][] = [
  [
    'ndjosn:out',
    /^unknown sink "ndjosn:out": expected ndjson:DIR, stdout:, null:(?:, .*)? or \w+:; did you mean "ndjson"\?$/,
  ],
  ['rabbitmq://h/q', /did you mean "amqp:"\?$/],
  ['pg://h/db', /did you mean "postgres:"\?$/],
  ['gs:bucket', /^unknown sink "gs:bucket": expected ndjson:DIR, stdout:, null:(?:, .*)? or \w+:$/],
  ['', /^unknown sink "": expected ndjson:DIR, stdout:, null:(?:, .*)? or \w+:$/],
  ['-', /^unknown sink "-": .*; did you mean "stdout:"\?$/],
  ['toString:', /unknown sink/],
  ['redsi://joe:p/w@h/0', /^unknown sink "redsi:\/\/\*\*\*@h\/0": /],
  ['out', /did you mean "ndjson:out"\?$/],
  ['C:\\out', /did you mean "ndjson:C:\\out"\?$/],
  ['ndjson', /^"ndjson" is not a sink address: expected ndjson:DIR, with its colon$/],
  ['ndjson:', /^ndjson: needs a directory, as in ndjson:out$/],
  ['stdout', /expected stdout:, with its colon$/],
  ['stdout:file', /^unexpected "file" after stdout:$/],
  ['null:x', /^unexpected "x" after null:$/],
  [
    'ndjson:out?compres=gzip',
    /^ndjson: unknown option "compres": expected mode, compress, rotate; did you mean "compress"\?; a "\?" of the folder's name is written %3F$/,
  ],
  ['stdout:?x=1', /^stdout: unknown option "x"/],
  ['ndjson:?x=1', /^ndjson: unknown option "x"/],
];

for (const [uri, message] of faults) {
  test(`explains what is wrong with "${uri}"`, () => rejection(() => sinkFromUri(uri), 'ERR_USAGE', message).then());
}

test('says where the options of an address are described', async () => {
  for (const [uri, remedy] of [
    ['gs:bucket', '`rxtract sinks` lists them, with their options.'],
    ['https://h/#formt=json', '`rxtract help http` describes this address and its options.'],
    ['postgresql://h', '`rxtract help postgres` describes this address and its options.'],
  ] as const) {
    const error = await rejection(() => sinkFromUri(uri), 'ERR_USAGE', /./);
    assert.is(error.where.remedy, remedy);
  }
});

test(
  'writes to the directory behind the first colon, whatever it is called',
  inFolder(async (dir) => {
    const sink = sinkFromUri(`ndjson:${dir}/a:b c`);
    await sink.write(batchOf('users', [1]), calm);
    await sink.close();
    assert.equal(filesIn(`${dir}/a:b c`), { 'users.ndjson': '1\n' });
  }),
);

test(
  'reads %3F and %25 in the name of a directory, and nothing else',
  inFolder(async (dir) => {
    const sink = sinkFromUri(`ndjson:${dir}/50% %3f%253F%20`);
    await sink.write(batchOf('users', [1]), calm);
    await sink.close();
    assert.equal(filesIn(`${dir}/50% ?%3F%20`), { 'users.ndjson': '1\n' });
  }),
);

test('takes a Windows path as the target', () => {
  const sink = sinkFromUri('ndjson:C:\\out');
  assert.type(sink.rollback, 'function');
});

test('hands over standard output', async () => {
  const seen: string[] = [];
  const stream = new Writable({ write: (chunk: Buffer, _, next) => next(void seen.push(chunk.toString())) });
  await sinkFromUri('stdout:', { stdout: stream }).write(batchOf('users', [1]), calm);
  await sinkFromUri('ndjson:-', { stdout: stream }).write(batchOf('users', [2]), calm);
  assert.equal(seen, ['1\n', '2\n']);
});

test('receives file names through the context', async () => {
  await inFolder(async (dir) => {
    const codes: string[] = [];
    const sink = sinkFromUri(`ndjson:${dir}`, { notify: ({ code }) => codes.push(code) });
    await sink.open?.('nul', 'job');
    await sink.abort(undefined);
    assert.equal(codes, ['file-name']);
  })();
});

test('gives an example for each sink that works', () => {
  for (const { example, address } of Object.values(sinks)) {
    assert.type(sinkFromUri(example).write, 'function');
    assert.ok(address.form.includes(':'));
  }
});

test.run();
