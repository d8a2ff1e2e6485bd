/** Rules on a run that several members share: each leaves its items, and the last process publishes them once. */
import type { Sink } from '../contract.js';
import type { Bench, Rule } from './bench.js';
import { mustArrive } from './items.js';
import { firstCalls } from './killing.js';
import { commitPage, memberCallsOf, open, resume, writePage } from './process.js';
import { allLines, newJournal, type ScriptJournal, type ScriptLane } from './script.js';
import { messageOf, mustReject } from './watched.js';

/** A part of a shared run. All members write lanes of one name, and items of the same data types. */
interface Member {
  readonly journal: ScriptJournal;
  readonly lanes: readonly ScriptLane[];
}

const noLeave = 'the sink cannot be shared: it has no leave';

/** Creates a rule that is skipped for sinks that cannot be shared. */
const sharedRule = (name: string, work: (bench: Bench, sink: Sink) => Promise<string | undefined>): Rule => ({
  name,
  async run(bench) {
    const sink = await bench.makeSink();
    return sink.leave === undefined ? noLeave : work(bench, sink);
  },
});

export const leavingRules: readonly Rule[] = [
  sharedRule('publishes once what members have left that ran at the same time', async (bench) => {
    const members = [0, 1, 2].map((number) => memberOf(bench.dataType, number));
    await Promise.all(members.map((member) => finishMember(bench, member)));
    await publish(bench, members);
    await publish(bench, members, 'publishing');
    return undefined;
  }),
  sharedRule('publishes nothing when a member leaves', async (bench) => {
    const [one, two] = [memberOf(bench.dataType, 0), memberOf(bench.dataType, 1)];
    const sink = await begin(bench, one);
    await storeAll(bench, sink, one);
    await bench.inTime('durable', () => sink.durable?.());
    const before = await bench.read(bench.dataType);
    await bench.inTime('leave', () => sink.leave?.());
    const after = await bench.read(bench.dataType);
    if (after.length !== before.length) {
      throw new Error(`leave has published ${after.length - before.length} items: the last process of the run does`);
    }
    await finishMember(bench, two);
    await publish(bench, [one, two]);
    return undefined;
  }),
  sharedRule('lets a member leave again', async (bench) => {
    const members = [memberOf(bench.dataType, 0), memberOf(bench.dataType, 1)];
    for (const member of [...members, ...members]) await finishMember(bench, member);
    await publish(bench, members);
    return undefined;
  }),
  sharedRule('is complete after a kill of a member between any two calls', async (bench) => {
    for (let calls = 1; await survives(bench, calls); calls += 1);
    return undefined;
  }),
  sharedRule('refuses older processes of a member that has left', async (bench, { recovery }) => {
    if (recovery !== 'transaction') return 'the sink does not declare recovery "transaction"';
    const [one, two] = [memberOf(bench.dataType, 0), memberOf(bench.dataType, 1)];
    const late = { ...one.journal };
    const old = await begin(bench, one);
    const oldMember = { ...one, journal: { ...one.journal } };
    await finishMember(bench, one);
    await finishMember(bench, two);
    const isRefused = async () => {
      await mustReject(storeAll(bench, old, oldMember), 'a page of an older process of the member was accepted');
      await mustReject(begin(bench, { ...one, journal: { ...late } }), 'an older process of the member has begun');
    };
    await isRefused();
    await publish(bench, [one, two]);
    await isRefused();
    await bench.inTime('leave', () => old.leave?.()).catch(() => {});
    mustHaveAll(await bench.read(bench.dataType), [one, two], old);
    return undefined;
  }),
  sharedRule('publishes nothing of a suspended process of a member', async (bench, { recovery }) => {
    if (recovery !== 'cut') return 'the sink does not declare recovery "cut"';
    for (const [number, calls] of suspensions.entries()) {
      const dataType = `${bench.dataType}-${number}`;
      const [one, two] = [memberOf(dataType, 0), memberOf(dataType, 1)];
      const old = await begin(bench, one);
      // The journal refuses what it records.
      const { pages, checkpoints } = one.journal;
      const own = { pages: new Map(pages), checkpoints: new Map(checkpoints) };
      const oldMember = { ...one, journal: { ...one.journal, ...own } };
      await calls.before(bench, old, oldMember);
      await finishMember(bench, one);
      await finishMember(bench, two);
      // It may be refused, before and after the end of the run.
      await calls.after(bench, old, oldMember).catch(() => {});
      await publish(bench, [one, two]);
      await storeAll(bench, old, oldMember).catch(() => {});
      await bench.inTime('leave', () => old.leave?.()).catch(() => {});
      mustHaveAll(await bench.read(dataType), [one, two], old);
    }
    return undefined;
  }),
  sharedRule('refuses the members of a run that was replaced', async (bench, { recovery }) => {
    if (recovery !== 'transaction') return 'the sink does not declare recovery "transaction"';
    const [one, two] = [memberOf(bench.dataType, 0), memberOf(bench.dataType, 1)];
    const old = await begin(bench, one);
    const oldMember = { ...one, journal: { ...one.journal } };
    const next = { ...newJournal(`${bench.dataType}-x`), epoch: 1 };
    const fresh = await bench.makeSink();
    const { run, epoch } = next;
    const earlier = { run, epoch, isStored: true, phase: 'writing', checkpoints: new Map() } as const;
    await bench.inTime('resume', () => fresh.resume?.({ ...earlier, replaces: [one.journal.run] }));
    await mustReject(storeAll(bench, old, oldMember), 'a page of a run that was replaced was accepted');
    await mustReject(begin(bench, two), 'a member of a run that was replaced has begun');
    await bench.inTime('abort', () => fresh.abort(new Error('the rule is over')));
    return undefined;
  }),
];

