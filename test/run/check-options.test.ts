import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { all, type Sink } from '../../sinks/index.js';
import { ExtractError, extract, run } from '../../src/index.js';

const configuration = { api: { baseUrl: 'https://api.example/' }, config: { jobs: [{ endpoint: 'a' }] } };

/** As a program without types would call it. */
const calls: readonly (readonly [configuration: unknown, options: object, message: RegExp])[] = [
  [JSON.stringify(configuration), {}, /parseDocument\(text, name\)/],
  [Buffer.from('{}'), {}, /parseDocument/],
  [configuration, { concurency: 2 }, /^concurency: unknown; did you mean "concurrency"\?/],
  [configuration, { onItemError: { deadLetter: 5 } }, /^onItemError\.deadLetter: expected /],
  [configuration, { to: { write() {} } }, /^to: expected a sink/],
  [configuration, { to: null }, /^to: expected a sink/],
  [configuration, { onChangedPage: 'skip' }, /^onChangedPage: expected "fail" or "again"/],
];

for (const [given, options, message] of calls) {
  test(`extract rejects ${JSON.stringify(given).slice(0, 30)} with ${JSON.stringify(options)}`, () => {
    assert.throws(
      () => Reflect.apply(extract, undefined, [given, options]),
      (thrown: unknown) =>
        thrown instanceof ExtractError && thrown.code === 'ERR_USAGE' && message.test(thrown.message),
    );
  });
}

test('a sink that lacks a member which its recovery needs is rejected, alone and among others', () => {
  const plain: Sink = { write() {}, close() {}, abort() {} };
  const lacking: Sink = { ...plain, name: 'log:a', recovery: 'transaction', resume() {}, commit() {}, rollback() {} };
  for (const to of [lacking, all([plain, lacking])]) {
    assert.throws(
      () => extract(configuration, { to }),
      (thrown: unknown) =>
        thrown instanceof ExtractError &&
        thrown.code === 'ERR_USAGE' &&
        thrown.message === 'the sink "log:a" declares recovery "transaction", which needs positions',
    );
  }
});

test('a sink among others that lacks a member which every sink has is rejected', () => {
  const plain: Sink = { write() {}, close() {}, abort() {} };
  const { abort: _, ...lacking } = { ...plain, name: 'log:a' };
  assert.throws(
    () => Reflect.apply(extract, undefined, [configuration, { to: all([plain, lacking as Sink]) }]), // as without types
    (thrown: unknown) => thrown instanceof ExtractError && thrown.message === 'the sink "log:a" has no abort',
  );
  // A commit alone waits for the acknowledgement of a page.
  extract(configuration, { to: { ...plain, recovery: 'ids', commit() {} } });
});

test('an invalid store is rejected, and a path hints at stateFolder', async () => {
  for (const [store, message] of [
    ['st', 'stateFolder(path) makes one'],
    [{}, 'such as stateFolder("st")'],
  ] as const) {
    const thrown: unknown = await Reflect.apply(run, undefined, [configuration, { store }]).catch(
      (each: unknown) => each,
    );
    assert.ok(thrown instanceof ExtractError && thrown.code === 'ERR_USAGE');
    assert.match(thrown.message, message);
  }
});

test('run accepts its own options, and rejects others', async () => {
  const thrown: unknown = await Reflect.apply(run, undefined, [configuration, { onReciept() {} }]).catch(
    (each: unknown) => each,
  );
  assert.match(thrown instanceof Error ? thrown.message : '', 'did you mean "onReceipt"?');
});

test.run();
