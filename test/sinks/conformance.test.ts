import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckOptions } from '../../sinks/conformance/bench.js';
import { cuttingRules } from '../../sinks/conformance/cutting.js';
import { filingRules } from '../../sinks/conformance/filing.js';
import { killingRules } from '../../sinks/conformance/killing.js';
import { leavingRules } from '../../sinks/conformance/leaving.js';
import { recognizingRules } from '../../sinks/conformance/recognizing.js';
import { refusingRules } from '../../sinks/conformance/refusing.js';
import { restartingRules } from '../../sinks/conformance/restarting.js';
import { recoveryRules, rules } from '../../sinks/conformance/rules.js';
import { transactingRules } from '../../sinks/conformance/transacting.js';
import { wakingRules } from '../../sinks/conformance/waking.js';
import { type ConformanceCheck, checkSink } from '../../sinks/conformance.js';
import type { Closing, Earlier, Opening, PageEnd, Sink } from '../../sinks/contract.js';
import { all } from '../../sinks/decorators/fan-out.js';
import { ndjson } from '../../sinks/files/ndjson.js';
import { fromFunction } from '../../sinks/from-function.js';
import { memory } from '../../sinks/memory.js';
import { stdout } from '../../sinks/stdout.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { ExactNumber } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';
import { systemError, withWrite } from './disk.js';
import { inFolder, turns } from './lib.js';

/** The texts of a destination, by data type. */
type Store = Map<string, string[]>;

const linesOf = ({ bytes }: Batch) => Buffer.from(bytes).toString().split('\n').slice(0, -1);
const linesIn = (store: Store, dataType: string) => {
  const lines = store.get(dataType) ?? [];
  store.set(dataType, lines);
  return lines;
};

/**
 * A sink that keeps every rule, over lists of texts. What an earlier one had written is set aside when its data type is
 * opened.
 */
function sound(store: Store) {
  const counts = new Map<string, { items: number; bytes: number }>();
  const earlier = new Map<string, string[]>();
  let ended = false;
  const committed = new Map<string, number>();
  let isResumed = false;
  return {
    open: (dataType: string, _job?: string, _opening?: Opening) => {
      if (earlier.has(dataType)) return;
      earlier.set(dataType, linesIn(store, dataType));
      store.set(dataType, isResumed ? linesIn(store, dataType).slice(0, committed.get(dataType) ?? 0) : []);
    },
    published: (dataType: string) => ((earlier.get(dataType) ?? []).length > 0 ? [`the lines of ${dataType}`] : []),
    write: async (batch: Batch, signal: AbortSignal, lines: readonly string[] = linesOf(batch)) => {
      if (ended) throw new Error('ended');
      signal.throwIfAborted();
      const { items, bytes } = counts.get(batch.dataType) ?? { items: 0, bytes: 0 };
      counts.set(batch.dataType, { items: items + batch.count, bytes: bytes + batch.bytes.length });
      linesIn(store, batch.dataType).push(...lines);
    },
    commit: ({ dataType }: PageEnd) => {
      committed.set(dataType, linesIn(store, dataType).length);
      return new ExactNumber(String(committed.get(dataType)));
    },
    rollback: (dataType: string) => void linesIn(store, dataType).splice(committed.get(dataType) ?? 0),
    durable: async () => {},
    recovery: 'cut' as const,
    resume: async ({ isStored, checkpoints }: Earlier) => {
      isResumed = isStored;
      for (const [dataType, length] of checkpoints) {
        if (linesIn(store, dataType).length < Number(String(length))) throw new ExtractError('ERR_RESUME', 'too short');
      }
      for (const [dataType, length] of checkpoints) committed.set(dataType, Number(String(length)));
    },
    close: async (closing?: Closing) => {
      ended = true;
      for (const dataType of closing?.keep ?? []) store.set(dataType, earlier.get(dataType) ?? []);
    },
    abort: async () => {
      ended = true;
    },
    summary: () => [...counts].map(([dataType, count]) => ({ dataType, name: dataType, ...count })),
  } satisfies Sink;
}

/** Rules on recovery have a test of their own, as a sink has one recovery; so have those of optional members. */
const onRecovery = new Set([...recoveryRules, ...refusingRules, ...filingRules].map(({ name }) => name));
const doesNotApply = ({ name, outcome }: ConformanceCheck) => outcome === 'skip' && onRecovery.has(name);

