/** What a certificate says of a page: its digest, what was asked, what the API states, and how the walk has ended. */
import type { PageProof, StatedTotal } from '../../core/model/page.js';
import { defined } from '../../core/util/defined.js';
import type { PageResult } from '../../page/page-result.js';
import type { DeclaredTotal } from '../../pagination/truncation/declared-total.js';
import { hasTotal } from '../../pagination/truncation/truncation-warnings.js';
import type { WalkEvidence } from '../../pagination/truncation/walk-evidence.js';
import type { Stop } from '../../pagination/types.js';
import type { WalkContext } from './page-context.js';
import type { StartedTask } from './stream-page.js';

/** A page that is complete. */
export interface CompletePage {
  readonly task: Pick<StartedTask, 'index' | 'request'>;
  readonly read: Pick<PageResult, 'sha256' | 'isPastEnd'>;
  readonly seen: WalkEvidence | undefined;
  /** Of the walk so far. */
  readonly items: number;
  /** Undefined: another page follows, unless a limit has ended the walk. */
  readonly stop: Stop | undefined;
  /** The limit of the run that has ended the walk. */
  readonly bound: string | undefined;
}

/** Undefined: the run is not certified. */
export function provePage(walk: WalkContext, page: CompletePage): PageProof | undefined {
  if (walk.context.proofs === undefined) return undefined;
  const { task, read, stop, bound } = page;
  const isFirst = task.index === 0;
  const isLast = stop !== undefined || bound !== undefined;
  return {
    walk: walk.walk,
    ...defined({
      sha256: read.sha256,
      asked: isFirst ? walk.client.describe(task.request) : undefined,
      total: isFirst || isLast ? totalOf(walk, page) : undefined,
      end: endOf(walk, page),
    }),
  };
}

/** The proof of a request that failed and was left out. */
export function proveLeftOut(
  walk: WalkContext,
  task: Pick<StartedTask, 'index' | 'request'>,
  reason: string,
): PageProof | undefined {
  const stop: Stop = { stop: reason, by: 'failed request' };
  const read = { sha256: undefined, isPastEnd: false };
  return provePage(walk, { task, read, seen: undefined, items: 0, stop, bound: undefined });
}

function endOf({ context }: WalkContext, { read, stop, bound }: CompletePage): PageProof['end'] {
  if (bound !== undefined) return { by: 'limit of the run', reason: bound };
  if (stop === undefined) return undefined;
  return { by: read.isPastEnd ? 'status past the end' : stop.by, reason: context.secrets.mask(stop.stop) };
}

function totalOf({ paginator }: WalkContext, { seen, items, stop, bound }: CompletePage): StatedTotal | undefined {
  const declared = seen?.declared;
  if (seen === undefined || declared === undefined) return undefined;
  const { first, latest, isLeast } = declared;
  const stated = {
    items: latest,
    at: placeOf(declared),
    ...defined({ first: first === latest ? undefined : first, isLeast }),
  };
  const isOwnEnd = stop !== undefined && stop.isWanted !== true && bound === undefined;
  if (!isOwnEnd) return stated;
  if (declared.trust === 'likely') return undefined; // its name could mean something else
  return { ...stated, agrees: hasTotal(declared, { seen, items, isSingle: paginator.single === true }) };
}

const placeOf = ({ place }: DeclaredTotal): string =>
  'header' in place ? `header ${place.header}` : place.segments.join('.');
