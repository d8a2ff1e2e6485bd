/**
 * The rules of the conformance kit on recovery: a sink of each kind keeps them, and for each rule there is a sink that
 * breaks it.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckOptions } from '../../sinks/conformance/bench.js';
import { declaringRules } from '../../sinks/conformance/declaring.js';
import { restartingRules } from '../../sinks/conformance/restarting.js';
import { recoveryRules } from '../../sinks/conformance/rules.js';
import { type ConformanceCheck, checkRules, checkSink } from '../../sinks/conformance.js';
import type { Sink } from '../../sinks/contract.js';
import { messageIds, pageKey } from '../../sinks/messages/message-id.js';
import type { Exact } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';
import {
  cutSink,
  idsSink,
  linesIn,
  linesOf,
  newStore,
  numberOf,
  partsSink,
  plainSink,
  type Store,
  transactionSink,
  unansweredSink,
} from './kinds.js';
import { turns } from './lib.js';

const tooLong = () => turns(50);
const reader = (store: Store) => async (dataType: string) => [...(store.lines.get(dataType) ?? [])];

/** Runs the rules on recovery over sinks that share a store. */
function check(
  make: (store: Store) => Sink,
  unanswered: (store: Store) => Sink = unansweredSink,
): Promise<readonly ConformanceCheck[]> {
  const store = newStore();
  const restart = async () => {
    store.restarts += 1;
  };
  return checkRules(recoveryRules, () => make(store), reader(store), {
    tooLong,
    unanswered: () => unanswered(store),
    restart,
  });
}

const kinds = { plain: plainSink, ids: idsSink, cut: cutSink, transaction: transactionSink, parts: partsSink };

for (const [name, make] of Object.entries(kinds)) {
  test(`the ${name} sink in memory keeps every rule`, async () => {
    const store = newStore();
    const checks = await checkSink(() => make(store), reader(store), { tooLong });
    assert.equal(
      checks.filter(({ outcome }) => outcome === 'fail'),
      [],
    );
  });
}

test('each rule on recovery applies to a kind', async () => {
  const passed = new Set<string>();
  for (const make of Object.values(kinds)) {
    for (const { name, outcome } of await check(make)) if (outcome === 'pass') passed.add(name);
  }
  assert.equal(
    recoveryRules.map(({ name }) => name).filter((name) => !passed.has(name)),
    [],
  );
});

/** A checkpoint that TypeScript would reject: sinks in JavaScript return such values. */
const plain = (value: unknown): Exact => value as Exact;

/** A sink of a kind with some of it replaced. */
function mutant<S extends Sink>(make: (store: Store) => S, change: (whole: S, store: Store) => Partial<Sink>) {
  return (store: Store): Sink => {
    const whole = make(store);
    return { ...whole, ...change(whole, store) };
  };
}

const afterKill = 'is complete after a kill between any two calls';
const afterKills = 'is complete after two kills';
const publishing = 'can publish again in another process';

type Mutant = readonly [what: string, make: (store: Store) => Sink, ...broken: readonly string[]];

/** Ids without one of their parts, and other mistakes with ids. */
const wrongIds = (idOf: (batch: Batch, index: number, line: string) => string) =>
  mutant(idsSink, (whole) => ({
    write: (batch, signal) =>
      whole.write(
        batch,
        signal,
        linesOf(batch).map((line, index) => idOf(batch, index, line)),
      ),
  }));