/** A sink whose destination takes nothing, sound in all else. */
const stuck = (): Sink => ({
  ...sound(new Map()),
  write: (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
});

/** A sink that takes every batch and fails to write it then. */
const failing = (): Sink => {
  const whole = sound(new Map());
  let report: Opening['onFailure'];
  let failure: Error | undefined;
  const refuse = async () => {
    if (failure !== undefined) throw failure;
  };
  return {
    ...whole,
    open: (_, __, opening) => {
      report = opening?.onFailure;
    },
    write: async () => {
      await refuse();
      failure = new Error('full');
      setImmediate(() => report?.(failure));
    },
    close: refuse,
  };
};

type Broken = (whole: ReturnType<typeof sound>, store: Store) => Partial<Sink>;

const rewrites =
  (change: (lines: readonly string[], batch: Batch) => readonly string[]): Broken =>
  (whole) => ({ write: (batch, signal) => whole.write(batch, signal, change(linesOf(batch), batch)) });

/** For each rule, by its name, a sink that breaks it. */
const broken: Readonly<Record<string, Broken>> = {
  'keeps the order of items': rewrites((lines) => lines.toReversed()),
  'loses nothing in many small batches': (whole) => {
    let n = 0;
    return { write: async (...args) => (++n === 300 ? undefined : whole.write(...args)) };
  },
  'loses nothing in large batches': rewrites((lines) => lines.map((line) => line.slice(0, 65_536))),
  'keeps every character of an item': rewrites((lines) => lines.map((line) => JSON.stringify(JSON.parse(line)))),
  'shows no items where none were written': (_, store) => ({
    open: (dataType) => void linesIn(store, dataType).push('[header]'),
  }),
  'keeps data types apart': (whole, store) => {
    const one: string[] = [];
    return {
      write: async (batch, signal) => {
        await whole.write(batch, signal);
        one.push(...linesOf(batch));
        store.set(batch.dataType, one);
      },
    };
  },
  'adds what a second job of a data type writes': (_, store) => ({
    open: (dataType) => void store.set(dataType, []),
  }),
  'leaves the bytes of a batch as they are': (whole) => ({
    write: async (batch, signal) => {
      await whole.write(batch, signal);
      batch.bytes.fill(32);
    },
  }),
  'takes back to the last commit, and nothing else': (_, store) => ({ rollback: () => store.clear() }),
  'takes back to before the first item, and again': (whole) => {
    let isCommitted = false;
    return {
      commit(page) {
        isCommitted = true;
        return whole.commit(page);
      },
      rollback: (dataType) => (isCommitted ? whole.rollback(dataType) : undefined),
    };
  },
  'goes on after durable': (whole) => ({ durable: () => whole.close() }),
  'has published all when close settles': (whole, store) => {
    const late: Batch[] = [];
    return {
      write: async (batch, signal) => {
        await whole.write(batch, signal, []);
        late.push(batch);
      },
      close: async () => {
        await whole.close();
        turns(5).then(() => late.map((batch) => linesIn(store, batch.dataType).push(...linesOf(batch))));
      },
    };
  },
  'counts items and bytes in its summary': (whole) => ({
    summary: () => whole.summary().map((output) => ({ ...output, bytes: output.bytes - 1 })),
  }),
  'leaves only whole items when it is aborted': (_, store) => ({
    abort: () => {
      for (const lines of store.values()) lines.push(lines.pop()?.slice(0, -1) ?? '');
    },
  }),
  'refuses a write after close': () => ({ close: () => {} }),
  'refuses a write after abort': () => ({ abort: () => {} }),
  'goes on where a checkpoint stood, and nothing comes twice': () => ({ resume: () => {} }),
  'keeps what an earlier run has published where that is asked for': (whole) => ({ close: () => whole.close() }),
  'replaces what an earlier run has published with nothing, and names nothing then': (_, store) => ({
    published: (dataType) => [dataType],
    open: (dataType) => void linesIn(store, dataType),
  }),
  'takes nothing once the signal has aborted': (whole) => ({
    write: (batch) => whole.write(batch, new AbortController().signal),
  }),
};

/** Options that break the rules on waiting: sinks that are not held back, or never let go. */
const brokenStuck: Readonly<Record<string, () => Sink>> = {
  'holds back while its destination takes nothing': () => ({ ...stuck(), write: () => {} }),
  'ends a stuck write when its signal aborts': () => ({ ...stuck(), write: () => new Promise(() => {}) }),
};

/** Options that break the rule on failed writes: sinks that say nothing of them, or publish all the same. */
const brokenFailing: Readonly<Record<string, () => Sink>> = {
  'that say nothing': () => ({ ...failing(), open: () => {} }),
  'that publish': () => ({ ...failing(), close: () => {} }),
};

const failedWrite = 'reports a failed write at once';

const tooLong = () => turns(50);
const outcomes = (checks: readonly ConformanceCheck[]) =>
  Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome]));

