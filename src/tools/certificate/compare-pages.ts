/**
 * Compares items, one a line, with the pages that a run has written: names pages that are missing, changed or cut, and
 * lines that no page has. Pages of several walks may alternate in any way; those of one walk are in order.
 */
import { createHash } from 'node:crypto';
import type { CertifiedPage } from './certificate.js';
import { type LineWindow, lineWindow } from './line-window.js';

/** A page with items, and what messages call it. */
export interface ComparedPage extends CertifiedPage {
  readonly label: string;
}

/** After so many differences the rest is not compared. */
const mostDifferences = 50;
/** How many lines further on the next pages are looked for, beyond those of the page. */
const linesAhead = 1000;
/** How many of the next pages are looked for there. */
const pagesAhead = 3;
/** How many bytes are digested to find where items continue as certified. */
const mostSearched = 256 * 1024 * 1024;

/** What differs, in words; empty: nothing. */
export async function comparePages(
  content: AsyncIterable<Uint8Array>,
  pages: readonly ComparedPage[],
): Promise<readonly string[]> {
  const window = lineWindow(content);
  const left = createLeftPages(pages);
  const differences: string[] = [];
  while (differences.length < mostDifferences) {
    const next = await nextPage(window, left);
    if (next !== undefined) {
      window.take(next.items);
      left.remove(next);
      continue;
    }
    const expected = left.first();
    if (expected === undefined) {
      const lines = await window.drain();
      return lines === 0 ? differences : [...differences, `${rows(lines)} more than certified, at its end`];
    }
    const found = await nextDifference(window, left, expected);
    differences.push(found.text);
    if (found.isLast) return differences;
  }
  return [...differences, 'and more'];
}

type LeftPages = ReturnType<typeof createLeftPages>;

/** Pages that were not found yet, in order. */
function createLeftPages(pages: readonly ComparedPage[]) {
  const left = new Set(pages);
  const walks = new Map<string, Set<ComparedPage>>();
  for (const page of pages) walks.set(page.walk, (walks.get(page.walk) ?? new Set()).add(page));
  return {
    first: (): ComparedPage | undefined => left.values().next().value,
    /** The next page of each walk, that of the first page that is left before others. */
    *heads(): Iterable<ComparedPage> {
      yield* firstOf(left);
      for (const own of walks.values()) yield* firstOf(own);
    },
    all: (): Iterable<ComparedPage> => left,
    /** Those before the page, of its walk alone or of all. */
    before(page: ComparedPage, isOfWalk: boolean): readonly ComparedPage[] {
      const own = isOfWalk ? (walks.get(page.walk) ?? []) : left;
      const found: ComparedPage[] = [];
      for (const each of own) {
        if (each === page) break;
        found.push(each);
      }
      return found;
    },
    remove(page: ComparedPage) {
      left.delete(page);
      const own = walks.get(page.walk);
      own?.delete(page);
      if (own?.size === 0) walks.delete(page.walk);
    },
  };
}

function* firstOf<T>(all: Iterable<T>): Iterable<T> {
  for (const each of all) return yield each;
}

/** The page that the first lines of the window are. */
async function nextPage(window: LineWindow, left: LeftPages): Promise<ComparedPage | undefined> {
  for (const page of left.heads()) if (await isAt(window, 0, page)) return page;
  return undefined;
}

async function isAt(window: LineWindow, from: number, { items, bytes, sha256 }: ComparedPage): Promise<boolean> {
  if ((await window.fill(from + items)) < from + items || window.lengthOf(from, items) !== bytes) return false;
  const hash = createHash('sha256');
  for (const line of window.parts(from, items)) hash.update(line);
  return hash.digest('hex') === sha256;
}

interface Difference {
  readonly text: string;
  /** Nothing after it can be compared. */
  readonly isLast: boolean;
}

/** Names what is there instead of the next page, and leaves the window where a page continues. */
async function nextDifference(window: LineWindow, left: LeftPages, expected: ComparedPage): Promise<Difference> {
  const found = await findNext(window, left, expected);
  if (found === undefined) return afterAll(window, left, expected);
  const { page, from } = found;
  const gone = left.before(page, from === 0);
  for (const each of gone) left.remove(each);
  window.take(from);
  return { text: differenceOf(gone, from, page), isLast: false };
}

/** The first place where one of the next pages is. */
async function findNext(window: LineWindow, left: LeftPages, { items }: ComparedPage) {
  for (const page of left.all()) if (await isAt(window, 0, page)) return { page, from: 0 };
  const next = [...left.all()].slice(0, pagesAhead);
  let searched = 0;
  for (let from = 1; from <= items + linesAhead && searched < mostSearched; from++) {
    if ((await window.fill(from + 1)) <= from) return undefined;
    for (const page of next) {
      if (await isAt(window, from, page)) return { page, from };
      searched += window.lengthOf(from, page.items) === page.bytes ? page.bytes : 0;
    }
  }
  return undefined;
}

/** What differs where no page follows. */
async function afterAll(window: LineWindow, left: LeftPages, expected: ComparedPage): Promise<Difference> {
  const pages = [...left.all()];
  const lines = await window.drain();
  const items = pages.reduce((sum, page) => sum + page.items, 0);
  const rest = pages.length === 1 ? expected.label : `${expected.label} and ${pages.length - 1} more`;
  if (lines === 0) return { text: `missing: ${rest} (${rows(items)})`, isLast: true };
  if (lines < items) return { text: `cut: ${rest} should have ${rows(items)}, and ${lines} are left`, isLast: true };
  if (pages.length === 1 || lines === items) return { text: replaced(rest, items, lines), isLast: true };
  return { text: `changed from ${expected.label} on`, isLast: true };
}

/** `lines` are where the pages that are gone should be, before `page`. */
function differenceOf(gone: readonly ComparedPage[], lines: number, page: ComparedPage): string {
  const [first] = gone;
  if (first === undefined) return `${rows(lines)} more than certified, before ${page.label}`;
  const items = gone.reduce((sum, each) => sum + each.items, 0);
  const label = gone.length === 1 ? first.label : `${first.label} and ${gone.length - 1} more`;
  return lines === 0 ? `missing: ${label} (${rows(items)}), before ${page.label}` : replaced(label, items, lines);
}

function replaced(label: string, items: number, lines: number): string {
  if (lines === items) return `changed: ${label}`;
  const more = lines - items;
  return more > 0 ? `changed: ${label} has ${rows(more)} more` : `changed: ${label} has ${rows(-more)} fewer`;
}

const rows = (count: number): string => `${count} ${count === 1 ? 'row' : 'rows'}`;
