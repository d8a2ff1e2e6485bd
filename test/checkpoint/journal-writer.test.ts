/** The bytes of a journal: in what order pages are written, when it is written anew, and when rows may go. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createJournalWriter, type JournalWriterOptions } from '../../src/checkpoint/journal-writer.js';
import { createPosition } from '../../src/checkpoint/position.js';
import { type PageRecord, recordIn } from '../../src/checkpoint/records.js';
import { turns } from '../sinks/lib.js';
import { memoryStore } from './memory-store.js';

const known = { run: 'r', epoch: 1, sinks: ['cut'], startedAt: 0, marks: {} } as const;
const begin = { type: 'begin', format: 4, version: '0.0.0', ...known } as const;

/** A page of job 0. */
const page = (index: number, more: Partial<PageRecord> = {}): PageRecord => ({
  ...{ type: 'page', job: 0, at: [], begun: 0, time: 0, page: index, print: String(index) },
  took: { job: more.job ?? 0, requests: 1, retries: 0, count: 1, bytes: 1, delivered: true },
  next: { index: index + 1, request: '[]', chain: [], startedAt: 0, items: index, volume: 0 },
  ...more,
});

/** One whose next request cannot be written down. */
function withheldPage(index: number): PageRecord {
  const { next: _, ...record } = page(index);
  return { ...record, isWithheld: true };
}

const rowsIn = (part: string) => ({ part, count: 1, lengths: [1], crc: 0 });

async function opened(more: Partial<JournalWriterOptions> = {}) {
  const store = memoryStore();
  const open = await store.open();
  await open.replace([JSON.stringify(begin)]);
  let tick = () => {};
  const soon = (work: () => void) => {
    tick = work;
    return () => {};
  };
  const withheld: number[] = [];
  const onHeld = (job: number) => void withheld.push(job);
  const position = createPosition(begin);
  const faults: unknown[] = [];
  const onFault = (thrown: unknown) => void faults.push(thrown);
  const journal = createJournalWriter({ store: open, position, sinks: [], onWithheld: onHeld, onFault, soon, ...more });
  const enter = (record: PageRecord) => void journal.append(record)?.catch(() => {});
  const over = (job: number) => void journal.append({ type: 'job-done', job });
  const written = () => store.held.records.map(recordIn);
  const kinds = () => written().map(({ type }) => type);
  return { store, open, journal, position, enter, over, written, kinds, withheld, faults, tick: () => tick() };
}

const reasonOf = (work: unknown) =>
  Promise.resolve(work).then(
    () => 'settled',
    ({ message }) => message,
  );

test('records are written in the order of calls, one after the other', async () => {
  const { journal, written } = await opened();
  await Promise.all([3, 1, 2].map((index) => journal.append(page(index))));
  assert.equal(
    written()
      .slice(1)
      .map((record) => (record.type === 'page' ? record.page : undefined)),
    [3, 1, 2],
  );
});

test('after a record that cannot be written there is none, and all calls say why', async () => {
  const store = await memoryStore().open();
  let writes = 0;
  const append = async () => {
    writes += 1;
    throw new Error('disk full');
  };
  const { journal } = await opened({ store: { ...store, append } });
  const works = [journal.append(page(1)), journal.append(page(2)), journal.settled()];
  assert.equal(await Promise.all(works.map(reasonOf)), ['disk full', 'disk full', 'disk full']);
  assert.is(writes, 1);
  await journal.close();
});

test('a record that is written at once needs no promise, and the next one not after a failure', async () => {
  const store = await memoryStore().open();
  const taken: string[] = [];
  let isFull = false;
  const appendNow = (record: string) => {
    if (isFull) throw new Error('disk full');
    taken.push(record);
    return true;
  };
  const { journal } = await opened({ store: { ...store, appendNow } });
  assert.is(journal.append(page(1)), undefined);
  assert.is(taken.length, 1);
  isFull = true;
  assert.throws(() => journal.append(page(2)), 'disk full');
  isFull = false;
  assert.throws(() => journal.append(page(3)), 'disk full');
  assert.equal(await reasonOf(journal.settled()), 'disk full');
  assert.is(taken.length, 1);
  await journal.close();
});

test('a save that nothing waits for is reported if it fails', async () => {
  const fails = async () => {
    throw new Error('disk gone');
  };
  const { journal, tick, faults } = await opened({ sinks: [{ durable: fails }] });
  await journal.append(page(1));
  tick();
  await turns();
  assert.match(String(faults), /disk gone/);
});

