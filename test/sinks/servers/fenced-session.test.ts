/** Exactly-once with a server that a test decides: its calls, what it stores, and which process it refuses. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAcknowledged } from '../../../sinks/servers/acknowledged.js';
import { fencedSession } from '../../../sinks/servers/fenced-session.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { calm, earlierOf, rejection } from '../lib.js';

/** What a server stores of one run. */
interface Stored {
  epoch?: number | undefined;
  ended?: number | undefined;
  readonly positions: Map<string, string>;
  readonly items: string[];
}

type Call = 'readEpoch' | 'writeEpoch' | 'clean' | 'readPositions' | 'storeOnce' | 'remove';

const emptyServer = (): Stored => ({ positions: new Map(), items: [] });
const broken = new Error('the connection broke');
const another = /^test: another process has resumed this run: only the last one may write$/;

/** A process at a server, which writes a line for each call. `then` decides what happens before and after it. */
function processOf(stored: Stored, then: (call: Call, isAfter: boolean) => boolean | undefined = () => true) {
  const calls: string[] = [];
  let connections = 0;
  const call = async <T>(name: Call, text: string, work: () => T): Promise<T | false> => {
    calls.push(text === '' ? name : `${name} ${text}`);
    if (then(name, false) === false) return false;
    const result = work();
    then(name, true);
    return result;
  };
  const epochs = () => ({ epoch: stored.epoch, ended: stored.ended });
  const session = fencedSession<{ isOpen: boolean }, readonly string[], Pick<Stored, 'epoch' | 'ended'>>({
    kind: {
      connect: async () => {
        connections += 1;
        calls.push(`connect ${connections}`);
        return { isOpen: true };
      },
      isOpen: ({ isOpen }) => isOpen,
      close: (connection) => Object.assign(connection, { isOpen: false }),
      isBroken: (thrown) => thrown === broken,
    },
    known: createAcknowledged('test', 'Keep it.'),
    lost: (run) => new ExtractError('ERR_SINK', `test: the run "${run}" is lost`),
    readEpoch: async () => (await call('readEpoch', '', epochs)) || {},
    writeEpoch: async (_, { epoch }) =>
      call('writeEpoch', String(epoch), () => {
        stored.epoch = epoch;
        return true;
      }),
    clean: async (_, { replaces = [] }) => void (await call('clean', replaces.join(), () => true)),
    readPositions: async () => {
      await call('readPositions', '', () => true);
      return { ...epochs(), positions: new Map(stored.positions) };
    },
    storeOnce: (_, { epoch }, { content, lane, position }) =>
      call('storeOnce', `${content} at ${lane} ${position}`, () => {
        if (stored.epoch !== epoch) return false;
        stored.items.push(...content);
        stored.positions.set(lane, position);
        return true;
      }),
    remove: (_, { epoch, isStored }) =>
      call('remove', '', () => {
        Object.assign(stored, { epoch: undefined, ended: isStored ? epoch : undefined });
        stored.positions.clear();
        return true;
      }),
  });
  return { session, calls };
}

/** Throws once, at the given moment of a call. */
function breakingOnce(name: Call, isAfter: boolean) {
  let isDone = false;
  return (call: Call, isNow: boolean) => {
    if (isDone || call !== name || isNow !== isAfter) return true;
    isDone = true;
    throw broken;
  };
}

test('a run takes over, compares once, stores its pages and removes its positions', async () => {
  const stored = emptyServer();
  const { session, calls } = processOf(stored);
  await session.forget();
  await session.begin(earlierOf({ replaces: ['old'] }));
  assert.equal(calls.splice(0), ['connect 1', 'readEpoch', 'writeEpoch 1', 'clean old']);
  await session.store(['a', 'b'], '0', 'k1', calm);
  await session.store(['c'], '1', 'k2', calm);
  assert.equal(calls.splice(0), ['readPositions', 'storeOnce a,b at 0 k1', 'storeOnce c at 1 k2']);
  assert.equal([...(await session.positions())], [...stored.positions]);
  await session.forget();
  assert.equal(calls, ['readPositions', 'readEpoch', 'remove']);
  assert.equal(stored, { epoch: undefined, ended: 1, positions: new Map(), items: ['a', 'b', 'c'] });
});

test('a page is stored once, whether its connection breaks before the server stores it or after', async () => {
  for (const isAfter of [false, true]) {
    const stored = emptyServer();
    const { session, calls } = processOf(stored, breakingOnce('storeOnce', isAfter));
    await session.begin(earlierOf());
    calls.length = 0;
    await session.store(['a'], '0', 'k1', calm);
    await session.store(['b'], '0', 'k2', calm);
    const again = isAfter ? [] : ['storeOnce a at 0 k1'];
    const attempt = ['readPositions', 'storeOnce a at 0 k1', 'connect 2', 'readPositions', ...again];
    assert.equal(calls, [...attempt, 'storeOnce b at 0 k2']);
    assert.equal(stored.items, ['a', 'b']);
  }
});

test('each call is repeated when its connection breaks', async () => {
  for (const name of ['readEpoch', 'writeEpoch', 'clean', 'readPositions', 'remove'] as const) {
    for (const isAfter of [false, true]) {
      const stored = emptyServer();
      const { session } = processOf(stored, breakingOnce(name, isAfter));
      await session.begin(earlierOf());
      await session.store(['a'], '0', 'k', calm);
      await session.forget();
      assert.equal([stored.items, stored.ended, stored.positions.size], [['a'], 1, 0], name);
    }
  }
});

