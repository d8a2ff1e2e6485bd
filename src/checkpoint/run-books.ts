/**
 * The books as the walks of a run see them: jobs by their names, requests as they are; what is written down is made of
 * these here.
 */

import { type Exact, stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Job } from '../core/model/job.js';
import type { Receipt, WalkTotals } from '../core/model/page.js';
import type { Secrets } from '../core/model/secrets.js';
import type { PageTask } from '../page/page-task.js';
import { type Rows, type RowsCopy, storedRows } from '../page/row-buffer.js';
import type { Books } from './books.js';
import type { Entry, PageNews } from './entries.js';
import { keepRequest, keptRequest, type Leading } from './kept-request.js';
import { secretsOfJob } from './named-secrets.js';
import { noMore } from './no-more.js';
import type { KeptVisit, RowPlace } from './records.js';
import { createRowsCopy, type RowsKeeper, rowsOfCopy } from './rows-copy.js';
import type { Vault } from './vault.js';
import type { Walk } from './walks.js';

/** A page that was taken, as its walk knows it. */
export interface PageTold {
  /** The top-level job, and the way from there. */
  readonly top: string;
  readonly at: readonly RowPlace[];
  /** As it was evaluated, at `begun`. */
  readonly job: Job;
  readonly begun: number;
  readonly receipt: Receipt;
  readonly fingerprint: bigint;
  readonly next?: PageTask | undefined;
  readonly rows?: Rows | undefined;
  /** What is known of where a request leads. */
  readonly leading: (endpoint: string) => Leading;
}

/** What the sinks said of a data type, in their order. */
export interface Committed {
  readonly dataType: string;
  // biome-ignore lint/suspicious/noConfusingVoidType: what a commit returns.
  readonly checkpoints: readonly (Exact | void)[];
}

export interface RunBooks extends Pick<Books, 'entry'> {
  /** What was told of the page will be written down behind what was entered before. */
  tell(entry: Entry, page: PageTold): void;
  /** The page has reached the sinks, and they said where they stand. Undefined: it had no items. */
  enter(entry: Entry, committed: Committed | undefined): void;
  /** A top-level job is over. */
  over(job: string): void;
  /** Where an earlier run has left a top-level job. */
  walkOf(job: string): Walk | 'over' | undefined;
  /** The next page of a walk of an earlier run. */
  visitOf(walk: Pick<Walk, 'next'>, job: Job): PageTask | undefined;
  /** The rows that it was going through. */
  rowsOf(walk: Pick<Walk, 'rows'>, paths: readonly string[]): Rows | undefined;
  /** Makes the copy of the rows of a page. */
  readonly createCopy: () => RowsCopy;
}

export interface RunBooksNeeds {
  readonly books: Books;
  readonly keeper: RowsKeeper;
  readonly secrets: Pick<Secrets, 'isSecret' | 'mask'>;
  /** Of all jobs, children too. */
  readonly jobNames: readonly string[];
  /** Of an output, by the name that its sink is told. */
  readonly outputNumber: (dataType: string) => number;
}

/** Opens the books for walks. */
export function createRunBooks({ books, keeper, secrets, jobNames, outputNumber }: RunBooksNeeds): RunBooks {
  const { vault } = keeper;
  const numberOf = (job: string) => jobNames.indexOf(job);
  const vaultOf = (job: Job) => vault.with(secretsOfJob(job, secrets));

  return {
    entry: books.entry,
    createCopy: () => createRowsCopy(keeper),
    tell: (entry, page) => entry.fill(newsOf(page, { vault: vaultOf(page.job), numberOf, mask: secrets.mask })),
    enter(entry, committed) {
      const number = committed === undefined ? 0 : outputNumber(committed.dataType);
      const outputs = (committed?.checkpoints ?? []).flatMap((checkpoint, sink) =>
        checkpoint === undefined ? [] : [[sink, number, stringifyExact(checkpoint)] as const],
      );
      books.enter(entry, outputs);
    },
    over: (job) => books.over(numberOf(job)),
    // What is being published was told to be all there is: also a job that a bound of time has kept from beginning.
    walkOf: (job) => (books.position.phase === 'writing' ? books.position.walkOf(numberOf(job)) : 'over'),
    visitOf: ({ next }, job) => (next === undefined ? undefined : visitOf(next, job, vaultOf(job))),
    rowsOf: ({ rows }, paths) =>
      rows === undefined ? undefined : storedRows(rows, () => rowsOfCopy(keeper, rows), paths),
  };
}

const noWalk: WalkTotals = { startedAt: 0, items: 0, volume: 0 };

interface NewsNeeds {
  readonly vault: Vault;
  readonly numberOf: (job: string) => number;
  readonly mask: Secrets['mask'];
}

function newsOf(page: PageTold, { vault, numberOf, mask }: NewsNeeds): PageNews {
  const { top, at, begun, receipt, fingerprint } = page;
  const { job, requests, retries, count, bytes, delivered, unfound, cached, stop, bounded, ...others } = receipt;
  const { dataType: _, index, next: __, ...left } = others; // the job has them, or the visit that follows
  noMore(left);
  const next = page.next === undefined ? undefined : keptVisit(page.next, page, vault);
  const rows = page.rows === undefined || page.rows.count === 0 ? undefined : (page.rows.kept?.() ?? 'withheld');
  const isWithheld = next === 'withheld' || rows === 'withheld';
  return {
    is: 'page',
    job: numberOf(top),
    at,
    begun,
    page: index,
    print: fingerprint.toString(16),
    took: {
      job: numberOf(job),
      ...{ requests, retries, count, bytes, delivered },
      ...(unfound === undefined ? {} : { unfound }),
      ...(cached === undefined ? {} : { cached }),
      ...(stop === undefined ? {} : { stop: mask(stop) }),
      ...(bounded === undefined ? {} : { bounded }),
    },
    ...(next === undefined || next === 'withheld' ? {} : { next }),
    ...(rows === undefined || rows === 'withheld' ? {} : { rows }),
    ...(isWithheld ? { isWithheld } : {}),
  };
}

function keptVisit(visit: PageTask, { job, leading }: PageTold, vault: Vault): KeptVisit | 'withheld' {
  const { request, index, previous = [], walked = noWalk, seen, ...others } = visit;
  const { startedAt, items, volume, memo, ...more } = walked;
  noMore({ ...others, ...more });
  const kept = keepRequest(request, job, vault, leading(request.endpoint));
  const sealed = vault.seal(memo ?? null);
  if (kept === undefined || sealed === undefined) return 'withheld';
  return {
    index,
    request: kept,
    chain: previous.map((digest) => digest.toString(16)),
    ...{ startedAt, items, volume },
    ...(memo === undefined ? {} : { memo: stringifyExact(sealed) }),
    ...(seen === undefined ? {} : { seen }),
  };
}

function visitOf(kept: KeptVisit, job: Job, vault: Vault): PageTask {
  const { index, request, chain, startedAt, items, volume, memo, seen } = kept;
  return {
    request: keptRequest(request, job, vault),
    index,
    previous: chain.map((digest) => BigInt(`0x${digest}`)),
    walked: { startedAt, items, volume, ...(memo === undefined ? {} : { memo: vault.unseal(parseExact(memo)) }) },
    seen,
  };
}