const mutants: readonly Mutant[] = [
  [
    'does not connect again',
    mutant(plainSink, (whole, store) => {
      const { restarts } = store;
      return {
        async write(batch, signal) {
          if (store.restarts !== restarts) throw new Error('the connection is closed');
          return whole.write(batch, signal);
        },
      };
    }),
    'is complete after its destination ends between any two calls',
  ],
  [
    'declares a recovery that there is not',
    mutant(plainSink, () => ({ recovery: JSON.parse('"undo"') })),
    'has what its recovery needs',
  ],
  [
    'keeps what it has in memory until it closes',
    mutant(plainSink, (_, store) => {
      const held: Batch[] = [];
      return {
        write: async (batch) => void held.push(batch),
        close: async () => {
          for (const batch of held) linesIn(store, batch.dataType).push(...linesOf(batch));
        },
      };
    }),
    afterKill,
    afterKills,
  ],
  [
    'empties its output when it is opened',
    mutant(plainSink, (_, store) => ({ open: async (dataType) => void linesIn(store, dataType).splice(0) })),
    afterKill,
    publishing,
  ],
  [
    'empties its output when it publishes again',
    mutant(plainSink, (whole, store) => ({
      resume: async ({ phase }) => {
        if (phase === 'publishing') for (const lines of store.lines.values()) lines.splice(0);
      },
      close: whole.close,
    })),
    publishing,
  ],
  [
    'cuts nothing when it resumes',
    mutant(cutSink, () => ({ open: async () => {} })),
    afterKill,
    'goes back to the older of two checkpoints',
  ],
  [
    'cuts to where it was, whatever the checkpoint',
    mutant(cutSink, (whole, store) => ({
      open: async (dataType) => {
        const lines = linesIn(store, dataType).slice();
        await whole.open(dataType);
        if (lines.length > 3) linesIn(store, dataType).splice(0, lines.length, ...lines);
      },
    })),
    'goes back to the older of two checkpoints',
  ],
  [
    'accepts a checkpoint beyond its end',
    mutant(cutSink, (whole) => ({
      resume: async (earlier) => whole.resume(earlier).catch(() => {}),
    })),
    'refuses a checkpoint that its output does not reach, and changes nothing',
  ],
  [
    'refuses a checkpoint in words of its own',
    mutant(cutSink, (whole) => ({
      resume: (earlier) => whole.resume(earlier).catch((error: Error) => Promise.reject(new Error(error.message))),
    })),
    'refuses a checkpoint that its output does not reach, and changes nothing',
  ],
  [
    'changes its output before it refuses',
    mutant(cutSink, (whole, store) => ({
      resume: (earlier) =>
        whole.resume(earlier).catch((error: Error) => {
          for (const dataType of earlier.checkpoints.keys()) linesIn(store, dataType).splice(0);
          throw error;
        }),
    })),
    'refuses a checkpoint that its output does not reach, and changes nothing',
  ],
  [
    'returns no checkpoint',
    mutant(cutSink, (whole) => ({
      commit: async (page) => void (await whole.commit(page)),
    })),
    afterKill,
    'goes back to the older of two checkpoints',
  ],
  [
    'returns a plain number as its checkpoint',
    mutant(cutSink, (whole) => ({
      commit: async (page) => plain(numberOf(await whole.commit(page))),
    })),
    afterKill,
    'goes back to the older of two checkpoints',
  ],
  [
    'returns the checkpoint of the page before',
    mutant(cutSink, (whole) => {
      let last: Awaited<ReturnType<typeof whole.commit>> | undefined;
      return {
        commit: async (page) => {
          const before = last;
          last = await whole.commit(page);
          return before ?? last;
        },
      };
    }),
    afterKill,
  ],
  [
    'writes a page before its commit',
    mutant(transactionSink, (whole, store) => ({
      write: async (batch) => void linesIn(store, batch.dataType).push(...linesOf(batch)),
      commit: whole.commit,
    })),
    'shows a page once it is committed, not before',
    afterKill,
  ],
  [
    'commits all pages that are open',
    mutant(transactionSink, (whole, store) => {
      const open: Batch[] = [];
      return {
        write: async (batch) => void open.push(batch),
        commit: async (page) => {
          await whole.commit(page);
          for (const batch of open.splice(0)) linesIn(store, batch.dataType).push(...linesOf(batch));
        },
      };
    }),
    'commits each page alone',
    afterKill,
  ],
  [
    'loses its keeps with the process',
    mutant(transactionSink, () => ({ positions: async () => new Map() })),
    'remembers the last keep of each lane, of its own run',
    afterKill,
  ],
  [
    'commits the items of a page after its keep',
    mutant(transactionSink, (whole, store) => {
      const open: Batch[] = [];
      const late: Batch[] = [];
      const append = () => {
        for (const batch of late.splice(0)) linesIn(store, batch.dataType).push(...linesOf(batch));
      };
      return {
        write: async (batch) => {
          append();
          open.push(batch);
        },
        commit: async (page) => {
          append();
          await whole.commit(page);
          late.push(...open.filter(({ dataType }) => dataType === page.dataType));
        },
        close: async () => append(),
      };
    }),
    afterKill,
  ],
  [
    'keeps one keep for all lanes',
    mutant(transactionSink, (whole) => ({
      commit: (page) => whole.commit({ ...page, lane: '0' }),
    })),
    'remembers the last keep of each lane, of its own run',
    afterKill,
  ],
  [
    'keeps one keep for all runs',
    mutant(transactionSink, (whole) => ({
      resume: (earlier) => whole.resume({ ...earlier, run: 'one' }),
    })),
    'remembers the last keep of each lane, of its own run',
  ],
  [
    'cuts a long keep',
    mutant(transactionSink, (whole) => ({
      commit: (page) =>
        whole.commit({ ...page, ...(page.keep === undefined ? {} : { keep: page.keep.slice(0, 300) }) }),
    })),
    'stores a keep of any length that it allows',
  ],
  [
    'does not fence',
    mutant(transactionSink, (whole) => ({
      resume: (earlier) => whole.resume({ ...earlier, epoch: 1 }),
    })),
    'refuses a commit of an older epoch',
    'refuses to resume an older epoch',
    'stores nothing of a process that wakes up before its first write',
  ],
  [
    'fences nothing that resumes',
    mutant(transactionSink, (whole, store) => ({
      resume: async (earlier) => {
        store.runs.delete(earlier.run);
        await whole.resume(earlier);
      },
    })),
    'refuses to resume an older epoch',
    afterKill,
  ],
  [
    'forgets its epoch at the end of the run',
    mutant(transactionSink, (whole, store) => {
      let own = '';
      return {
        resume: async (earlier) => {
          own = earlier.run;
          await whole.resume(earlier);
        },
        close: async () => {
          await whole.close();
          store.runs.delete(own);
        },
      };
    }),
    'refuses older epochs also after the end of the run',
  ],
  [
    'fences no run that it replaces',
    mutant(transactionSink, (whole) => ({
      resume: (earlier) => whole.resume({ ...earlier, replaces: [] }),
    })),
    'refuses a process whose run was replaced before it began',
  ],
  [
    'shares the items of open pages between processes',
    mutant(transactionSink, (whole, store) => ({
      write: async (batch) => void linesIn(store, `open ${batch.dataType}`).push(...linesOf(batch)),
      commit: async (page) => {
        await whole.commit(page);
        linesIn(store, page.dataType).push(...linesIn(store, `open ${page.dataType}`).splice(0));
      },
      rollback: async (dataType) => void linesIn(store, `open ${dataType}`).splice(0),
      resume: async (earlier) => {
        await whole.resume(earlier);
        for (const [name, lines] of store.lines) if (name.startsWith('open ')) lines.splice(0);
      },
    })),
    'loses nothing to a process of an older epoch',
  ],
  [
    'has an id without run',
    wrongIds((batch, index, line) => `${batch.walk} ${batch.page} ${batch.offset + index} ${line}`),
    'keeps equal items of other places',
  ],
  [
    'has an id without walk',
    wrongIds((batch, index, line) => `${batch.run} ${batch.page} ${batch.offset + index} ${line}`),
    'keeps equal items of other places',
    afterKill,
  ],
  [
    'has an id without page',
    wrongIds((batch, index, line) => `${batch.run} ${batch.walk} ${batch.offset + index} ${line}`),
    'keeps equal items of other places',
    afterKill,
  ],
  [
    'has an id without place in the page',
    wrongIds((batch, _, line) => `${pageKey(batch)} ${line}`),
    'keeps equal items of other places',
    afterKill,
  ],
  [
    'has an id of the place in the batch',
    wrongIds((batch, index, line) => `${pageKey(batch)} ${index} ${line}`),
    afterKill,
  ],
  [
    'has an id without the item',
    wrongIds((batch, index) => `${pageKey(batch)} ${batch.offset + index}`),
    'keeps an item that has changed at its place',
  ],
  [
    'has an id for each delivery',
    wrongIds((batch, index) => `${messageIds(batch)[index]} ${Math.random()}`),
    'drops an item that arrives again from its place',
    afterKill,
  ],
  [
    'forgets ids at the end of the run',
    mutant(idsSink, (whole, store) => ({
      close: async () => {
        await whole.close();
        store.ids.clear();
      },
    })),
    'drops what an older process sends after the end of the run',
    'drops a page that is sent while another process ends the run',
  ],
  [
    'shares one epoch and its lanes between all members',
    mutant(transactionSink, (whole) => ({
      resume: ({ member: _, ...earlier }) => whole.resume(earlier),
    })),
    'lets a member leave again',
    'is complete after a kill of a member between any two calls',
  ],
  [
    'removes what other members have stored when one begins',
    mutant(transactionSink, (_, store) => ({ open: async (dataType) => void linesIn(store, dataType).splice(0) })),
    'publishes once what members have left that ran at the same time',
  ],
  [
    'publishes what a member has when it leaves',
    mutant(transactionSink, (whole, store) => {
      const all: Batch[] = [];
      const open: Batch[] = [];
      return {
        write: async (batch) => void open.push(batch),
        commit: async (page) => {
          await whole.commit(page);
          all.push(...open.splice(0));
        },
        leave: async () => {
          for (const batch of all.splice(0)) linesIn(store, batch.dataType).push(...linesOf(batch));
        },
      };
    }),
    'publishes nothing when a member leaves',
    'is complete after a kill of a member between any two calls',
  ],
  [
    'ends a member when it leaves',
    mutant(transactionSink, (whole, store) => {
      let own = '';
      return {
        resume: async (earlier) => {
          own = `${earlier.run} ${earlier.member}`;
          await whole.resume(earlier);
        },
        leave: async () => {
          store.runs.set(own, { epoch: Number.POSITIVE_INFINITY, keeps: new Map() });
        },
      };
    }),
    'lets a member leave again',
  ],
  [
    'forgets a member when it leaves',
    mutant(transactionSink, (whole, store) => {
      let own = '';
      return {
        resume: async (earlier) => {
          own = `${earlier.run} ${earlier.member}`;
          await whole.resume(earlier);
        },
        leave: async () => void store.runs.delete(own),
      };
    }),
    'refuses older processes of a member that has left',
  ],
  [
    'fences no member of a run that it replaces',
    mutant(transactionSink, (whole) => ({
      resume: ({ run, ...earlier }) =>
        whole.resume({ ...earlier, run: earlier.member === undefined ? run : `member of ${run}` }),
    })),
    'refuses the members of a run that was replaced',
  ],
  [
    'compares its epoch long before it stores a page',
    mutant(transactionSink, (whole, store) => ({
      commit: async (page) => {
        await whole.positions();
        await turns(2);
        const { runs } = store;
        const known = new Map(runs);
        for (const [name, entry] of known) runs.set(name, { ...entry, epoch: 0 });
        const committing = whole.commit(page);
        for (const [name, { epoch }] of known) Object.assign(runs.get(name) ?? {}, { epoch });
        await committing;
      },
    })),
    'stores a page once that is committed while another process takes over',
  ],
  [
    'writes lists that other processes of a member write too',
    mutant(partsSink, (whole) => ({ resume: (earlier) => whole.resume({ ...earlier, epoch: 1 }) })),
    'publishes nothing of a suspended process of a member',
  ],
  [
    'forgets ids with the process',
    mutant(idsSink, (_, store) => {
      store.ids.clear();
      return {};
    }),
    'drops an item that arrives again from its place',
    afterKill,
  ],
];

