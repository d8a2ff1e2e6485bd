/** Converts a page to its journal record, and a stored task back to a page task. */
import { asyncScheduler } from 'rxjs';
import { stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Job } from '../core/model/job.js';
import type { Receipt, WalkTotals } from '../core/model/page.js';
import type { Secrets } from '../core/model/secrets.js';
import type { PageTask } from '../page/page-task.js';
import type { Rows } from '../page/row-buffer.js';
import { assertNoRest } from './no-more.js';
import type { PageDraft, RowPlace, StoredTask } from './records.js';
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
  /** Returns what is known of the target of a request. */
  readonly leading: (endpoint: string) => Leading;
}

const noWalk: WalkTotals = { startedAt: 0, items: 0, volume: 0 };

interface DraftContext {
  readonly vault: SecretReferences;
  readonly numberOf: (job: string) => number;
  readonly mask: Secrets['mask'];
}

/** Makes the record of a page. `isWithheld`: it contains a secret that no later run can fill in. */
export function toPageDraft(page: PageSummary, { vault, numberOf, mask }: DraftContext): PageDraft {
  const { top, at, begun, receipt, fingerprint } = page;
  const { job, requests, retries, count, bytes, delivered, unfound, cached, stop, bounded, ...others } = receipt;
  const { dataType: _, index, next: __, ...left } = others; // the job has one, the next task the other
  assertNoRest(left);
  const next = page.next === undefined ? undefined : toStoredTask(page.next, page, vault);
  const rows = page.rows === undefined || page.rows.count === 0 ? undefined : (page.rows.kept?.() ?? 'withheld');
  const isWithheld = next === 'withheld' || rows === 'withheld';
  return {
    type: 'page',
    time: asyncScheduler.now(),
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

function toStoredTask(task: PageTask, { job, leading }: PageSummary, vault: SecretReferences): StoredTask | 'withheld' {
  const { request, index, previous = [], walked = noWalk, seen, ...others } = task;
  const { startedAt, items, volume, memo, ...more } = walked;
  assertNoRest({ ...others, ...more });
  const kept = serializeRequest(request, job, vault, leading(request.endpoint));
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

/** Restores a task, with the current values of the job. */
export function taskOf(stored: StoredTask, job: Job, vault: SecretReferences): PageTask {
  const { index, request, chain, startedAt, items, volume, memo, seen } = stored;
  return {
    request: deserializeRequest(request, job, vault),
    index,
    previous: chain.map((digest) => BigInt(`0x${digest}`)),
    walked: { startedAt, items, volume, ...(memo === undefined ? {} : { memo: vault.unseal(parseExact(memo)) }) },
    seen,
  };
}
