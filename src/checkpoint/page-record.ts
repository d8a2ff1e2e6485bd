/** Converts a page to its journal record, and a stored task back to a page task. */
import { asyncScheduler } from 'rxjs';
import { type Exact, type ExactObject, stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Job } from '../core/model/job.js';
import type { Receipt, WalkTotals } from '../core/model/page.js';
import type { Secrets } from '../core/model/secrets.js';
import { defined } from '../core/util/defined.js';
import type { PageTask } from '../page/page-task.js';
import type { Rows } from '../page/row-buffer.js';
import { mustStoreAll } from './no-more.js';
import type {
  OutputPosition,
  PageDraft,
  PageRecord,
  PageStats,
  RowPlace,
  StoredFacts,
  StoredReached,
  StoredReport,
  StoredTask,
  StoredWalkAgain,
} from './records.js';
import { deserializeRequest, type Leading, serializeRequest } from './request-codec.js';
import type { SecretReferences } from './secret-refs.js';

/** What a walk knows of a page that it has read. */
export interface PageSummary {
  /** The top-level job, and the path from there. */
  readonly top: string;
  readonly at: readonly RowPlace[];
  /** As evaluated at `begun`, in epoch ms. */
  readonly job: Job;
  readonly begun: number;
  readonly receipt: Receipt;
  readonly fingerprint: bigint;
  readonly next?: PageTask | undefined;
  readonly rows?: Rows | undefined;
  /** How many child jobs may be walked by other processes; absent: all are walked by this one. */
  readonly children?: number | undefined;
  readonly reached?: StoredReached | undefined;
  /** How the next run can ask whether the page has changed. */
  readonly validated?: { readonly key: string; readonly facts: ExactObject } | undefined;
  /** No page, but the report of the walk. */
  readonly report?: { readonly values: Exact; readonly isFetched: boolean } | undefined;
  /** Its request failed and was left out: the task, and what identifies its walk. */
  readonly failed?: { readonly task: PageTask; readonly walk: Exact } | undefined;
  /** Returns what is known of the target of a request. */
  readonly leading: (endpoint: string) => Leading;
}

const noWalk: WalkTotals = { startedAt: 0, items: 0, volume: 0 };

interface DraftContext {
  readonly references: SecretReferences;
  /** Without the secrets of the job. */
  readonly shared: SecretReferences;
  readonly numberOf: (job: string) => number;
  readonly mask: Secrets['mask'];
}

// `dataType` is that of the job, and `next` has a task of its own.
mustStoreAll<Receipt>({
  job: true,
  dataType: true,
  index: true,
  count: true,
  bytes: true,
  delivered: true,
  unfound: true,
  failed: true,
  skipped: true,
  requests: true,
  retries: true,
  cached: true,
  unchanged: true,
  proof: true,
  next: true,
  stop: true,
  bounded: true,
});

/**
 * Makes the record of a page. `isWithheld`: it contains a secret that no later run can fill in. One literal for most
 * records: a spread that adds members is slow.
 */
export function toPageDraft(page: PageSummary, context: DraftContext): PageDraft {
  const { references, numberOf, mask } = context;
  const { top, at, begun, receipt, fingerprint, reached } = page;
  const next = page.next === undefined ? undefined : toStoredTask(page.next, page, references);
  const rows = page.rows === undefined || page.rows.count === 0 ? undefined : (page.rows.kept?.() ?? 'withheld');
  const took = statsOf(receipt, numberOf(receipt.job), mask);
  const [time, job, print] = [asyncScheduler.now(), numberOf(top), fingerprint.toString(16)];
  const draft = { type: 'page' as const, time, job, at, begun, page: receipt.index, print, took };
  if (page.validated !== undefined) {
    const { validated, ...plain } = page;
    return { ...toPageDraft(plain, context), ...defined({ validated: storedPage(validated, references) }) };
  }
  if (page.report !== undefined) return { ...draft, ...reportOf(page.report, context.shared) };
  if (page.failed !== undefined)
    return { ...draft, ...defined({ reached, again: againOf(page, page.failed, context) }) };
  if (next === undefined && rows === undefined && reached === undefined) return draft;
  if (next !== undefined && next !== 'withheld' && rows === undefined && reached === undefined) {
    return { type: 'page', time, job, at, begun, page: receipt.index, print, took, next };
  }
  return {
    ...draft,
    ...(next === undefined || next === 'withheld' ? {} : { next }),
    ...(rows === undefined || rows === 'withheld' ? {} : { rows }),
    ...(reached === undefined ? {} : { reached }),
    ...(next === 'withheld' || rows === 'withheld' ? { isWithheld: true } : {}),
  };
}