for (const [what, make, ...broken] of mutants) {
  test(`the kit finds a sink that ${what}`, async () => {
    const failed = (await check(make)).filter(({ outcome }) => outcome === 'fail');
    const names = failed.map(({ name }) => name);
    assert.ok(names.length > 0, 'no rule has failed');
    for (const name of broken) assert.ok(names.includes(name), `${name}: ${names.join(', ')}`);
  });
}

const noAnswer = 'ends a page whose commit was applied without an answer';

test('the kit finds a sink that keeps a page in its memory whose commit was not answered', async () => {
  const keeping = mutant(transactionSink, (whole, store) => {
    const open: Batch[] = [];
    return {
      write: async (batch) => void open.push(batch),
      commit: async (page) => {
        await whole.commit(page);
        for (const batch of open) linesIn(store, batch.dataType).push(...linesOf(batch));
        throw new Error('no answer');
      },
    };
  });
  const found = (await check(transactionSink, keeping)).find(({ name }) => name === noAnswer);
  assert.is(found?.reason, 'expected 4 items, found 7');
});

test('a rule on commits without an answer is skipped if no such sink is given', async () => {
  const store = newStore();
  const checks = await checkRules(recoveryRules, () => transactionSink(store), reader(store), { tooLong });
  assert.is(checks.find(({ name }) => name === noAnswer)?.outcome, 'skip');
});