interface Suspension {
  /** What the process does before another one takes over. */
  before(bench: Bench, sink: Sink, member: Member): Promise<void>;
  /** What it does when it wakes up. */
  after(bench: Bench, sink: Sink, member: Member): Promise<unknown>;
}

/** Before the first write, between write and commit, and after a commit that its journal does not have. */
const suspensions: readonly Suspension[] = [
  { before: async () => {}, after: storeAll },
  { before: writeFirst, after: commitFirst },
  {
    async before(bench, sink, member) {
      await writeFirst(bench, sink, member);
      await commitFirst(bench, sink, member);
    },
    after: (bench, sink) => bench.inTime('leave', () => sink.leave?.()),
  },
];

const firstPage = ({ journal, lanes: [lane] }: Member) => (lane === undefined ? [] : [{ journal, lane, page: 0 }]);

async function writeFirst(bench: Bench, sink: Sink, member: Member): Promise<void> {
  for (const page of firstPage(member)) await writePage(bench, sink, page);
}

async function commitFirst(bench: Bench, sink: Sink, member: Member): Promise<void> {
  for (const page of firstPage(member)) await commitPage(bench, sink, page);
}

/** The items of members are different, but for those that are equal at several places of each. */
function memberOf(dataType: string, number: number, name = dataType): Member {
  const journal = { ...newJournal(name), member: `J${number}-P0` };
  const lane = {
    lane: '0',
    walk: `0/${number}`,
    dataType,
    pages: [[{ n: number }, { n: 9 }, { n: 9 }], [{ n: number }]],
  };
  return { journal, lanes: [lane] };
}

async function begin(bench: Bench, { journal, lanes }: Member): Promise<Sink> {
  const sink = await bench.makeSink();
  await resume(bench, sink, journal);
  await open(bench, sink, lanes);
  return sink;
}

/** Writes and commits all pages, whatever the journal has. */
async function storeAll(bench: Bench, sink: Sink, { journal, lanes }: Member): Promise<void> {
  for (const lane of lanes) {
    for (const page of lane.pages.keys()) {
      await writePage(bench, sink, { journal, lane, page });
      const checkpoint = await commitPage(bench, sink, { journal, lane, page });
      journal.pages.set(lane.lane, page + 1);
      if (checkpoint !== undefined) journal.checkpoints.set(lane.dataType, checkpoint);
    }
  }
}

/** A process of the member from its beginning to `leave`. */
async function finishMember(bench: Bench, { journal, lanes }: Member): Promise<void> {
  for await (const _ of memberCallsOf(await bench.makeSink(), journal, lanes, bench));
}

/** The last process of the run. Throws unless the items of all members are there. */
async function publish(
  bench: Bench,
  members: readonly Member[],
  phase: ScriptJournal['phase'] = 'writing',
): Promise<void> {
  const [first] = members;
  const { run = '' } = first?.journal ?? {};
  const left = members.flatMap(({ journal: { member = '', checkpoints } }) =>
    checkpoints.size === 0 ? [] : [[member, checkpoints] as const],
  );
  const epoch = phase === 'writing' ? 0 : 1;
  const journal = { ...newJournal(''), run, member: 'publish', members: new Map(left), epoch, phase };
  const sink = await begin(bench, { journal, lanes: members.flatMap(({ lanes }) => lanes).slice(0, 1) });
  await bench.inTime('close', () => sink.close());
  mustHaveAll(await bench.read(first?.lanes[0]?.dataType ?? ''), members, sink);
}

/** Members have no order. */
function mustHaveAll(found: readonly string[], members: readonly Member[], sink: Sink): void {
  const expected = members.flatMap(({ lanes }) => lanes.flatMap(allLines));
  mustArrive([...found].sort(), [...expected].sort(), sink);
}

/** Kills a process of one of two members after a number of calls. False: it had fewer. */
async function survives(bench: Bench, count: number): Promise<boolean> {
  const dataType = `${bench.dataType}-${count}`;
  const [one, two] = [memberOf(dataType, 0), memberOf(dataType, 1)];
  const sink = await bench.makeSink();
  const { names, isOver } = await firstCalls(memberCallsOf(sink, one.journal, one.lanes, bench), count);
  try {
    await bench.inTime('durable', () => sink.durable?.()).catch(() => {});
    await finishMember(bench, two);
    await finishMember(bench, one);
    await publish(bench, [one, two]);
  } catch (thrown) {
    throw new Error(`killed after ${names.at(-1)}: ${messageOf(thrown)}`);
  }
  await bench.inTime('abort', () => sink.abort(new Error('killed'))).catch(() => {});
  return !isOver;
}