/** Runs the kit over the sound sink with some of it replaced. */
function check(
  replace: Broken = () => ({}),
  options: CheckOptions = { stuck, failing },
): Promise<readonly ConformanceCheck[]> {
  const store: Store = new Map();
  const make = (): Sink => {
    const whole = sound(store);
    return { ...whole, ...replace(whole, store) };
  };
  return checkSink(make, async (dataType) => [...(store.get(dataType) ?? [])], { tooLong, ...options });
}

test('passes a sink that keeps every rule', async () => {
  const checks = await check();
  assert.equal(
    checks.filter((each) => each.outcome !== 'pass' && !doesNotApply(each)),
    [],
  );
  assert.is(checks.length, rules.length);
});

test('each rule has a sink that breaks it', () => {
  assert.equal(
    rules
      .map(({ name }) => name)
      .filter((name) => !onRecovery.has(name) && !(name in broken) && !(name in brokenStuck) && name !== failedWrite),
    [],
  );
  assert.is(new Set(rules.map(({ name }) => name)).size, rules.length);
});

for (const [name, replace] of Object.entries(broken)) {
  test(`fails a sink that breaks: ${name}`, async () => {
    assert.is(outcomes(await check(replace))[name], 'fail');
  });
}

for (const [name, stuckSink] of Object.entries(brokenStuck)) {
  test(`fails a sink that breaks: ${name}`, async () => {
    const found = outcomes(await check(undefined, { stuck: stuckSink, failing }));
    assert.is(found[name], 'fail');
    assert.equal(
      Object.entries(found).filter(
        ([rule, outcome]) => outcome !== 'pass' && !(rule in brokenStuck) && !onRecovery.has(rule),
      ),
      [],
    );
  });
}

for (const [name, sink] of Object.entries(brokenFailing)) {
  test(`fails sinks with a destination that refuses: ${name}`, async () => {
    const found = await check(undefined, { stuck, failing: sink });
    assert.equal(
      found.filter((each) => each.outcome !== 'pass' && !doesNotApply(each)).map((each) => [each.name, each.outcome]),
      [[failedWrite, 'fail']],
    );
  });
}

test('passes a sink with a destination that refuses if its write rejects', async () => {
  const refusing = (): Sink => ({ ...sound(new Map()), write: () => Promise.reject(new Error('full')) });
  assert.is(outcomes(await check(undefined, { failing: refusing }))[failedWrite], 'pass');
});

test('names the option of a sink that does not begin', async () => {
  const refusing = (): Sink => ({ ...sound(new Map()), resume: () => Promise.reject(new Error('no such table')) });
  const found = await check(undefined, { stuck: refusing, failing: refusing });
  for (const [name, option] of [
    [failedWrite, 'failing'],
    ['ends a stuck write when its signal aborts', 'stuck'],
  ]) {
    assert.is(
      found.find((each) => each.name === name)?.reason,
      `the sink of the option "${option}" does not begin (no such table): only its writes may fail or wait, as with \`{ ...sink, write }\``,
    );
  }
});

test('fails a sink that reports a failure where nothing has failed', async () => {
  const checks = await check((whole) => ({
    open(dataType, job, opening) {
      whole.open(dataType, job);
      opening?.onFailure?.(new Error('full'));
    },
  }));
  const [first] = checks;
  assert.equal([first?.outcome, first?.reason], ['fail', 'it reported a failure: full']);
});

test('a fault fails its own rule alone, as rules do not depend on one another', async () => {
  const alone = ['takes nothing once the signal has aborted', 'counts items and bytes in its summary'];
  for (const name of alone) {
    const failed = (await check(broken[name])).filter(({ outcome }) => outcome === 'fail');
    assert.equal(
      failed.map((each) => each.name),
      [name],
    );
  }
});