test('each rule has a sink that breaks it', () => {
  const broken = new Set([noAnswer, ...mutants.flatMap(([, , ...names]) => names)]);
  assert.equal(
    recoveryRules.map(({ name }) => name).filter((name) => !broken.has(name)),
    [],
  );
});

const needed = {
  cut: ['resume', 'commit', 'rollback'],
  transaction: ['resume', 'positions', 'commit', 'rollback'],
} as const;

for (const [recovery, members] of Object.entries(needed)) {
  for (const member of members) {
    test(`the kit refuses a sink that declares "${recovery}" and has no ${member}`, async () => {
      const without = (store: Store): Sink => {
        const whole: Sink = recovery === 'cut' ? cutSink(store) : transactionSink(store);
        return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== member)) as unknown as Sink;
      };
      const found = (await check(without)).find(({ name }) => name === 'has what its recovery needs');
      assert.is(found?.reason, `the sink declares recovery "${recovery}", which needs ${member}`);
    });
  }
}

test('the kit names the sink that lacks a member, and a recovery that there is not', async () => {
  const [none] = declaringRules;
  const reasonOf = async (sink: Sink) =>
    (
      await checkRules(
        none === undefined ? [] : [none],
        () => sink,
        async () => [],
      )
    )[0]?.reason;
  const { resume: _, positions: __, ...rest } = transactionSink(newStore());
  assert.is(
    await reasonOf({ ...rest, name: 'log:x' }),
    'the sink "log:x" declares recovery "transaction", which needs resume, positions',
  );
  const odd = { ...plainSink(newStore()), recovery: JSON.parse('"undo"') };
  assert.is(await reasonOf(odd), 'the sink declares recovery "undo"; expected one of cut, transaction, ids, none');
  const { commit: ___, ...half } = { ...rest, recovery: 'none' as const };
  assert.is(await reasonOf(half), 'the sink has rollback, which needs commit');
});

