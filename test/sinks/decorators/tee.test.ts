import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import type { Sink } from '../../../sinks/contract.js';
import { tee } from '../../../sinks/decorators/tee.js';
import { memory } from '../../../sinks/memory.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { calm, pageEnd, rejection } from '../lib.js';

const first = batchOf('users', [{ n: 1 }, { n: 2 }]);
const second = batchOf('users', [{ n: 3 }], { offset: 2 });
const fail = () => {
  throw new Error('the copy is full');
};

test('a copy gets every item, and the calls of the run', async () => {
  const calls: string[] = [];
  const note = (what: string) => () => void calls.push(what);
  const copy: Sink = {
    ...memory(),
    ...{ resume: note('resume'), open: note('open'), write: note('write'), commit: note('commit') },
    ...{ rollback: note('rollback'), close: note('close') },
  };
  const main = memory();
  const sink = tee(main, copy);
  await sink.resume?.({ run: 'r', epoch: 1, isStored: true, phase: 'writing', checkpoints: new Map() });
  await sink.open?.('users', 'users');
  await sink.write(first, calm);
  await sink.rollback?.('users');
  await sink.write(first, calm);
  await sink.commit?.(pageEnd('users'), calm);
  await sink.close();
  assert.equal(calls, ['resume', 'open', 'write', 'rollback', 'write', 'commit', 'close']);
  assert.equal(main.items(), [{ n: 1 }, { n: 2 }]);
});

test('a copy stores no position of the run', async () => {
  const keeps: unknown[] = [];
  const noting = (name: string): Sink => ({ ...memory(), commit: ({ keep }) => void keeps.push([name, keep]) });
  await tee(noting('sink'), noting('copy')).commit?.(pageEnd('users', { keep: 'k' }), calm);
  assert.equal(keeps, [
    ['copy', undefined],
    ['sink', 'k'],
  ]);
});

test('a copy that cannot roll back gets no item of a page twice', async () => {
  const seen: unknown[] = [];
  const sink = tee(memory(), (batch) => void seen.push(...batch.values()));
  await sink.write(first, calm);
  await sink.rollback?.('users');
  await sink.write(batchOf('users', [{ n: 1 }, { n: 2 }, { n: 3 }]), calm);
  await sink.commit?.(pageEnd('users'), calm);
  await sink.write(batchOf('users', [{ n: 4 }], { page: 1 }), calm);
  await sink.close();
  assert.equal(seen, [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
});

test('a copy that fails is named once, and the run continues without it', async () => {
  const notices: Notice[] = [];
  const aborted: unknown[] = [];
  const main = memory();
  const copy: Sink = { name: 'copy:', write: fail, close: fail, abort: (reason) => void aborted.push(String(reason)) };
  const sink = tee(main, copy, { notify: (notice) => notices.push(notice) });
  await sink.write(first, calm);
  await sink.write(second, calm);
  await sink.commit?.(pageEnd('users'), calm);
  await sink.close();
  assert.is(main.items().length, 3);
  assert.equal(
    notices.map(({ code, message }) => [code, message]),
    [['copy-failed', 'the copy to "copy:" has failed, and gets no more items: the copy is full']],
  );
  assert.equal(aborted, ['Error: the copy is full']);
});

test('with `fail` a copy that fails ends the run', async () => {
  const sink = tee(memory(), fail, { ifCopyFails: 'fail' });
  assert.match(String(await Promise.resolve(sink.write(first, calm)).catch(String)), /the copy is full/);
  const reports: unknown[] = [];
  let report: ((thrown: unknown) => void) | undefined;
  const late: Sink = {
    ...memory(),
    open: (_, __, opening) => {
      report = opening?.onFailure;
    },
  };
  const other = tee(memory(), late, { ifCopyFails: 'fail' });
  await other.open?.('users', 'users', { onFailure: (thrown) => void reports.push(String(thrown)) });
  report?.(new Error('late'));
  assert.equal(reports, ['Error: late']);
  assert.match(String(await Promise.resolve(other.write(first, calm)).catch(String)), /late/);
});

test('a failure of the sink is its own', async () => {
  const full: Sink = {
    ...memory(),
    write: () => {
      throw new Error('full');
    },
  };
  const copy = memory();
  const sink = tee(full, copy);
  assert.match(String(await Promise.resolve(sink.write(first, calm)).catch(String)), /Error: full/);
  await sink.abort('over');
  await rejection(Promise.resolve(copy.write(first, calm)), 'ERR_SINK');
});

test('an interrupted write ends no copy', async () => {
  const seen: unknown[] = [];
  const copy: Sink = {
    ...memory(),
    async write(batch, signal) {
      signal.throwIfAborted();
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      seen.push(...batch.values());
    },
  };
  const controller = new AbortController();
  const sink = tee(memory(), copy);
  const writing = sink.write(first, controller.signal);
  controller.abort();
  await writing;
  await sink.rollback?.('users');
  await sink.write(first, calm);
  assert.equal(seen, [{ n: 1 }, { n: 2 }]);
});

test('it refuses another rule', () =>
  rejection(() => tee(memory(), fail, { ifCopyFails: JSON.parse('"stop"') }), 'ERR_USAGE', /^tee: ifCopyFails/).then());

test('a copy without a name, which fails with no error, is named all the same', async () => {
  const notices: Notice[] = [];
  const { name: _, ...nameless } = memory();
  const copy: Sink = { ...nameless, write: () => Promise.reject('full') };
  const sink = tee(memory(), copy, { notify: (notice) => void notices.push(notice) });
  await sink.write(first, calm);
  await sink.close();
  assert.equal(
    notices.map(({ message }) => message),
    ['the copy to "a sink" has failed, and gets no more items: full'],
  );
});

test.run();