test('says what was found instead', async () => {
  const reasonFor = async (name: string) => (await check(broken[name])).find((each) => each.name === name)?.reason;
  assert.is(await reasonFor('keeps the order of items'), 'item 1: expected {"n":0}, found {"n":19}');
  assert.is(await reasonFor('loses nothing in many small batches'), 'item 300: expected {"n":299}, found {"n":300}');
  assert.is(await reasonFor('has published all when close settles'), 'expected 3 items, found 0');
});

test('says which part of a batch was changed, what commit did not return, and what was thrown', async () => {
  const reasonFor = async (name: string, replace: Broken) =>
    (await check(replace)).find((each) => each.name === name)?.reason;
  const moves: Broken = (whole) => ({
    write: async (batch, signal) => {
      await whole.write(batch, signal);
      batch.offsets.fill(0);
    },
  });
  const bytes = 'leaves the bytes of a batch as they are';
  assert.is(await reasonFor(bytes, moves), 'the offsets were changed, which other sinks may share');
  assert.is(await reasonFor(bytes, broken[bytes] ?? moves), 'the bytes were changed, which other sinks may share');
  const silent: Broken = (whole) => ({ commit: (page) => void whole.commit(page) });
  assert.is(await reasonFor(resuming, silent), 'commit did not say where the output stands');
  const full: Broken = () => ({ write: () => Promise.reject('full') });
  assert.match((await reasonFor('keeps the order of items', full)) ?? '', /full/);
});

test('fails calls that never settle, each by its name', async () => {
  const never = () => new Promise<never>(() => {});
  for (const method of [
    'open',
    'resume',
    'write',
    'commit',
    'rollback',
    'durable',
    'published',
    'close',
    'abort',
  ] as const) {
    const checks = await check(() => ({ [method]: never }));
    const reasons = checks.flatMap(({ reason }) => reason ?? []);
    assert.ok(reasons.includes(`${method} did not settle`), `${method}: ${reasons}`);
  }
});

test('fails a sink that throws at once, and one that cannot be made', async () => {
  const fault = () => {
    throw new Error('no such queue');
  };
  const [first] = await check(() => ({ write: fault }));
  assert.equal([first?.outcome, first?.reason], ['fail', 'no such queue']);
  const checks = await checkSink(fault, async () => []);
  assert.equal([...new Set(checks.map(({ reason }) => reason))].slice(0, 1), ['no such queue']);
});

test('fails a rollback without a commit', async () => {
  const store: Store = new Map();
  const half = () => {
    const { commit: _, recovery: __, resume: ___, ...rest } = sound(store);
    return rest;
  };
  const checks = await checkSink(half, async (dataType) => store.get(dataType) ?? [], { tooLong });
  const names = checks
    .filter(({ reason }) => reason === 'the sink has rollback, which needs commit')
    .map(({ name }) => name);
  assert.equal(names, [...undoing, 'has what its recovery needs']);
});

test('skips what a sink does not have, and says so', async () => {
  const store: Store = new Map();
  const bare = () => {
    const { write, close, abort } = sound(store);
    return { write, close, abort };
  };
  const checks = await checkSink(bare, async (dataType) => store.get(dataType) ?? [], { tooLong });
  assert.equal([...new Set(checks.map(({ outcome }) => outcome))].sort(), ['pass', 'skip']);
  const skipped = checks.filter(({ outcome }) => outcome === 'skip');
  const onKinds = [restartingRules, cuttingRules, transactingRules, wakingRules, recognizingRules, leavingRules];
  const others = [...onKinds, refusingRules].flat();
  assert.is(skipped.length, 11 + others.length);
  assert.ok(skipped.every(({ reason }) => reason !== undefined));
});

/** All checks of a shipped sink pass; those in `skipped` do not apply. */
function mustPass(checks: readonly ConformanceCheck[], skipped: readonly string[] = []): void {
  const others = checks.filter((each) => each.outcome !== 'pass' && !doesNotApply(each));
  assert.equal(
    others.filter(({ outcome }) => outcome === 'fail'),
    [],
  );
  assert.equal(
    others.map(({ name }) => name),
    skipped,
  );
}