/** The name of the last call before each restart. */
async function restartsOf(options: Pick<CheckOptions, 'restartAfter'>): Promise<readonly string[]> {
  const store = newStore();
  const [calls, before]: [string[], string[]] = [[], []];
  const recorded = (): Sink =>
    Object.fromEntries(
      Object.entries(transactionSink(store)).map(([name, member]) => {
        if (typeof member !== 'function') return [name, member];
        return [name, (...given: unknown[]) => [calls.push(name), Reflect.apply(member, undefined, given)][1]];
      }),
    ) as unknown as Sink; // The members of a sink.
  const restart = async () => void before.push(calls.at(-1) ?? '');
  const [check] = await checkRules(restartingRules, recorded, reader(store), { ...options, tooLong, restart });
  assert.is(check?.outcome, 'pass', check?.reason);
  return before;
}

test('the destination ends after each call, or after the last one of each given name', async () => {
  const every = await restartsOf({});
  assert.equal(
    ['resume', 'positions', 'write', 'commit', 'close'].map((name) => every.filter((each) => each === name).length),
    [1, 1 + 2, 4, 3 + 1, 1], // The sink has no `open`, which would be called twice, and no `durable`.
  );
  assert.equal(await restartsOf({ restartAfter: ['write', 'close', 'resume'] }), ['write', 'close', 'resume']);
});