test('a process with a lower epoch neither begins, nor stores, nor ends the run', async () => {
  const stored = emptyServer();
  const older = processOf(stored).session;
  await older.begin(earlierOf({ epoch: 1 }));
  await older.store(['a'], '0', 'k1', calm);
  const newer = processOf(stored).session;
  await newer.begin(earlierOf({ epoch: 2 }));
  await rejection(older.store(['b'], '0', 'k2', calm), 'ERR_RESUME', another);
  await rejection(older.positions(), 'ERR_RESUME', another);
  await rejection(older.forget(), 'ERR_RESUME', another);
  await rejection(processOf(stored).session.begin(earlierOf({ epoch: 1 })), 'ERR_RESUME', another);
  assert.equal([...(await newer.positions())], [['0', 'k1']]);
  await newer.store(['b'], '0', 'k2', calm);
  assert.equal(stored.items, ['a', 'b']);
});

test('a process that was refused once compares before it stores again', async () => {
  for (const refused of ['positions', 'forget'] as const) {
    const stored = emptyServer();
    const { session, calls } = processOf(stored);
    await session.begin(earlierOf());
    await session.store(['a'], '0', 'k1', calm);
    stored.epoch = 2;
    await rejection(session[refused](), 'ERR_RESUME', another);
    calls.length = 0;
    await rejection(session.store(['b'], '0', 'k2', calm), 'ERR_RESUME', another);
    assert.equal(calls, ['readPositions']);
  }
});

test('a run that has ended is not begun again, but its last work may be repeated', async () => {
  const stored = { ...emptyServer(), ended: 2 };
  const begin = (part: object) => processOf(stored).session.begin(earlierOf(part));
  await rejection(begin({ epoch: 1 }), 'ERR_RESUME', another);
  await rejection(begin({ epoch: 3, run: 'r' }), 'ERR_RESUME', /^test: the run "r" has ended: all its items/);
  await begin({ epoch: 3, phase: 'publishing' });
  assert.is(stored.epoch, 3);
});

test('a process that its run ended without stores nothing, and may end it again', async () => {
  const stored = emptyServer();
  const { session } = processOf(stored);
  await session.begin(earlierOf());
  await session.forget();
  await rejection(session.store(['a'], '0', 'k', calm), 'ERR_RESUME', another);
  await session.forget();
  assert.equal([stored.ended, stored.items], [1, []]);
});

test('a run that another one replaced is refused whatever its epoch', async () => {
  const stored = { ...emptyServer(), ended: Number.POSITIVE_INFINITY };
  const { session, calls } = processOf(stored);
  await rejection(session.begin(earlierOf({ epoch: 1000 })), 'ERR_RESUME', another);
  await rejection(session.forget(), 'ERR_RESUME', another);
  assert.equal(calls, ['connect 1', 'readEpoch', 'readEpoch']);
});

test('an epoch that is written at the same time is read again', async () => {
  const stored = emptyServer();
  const { session, calls } = processOf(stored, (call) => {
    if (call !== 'writeEpoch' || stored.epoch !== undefined) return true;
    stored.epoch = 2;
    return false;
  });
  await rejection(session.begin(earlierOf({ epoch: 1 })), 'ERR_RESUME', another);
  await session.begin(earlierOf({ epoch: 3 }));
  const refused = ['readEpoch', 'writeEpoch 1', 'readEpoch'];
  assert.equal(calls, ['connect 1', ...refused, 'readEpoch', 'writeEpoch 3', 'clean']);
});

test('a run that changes while a page is stored is compared again, three times at the most', async () => {
  for (const changes of [2, 3]) {
    let left = changes;
    const stored = emptyServer();
    const { session, calls } = processOf(stored, (call) => call !== 'storeOnce' || left-- <= 0);
    await session.begin(earlierOf());
    calls.length = 0;
    const storing = session.store(['a'], '0', 'k', calm);
    if (changes === 2) await storing;
    else await rejection(storing, 'ERR_RESUME', another);
    const attempt = ['readPositions', 'storeOnce a at 0 k'];
    assert.equal(calls, [...attempt, ...attempt, ...attempt]);
    assert.equal(stored.items, changes === 2 ? ['a'] : []);
  }
});

test('a server without an acknowledged page is an error, and nothing is stored after it', async () => {
  const stored = emptyServer();
  const { session, calls } = processOf(stored);
  await session.begin(earlierOf());
  await session.store(['a'], '0', 'k1', calm);
  stored.positions.delete('0');
  const { where } = await rejection(session.positions(), 'ERR_SINK', /^test: the server has lost pages/);
  assert.is(where.remedy, 'Keep it.');
  calls.length = 0;
  await rejection(session.store(['b'], '1', 'k2', calm), 'ERR_SINK', /lost pages/);
  await rejection(async () => session.positions(), 'ERR_SINK', /lost pages/);
  assert.equal(calls, []);
});

test('a server that has nothing of the run is an error with its name', async () => {
  const stored = emptyServer();
  const { session } = processOf(stored);
  await session.begin(earlierOf({ run: 'r' }));
  stored.epoch = undefined;
  await rejection(session.store(['a'], '0', 'k', calm), 'ERR_SINK', /^test: the run "r" is lost$/);
  await rejection(session.store(['a'], '0', 'k', calm), 'ERR_SINK', /^test: the run "r" is lost$/);
});

test('a run ends on another connection than its own', async () => {
  const stored = emptyServer();
  const { session, calls } = processOf(stored);
  await session.begin(earlierOf({ isStored: false }));
  session.end();
  calls.length = 0;
  await session.forget((work) => work({ isOpen: true }));
  assert.equal(calls, ['readEpoch', 'remove']);
  assert.equal([stored.epoch, stored.ended], [undefined, undefined]);
});

test.run();