function reportOf(
  { values, isFetched }: NonNullable<PageSummary['report']>,
  references: SecretReferences,
): { readonly report: StoredReport } | { readonly isWithheld: true } {
  const sealed = references.seal(values);
  if (sealed === undefined) return { isWithheld: true };
  return { report: { values: stringifyExact(sealed), ...(isFetched ? { isFetched } : {}) } };
}

/** Of a longer page nothing is stored: the next run requests it whole. */
const longestFacts = 4096;

/** Undefined: it contains a secret that no later run can fill in, or is too long. */
function storedPage(
  { key, facts }: NonNullable<PageSummary['validated']>,
  references: SecretReferences,
): StoredFacts | undefined {
  const sealed = references.seal(facts);
  const text = sealed === undefined ? undefined : stringifyExact(sealed);
  return text === undefined || text.length > longestFacts ? undefined : [key, text];
}

/** Undefined: it contains a secret that no later run can fill in. */
function againOf(
  page: PageSummary,
  { task, walk }: NonNullable<PageSummary['failed']>,
  { references, shared }: DraftContext,
): StoredWalkAgain | undefined {
  const next = toStoredTask(task, page, references);
  const sealed = shared.seal(walk);
  if (next === 'withheld' || sealed === undefined) return undefined;
  return { walk: stringifyExact(sealed), begun: page.begun, next };
}

/** The record of a page that has items. Most records have one shape. */
export function withOutputs(draft: PageDraft, outputs: readonly OutputPosition[]): PageRecord {
  const { time, job, at, begun, page, print, took, next, rows, reached, validated, isWithheld } = draft;
  const isPlain = rows === undefined && reached === undefined && validated === undefined;
  const isUnusual = !isPlain || isWithheld !== undefined;
  if (next === undefined || isUnusual) return { ...draft, outputs };
  return { type: 'page', time, job, at, begun, page, print, took, next, outputs };
}

function statsOf(receipt: Receipt, job: number, mask: Secrets['mask']): PageStats {
  const { requests, retries, count, bytes, delivered, unfound, failed, skipped, cached, unchanged, stop, bounded } =
    receipt;
  const { proof } = receipt;
  const took = { job, requests, retries, count, bytes, delivered };
  const isPlain = unfound === undefined && failed === undefined && cached === undefined && unchanged === undefined;
  if (isPlain && bounded === undefined && skipped === undefined && proof === undefined) {
    return stop === undefined ? took : { job, requests, retries, count, bytes, delivered, stop: mask(stop) };
  }
  return {
    ...took,
    ...defined({ unfound, failed, skipped, cached, unchanged, bounded, proof }),
    ...(stop === undefined ? {} : { stop: mask(stop) }),
  };
}

mustStoreAll<PageTask>({ request: true, index: true, previous: true, walked: true, seen: true });
mustStoreAll<WalkTotals>({ startedAt: true, items: true, volume: true, memo: true });

function toStoredTask(
  task: PageTask,
  { job, leading }: PageSummary,
  references: SecretReferences,
): StoredTask | 'withheld' {
  const { request, index, previous = [], walked = noWalk, seen } = task;
  const { startedAt, items, volume, memo } = walked;
  const kept = serializeRequest(request, job, references, leading(request.endpoint));
  const sealed = memo === undefined ? undefined : references.seal(memo);
  if (kept === undefined || (memo !== undefined && sealed === undefined)) return 'withheld';
  const chain = previous.map(inHex);
  if (sealed === undefined && seen !== undefined) {
    return { index, request: kept, chain, startedAt, items, volume, seen };
  }
  return {
    index,
    request: kept,
    chain,
    startedAt,
    items,
    volume,
    ...(sealed === undefined ? {} : { memo: stringifyExact(sealed) }),
    ...(seen === undefined ? {} : { seen }),
  };
}

const inHex = (digest: bigint): string => digest.toString(16);

/** Restores a task, with the current values of the job. */
export function taskOf(stored: StoredTask, job: Job, references: SecretReferences): PageTask {
  const { index, request, chain, startedAt, items, volume, memo, seen } = stored;
  return {
    request: deserializeRequest(request, job, references),
    index,
    // There is no page before the first one, which failed.
    previous: index === 0 ? undefined : chain.map((digest) => BigInt(`0x${digest}`)),
    walked: { startedAt, items, volume, ...(memo === undefined ? {} : { memo: references.unseal(parseExact(memo)) }) },
    seen,
  };
}