test('the kit says when items must have left the process', async () => {
  const buffering = mutant(plainSink, (_, store) => {
    const held: Batch[] = [];
    return {
      write: async (batch) => void held.push(batch),
      close: async () => {
        for (const batch of held) linesIn(store, batch.dataType).push(...linesOf(batch));
      },
    };
  });
  const reason = (await check(buffering)).find(({ name }) => name === afterKill)?.reason ?? '';
  assert.match(
    reason,
    /^killed after the record of check-[-\db]+ in the journal: {"n":\d} is lost: found \d+ items\. When `commit` settles/,
  );
});

test('the kit says what a commit may return', async () => {
  const objects = mutant(cutSink, (whole) => ({
    name: 'rows',
    commit: async (page) => plain({ rows: numberOf(await whole.commit(page)) }),
  }));
  const reason = (await check(objects)).find(
    ({ name }) => name === 'goes back to the older of two checkpoints',
  )?.reason;
  assert.is(
    reason,
    'commit of the sink "rows" returned a value of type object, which the journal cannot store. Return a string, such as `JSON.stringify(value)`, or `fromPlain(value)` of "rxtract"',
  );
});

test('the kit names a keep that it has not given', async () => {
  const longer = mutant(transactionSink, (whole) => ({
    positions: async () => new Map([...(await whole.positions())].map(([lane, keep]) => [lane, `${keep} `])),
  }));
  const reason = (await check(longer)).find(({ name }) => name === afterKill)?.reason ?? '';
  assert.match(reason, /positions gives a keep that was never committed: \{"pages":\d,/);
});

test('a log that bounds no keep must store long ones', async () => {
  const unbounded = (store: Store): Sink => {
    const { keepBytes: _, ...whole } = transactionSink(store);
    return whole;
  };
  const found = (await check(unbounded)).find(({ name }) => name === 'stores a keep of any length that it allows');
  assert.is(found?.outcome, 'pass');
  const short = mutant(unbounded, (whole) => ({
    commit: async (page, signal) => {
      if ((page.keep?.length ?? 0) > 5000) throw new Error('too long');
      return await whole.commit?.(page, signal);
    },
  }));
  const failed = (await check(short)).find(({ name }) => name === 'stores a keep of any length that it allows');
  assert.equal([failed?.outcome, failed?.reason], ['fail', 'too long']);
});

test('the kit names the last call before a kill', async () => {
  const checks = await check(mutant(cutSink, () => ({ open: async () => {} })));
  const reason = checks.find(({ name }) => name === afterKill)?.reason ?? '';
  assert.match(reason, /^killed after write check-\d+-6: item 3: expected {"n":2}, found {"n":1}$/);
});

test.run();