const waiting = ['holds back while its destination takes nothing', 'ends a stuck write when its signal aborts'];
const resuming = 'goes on where a checkpoint stood, and nothing comes twice';
const replacing = [
  'keeps what an earlier run has published where that is asked for',
  'replaces what an earlier run has published with nothing, and names nothing then',
];
const killings = killingRules.map(({ name }) => name);
const undoing = ['takes back to the last commit, and nothing else', 'takes back to before the first item, and again'];

test(
  'ndjson keeps every rule',
  inFolder(async (dir) => {
    const read = async (dataType: string) => {
      const path = [`${dataType}.ndjson`, `${dataType}.ndjson.partial`].map((name) => join(dir, name)).find(existsSync);
      return path === undefined ? [] : readFileSync(path, 'utf8').split('\n').slice(0, -1);
    };
    // Only a bound on a broken sink: a slow disk must not fail the rule.
    const tooLong = (signal: AbortSignal) => setTimeout(60_000, undefined, { signal });
    const openFile = withWrite(() => async () => {
      throw systemError('EIO', -5);
    });
    const failing = () => ndjson(join(dir, 'failing'), { openFile });
    mustPass(await checkSink(() => ndjson(dir), read, { tooLong, failing }), waiting);
  }),
);

test(
  'ndjson waits for a disk that takes nothing',
  inFolder(async (dir) => {
    const stuckDisk = async () => {
      const sink = ndjson(dir, {
        openFile: async (path, flags) => {
          const handle = await open(path, flags);
          handle.write = () => new Promise<never>(() => {});
          handles.push(handle);
          return handle;
        },
      });
      for (const index of rules.keys()) await sink.open?.(`check-${index + 1}`, 'job');
      return { ...sink, resume: () => {} }; // its files are open
    };
    const handles: { close(): Promise<void> }[] = [];
    const found = outcomes(await check(undefined, { stuck: stuckDisk }));
    assert.equal(
      waiting.map((name) => found[name]),
      ['pass', 'pass'],
    );
    await Promise.all(handles.map((handle) => handle.close()));
  }),
);

test('memory keeps every rule', async () => {
  const made: ReturnType<typeof memory>[] = [];
  const make = () => {
    const sink = memory();
    made.push(sink);
    return sink;
  };
  const read = async (dataType: string) =>
    made.flatMap(({ batches }) => batches.filter((batch) => batch.dataType === dataType).flatMap(linesOf));
  mustPass(await checkSink(make, read), ['goes on after durable', ...waiting, resuming, failedWrite, ...replacing]);
});

test('a function keeps every rule that applies to it', async () => {
  const store: Store = new Map();
  const make = () => fromFunction(async (batch) => void linesIn(store, batch.dataType).push(...linesOf(batch)));
  const never = () => fromFunction(() => new Promise(() => {}));
  const failing = () => fromFunction(() => Promise.reject(new Error('full')));
  const checks = await checkSink(make, async (dataType) => store.get(dataType) ?? [], {
    stuck: never,
    failing,
    tooLong,
  });
  mustPass(checks, [...undoing, 'goes on after durable', resuming, ...replacing]);
});

test('several sinks together keep every rule', async () => {
  const store: Store = new Map();
  const others: Store = new Map();
  const make = () => {
    const { summary: _, ...first } = sound(others);
    return all([first, sound(store)]);
  };
  const options = { stuck: () => all([stuck(), memory()]), failing: () => all([memory(), failing()]), tooLong };
  mustPass(await checkSink(make, async (dataType) => [...(store.get(dataType) ?? [])], options));
});

test('standard output keeps every rule that applies to one stream', async () => {
  const lines: string[] = [];
  const make = () => {
    lines.length = 0;
    const stream = new Writable({
      write(chunk: Buffer, _, next) {
        lines.push(...chunk.toString().split('\n').slice(0, -1));
        next();
      },
    });
    return stdout(stream);
  };
  const stuckReader = () => stdout(new Writable({ write() {} }));
  const gone = () =>
    stdout(
      new Writable({
        write(_, __, next) {
          next(new Error('gone'));
        },
      }),
    );
  const checks = await checkSink(make, async () => lines, { stuck: stuckReader, failing: gone, tooLong });
  assert.equal(
    checks.filter((each) => each.outcome !== 'pass' && !doesNotApply(each)).map(({ name }) => name),
    // A process that was killed leaves nothing here: another reads the stream of the next one.
    ['keeps data types apart', ...undoing, 'goes on after durable', resuming, ...replacing, ...killings],
  );
});

test.run();