test('in about a second what was written is brought to the disk, and rows that are needed no more stay', async () => {
  const log: string[] = [];
  const { store, open, journal, enter, kinds, tick } = await opened({
    sinks: [{ durable: async () => void log.push('durable') }],
  });
  const part = await open.createPart();
  enter(page(1, { rows: rowsIn(part.name) }));
  enter(page(2));
  await journal.settled();
  assert.ok(store.held.parts.has(part.name));
  tick();
  await turns();
  assert.equal(log, ['durable']);
  assert.equal(kinds(), ['begin', 'page', 'page', 'sync']);
  assert.ok(store.held.parts.has(part.name), 'the first page names it, and the second may be lost');
});

test('rows that are needed no more go when the journal is written anew, and they count as its growth', async () => {
  const { store, open, journal, enter, kinds } = await opened({ journalBytes: 6000 });
  const [small, large] = [await open.createPart(), await open.createPart()];
  enter(page(1, { rows: rowsIn(small.name) }));
  enter(page(2, { rows: { ...rowsIn(large.name), lengths: [1000, 2000] } }));
  await journal.settled();
  assert.equal([kinds(), store.held.parts.size], [['begin', 'page', 'page'], 2]);
  enter(page(3));
  await journal.settled();
  assert.equal([kinds(), store.held.parts.size], [['begin', 'snapshot'], 0]);
});

test('rows stay as long as a child of theirs is walked', async () => {
  const { store, open, journal, enter, over } = await opened({ journalBytes: 1 });
  const part = await open.createPart();
  enter(page(1, { rows: rowsIn(part.name) }));
  enter(page(1, { at: [[0, 0, 0, 0]] }));
  await journal.settled();
  assert.ok(store.held.parts.has(part.name));
  over(0);
  await journal.settled();
  assert.not.ok(store.held.parts.has(part.name));
});

test('a journal that has grown is written anew in short, and adds up to the same', async () => {
  const { journal, position, enter, written } = await opened({ journalBytes: 2000 });
  let longest = 0;
  for (let index = 1; index <= 100; index++) {
    enter(page(index));
    await journal.settled();
    longest = Math.max(longest, JSON.stringify(written()).length);
  }
  assert.ok(longest < 8000, `${longest} bytes`);
  assert.is(written()[1]?.type, 'snapshot');
  const again = createPosition(begin);
  for (const record of written()) again.apply(record);
  assert.equal(again.snapshot(), position.snapshot());
  assert.is(again.count, 100);
});

test('that a sink is weakened is on the disk at once, also while records are held back', async () => {
  const synced: string[] = [];
  const { store: _, open, journal, enter, kinds, position } = await opened();
  const sync = open.sync;
  Object.assign(open, {
    async sync(texts: readonly string[]) {
      synced.push(...texts);
      await sync(texts);
    },
  });
  enter(withheldPage(1));
  await journal.append({ type: 'weakened', sink: 2 });
  assert.equal([kinds(), synced], [['begin', 'weakened'], ['{"type":"weakened","sink":2}']]);
  enter(page(2));
  await journal.settled();
  assert.equal([kinds(), [...position.weakened]], [['begin', 'snapshot'], [2]]);
});

test('the growth of a journal is measured in bytes', async () => {
  const { journal, enter, kinds } = await opened({ journalBytes: 3000 });
  const request = 'é'.repeat(1000);
  for (let index = 1; index <= 3; index++) {
    enter(page(index, { next: { index, request, chain: [], startedAt: 0, items: index, volume: 0 } }));
  }
  await journal.settled();
  assert.equal(kinds(), ['begin', 'snapshot']);
});

test('while a next request cannot be written down nothing is, and then all at once', async () => {
  const { journal, enter, kinds, written, withheld } = await opened();
  enter(page(1));
  enter(withheldPage(2));
  enter(page(1, { job: 1 }));
  await journal.settled();
  await journal.save();
  assert.equal(kinds(), ['begin', 'page']);
  enter(withheldPage(3));
  enter(page(4));
  await journal.settled();
  assert.equal(kinds(), ['begin', 'snapshot']);
  assert.equal(withheld, [0]);
  enter(page(5));
  await journal.settled();
  assert.equal(kinds(), ['begin', 'snapshot', 'page']);
  const again = createPosition(begin);
  for (const record of written()) again.apply(record);
  assert.is(again.count, 6);
});

test('a child does not free the walk above it, the end of its job does', async () => {
  const { journal, enter, over, kinds } = await opened();
  enter(withheldPage(1));
  enter(page(1, { at: [[0, 0, 0, 0]] }));
  await journal.settled();
  assert.equal(kinds(), ['begin']);
  over(0);
  await journal.settled();
  assert.equal(kinds(), ['begin', 'snapshot']);
});

test.run();
