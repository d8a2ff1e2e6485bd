/** The books of a run: in what order pages are written down, when the journal is written anew, and when rows may go. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BooksNeeds, openBooks } from '../../src/checkpoint/books.js';
import type { PageNews } from '../../src/checkpoint/entries.js';
import { createPosition } from '../../src/checkpoint/position.js';
import { recordIn, type StateRecord } from '../../src/checkpoint/records.js';
import { turns } from '../sinks/lib.js';
import { memoryStore } from './memory-store.js';

const known = { run: 'r', epoch: 1, sinks: ['cut'], startedAt: 0, marks: {} } as const;
const begin = { is: 'begin', format: 3, version: '0.0.0', ...known } as const;

/** News of a page of job 0. */
const page = (index: number, more: Partial<PageNews> = {}): PageNews => ({
  ...{ is: 'page', job: 0, at: [], begun: 0, page: index, print: String(index) },
  took: { job: more.job ?? 0, requests: 1, retries: 0, count: 1, bytes: 1, delivered: true },
  next: { index: index + 1, request: '[]', chain: [], startedAt: 0, items: index, volume: 0 },
  ...more,
});

/** One whose next request cannot be written down. */
function withheldPage(index: number): PageNews {
  const { next: _, ...news } = page(index);
  return { ...news, isWithheld: true };
}

const rowsIn = (part: string) => ({ part, count: 1, lengths: [1], crc: 0 });

async function opened(more: Partial<BooksNeeds> = {}) {
  const store = memoryStore();
  const open = await store.open();
  await open.replace([JSON.stringify(begin)]);
  let tick = () => {};
  const soon = (work: () => void) => {
    tick = work;
    return () => {};
  };
  const withheld: number[] = [];
  const onWithheld = (job: number) => void withheld.push(job);
  const position = createPosition(begin);
  const books = openBooks({ store: open, position, sink: {}, onWithheld, soon, ...more });
  const enter = (news: PageNews) => {
    const entry = books.entry();
    entry.fill(news);
    books.enter(entry, []);
  };
  const written = () => store.held.records.map(recordIn);
  const kinds = () => written().map(({ is }) => is);
  return { store, open, books, enter, written, kinds, withheld, tick: () => tick() };
}

const indexOf = (record: StateRecord) => (record.is === 'page' ? record.next?.index : undefined);

test('pages are written in the order in which they reached the sink, each when it is known', async () => {
  const { books, written } = await opened();
  const [first, second] = [books.entry(), books.entry()];
  books.enter(second, [[0, 0, '7']]);
  books.enter(first, []);
  assert.is(books.entry().written(), undefined);
  first.fill(page(1));
  await turns();
  assert.equal(written().slice(1), []);
  second.fill(page(2));
  await Promise.all([first.written(), second.written()]);
  assert.equal(written().slice(1).map(indexOf), [3, 2]);
  const [, record] = written();
  assert.equal(record?.is === 'page' ? record.outputs : undefined, [[0, 0, '7']]);
});

test('what nobody will ever tell of is given up, with all behind it', async () => {
  const { books, enter, kinds } = await opened();
  enter(page(1));
  books.enter(books.entry(), []);
  enter(page(2));
  await books.giveUp();
  assert.equal(kinds(), ['begin', 'page']);
});

test('in about a second what was written is brought to the disk, and then rows go that are needed no more', async () => {
  const log: string[] = [];
  const { store, open, books, enter, kinds, tick } = await opened({
    sink: { durable: async () => void log.push('durable') },
  });
  const part = await open.createPart();
  enter(page(1, { rows: rowsIn(part.name) }));
  enter(page(2));
  await books.settled();
  assert.ok(store.held.parts.has(part.name));
  tick();
  await turns();
  assert.equal(log, ['durable']);
  assert.equal(kinds(), ['begin', 'page', 'page', 'saved']);
  assert.not.ok(store.held.parts.has(part.name));
});

test('rows stay as long as a child of theirs is walked', async () => {
  const { store, open, books, enter } = await opened();
  const part = await open.createPart();
  enter(page(1, { rows: rowsIn(part.name) }));
  enter(page(1, { at: [[0, 0, 0, 0]] }));
  await books.settled();
  await books.save();
  assert.ok(store.held.parts.has(part.name));
  books.over(0);
  await books.settled();
  await books.save();
  assert.not.ok(store.held.parts.has(part.name));
});

test('a journal that has grown is written anew in short, and adds up to the same', async () => {
  const { books, enter, written } = await opened({ journalBytes: 2000 });
  let longest = 0;
  for (let index = 1; index <= 100; index++) {
    enter(page(index));
    await books.settled();
    longest = Math.max(longest, JSON.stringify(written()).length);
  }
  assert.ok(longest < 8000, `${longest} bytes`);
  assert.is(written()[1]?.is, 'snapshot');
  const again = createPosition(begin);
  for (const record of written()) again.apply(record);
  assert.equal(again.snapshot(), books.position.snapshot());
  assert.is(again.count, 100);
});

test('while a next request cannot be written down nothing is, and then all at once', async () => {
  const { books, enter, kinds, written, withheld } = await opened();
  enter(page(1));
  enter(withheldPage(2));
  enter(page(1, { job: 1 }));
  await books.settled();
  await books.save();
  assert.equal(kinds(), ['begin', 'page']);
  enter(withheldPage(3));
  enter(page(4));
  await books.settled();
  assert.equal(kinds(), ['begin', 'snapshot']);
  assert.equal(withheld, [0]);
  enter(page(5));
  await books.settled();
  assert.equal(kinds(), ['begin', 'snapshot', 'page']);
  const again = createPosition(begin);
  for (const record of written()) again.apply(record);
  assert.is(again.count, 6);
});

test('a child does not free the walk above it, the end of its job does', async () => {
  const { books, enter, kinds } = await opened();
  enter(withheldPage(1));
  enter(page(1, { at: [[0, 0, 0, 0]] }));
  await books.settled();
  assert.equal(kinds(), ['begin']);
  books.over(0);
  await books.settled();
  assert.equal(kinds(), ['begin', 'snapshot']);
});

test.run();
