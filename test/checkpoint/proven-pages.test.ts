/** Proofs of pages, as sinks move a top-level job to the position that they hold. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createProvenPages, laneProof, provenByName } from '../../src/checkpoint/proven-pages.js';
import type { PageDraft } from '../../src/checkpoint/records.js';

const pageOf = (job: number, page: number, count: number): Pick<PageDraft, 'job' | 'page' | 'took'> => ({
  job,
  page,
  took: { job, requests: 1, retries: 0, count, bytes: count, delivered: true, proof: { walk: String(job) } },
});

/** Job 0: pages with items, without, with items; job 1: one page. */
function proven() {
  const pages = createProvenPages();
  for (const page of [pageOf(0, 0, 2), pageOf(1, 0, 1), pageOf(0, 1, 0), pageOf(0, 2, 3)]) pages.take(page);
  return pages;
}

const placesOf = (pages: ReturnType<typeof proven>) => pages.all().map(([job, , page, items]) => [job, page, items]);

test('a page without a proof is none', () => {
  const { proof: _, ...took } = pageOf(0, 0, 1).took;
  assert.is(laneProof({ job: 0, page: 0, took }), undefined);
});

test('a job that begins again loses its pages, and others keep theirs', () => {
  const pages = proven();
  pages.cut(0, 0, undefined);
  assert.equal(placesOf(pages), [[1, 0, 1]]);
});

test('a sink that has less cuts the pages after its last', () => {
  const pages = proven();
  pages.cut(0, 1, undefined);
  assert.equal(placesOf(pages), [
    [0, 0, 2],
    [1, 0, 1],
  ]);
});

test('a sink that has one more page brings its proof', () => {
  const pages = proven();
  pages.cut(0, 3, laneProof(pageOf(0, 3, 1)));
  assert.equal(placesOf(pages).slice(2), [
    [0, 1, 0],
    [0, 2, 3],
    [0, 3, 1],
  ]);
});

test('the version of the sink takes the place of that in the journal', () => {
  const pages = proven();
  pages.cut(0, 2, laneProof(pageOf(0, 2, 9)));
  assert.equal(placesOf(pages).slice(2), [
    [0, 1, 0],
    [0, 2, 9],
  ]);
});

test('restored, they have the names of their jobs', () => {
  const pages = createProvenPages();
  pages.restore(proven().all().slice(0, 2));
  assert.equal(provenByName(pages.all(), ['users']), [
    { job: 'users', index: 0, items: 2, bytes: 2, walk: '0' },
    { job: '', index: 0, items: 1, bytes: 1, walk: '1' },
  ]);
});

test.run();
