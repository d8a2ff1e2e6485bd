/** What a page has reached of the value that its job remembers: by its items, its response or its headers. */
import type { StoredReached } from '../../checkpoint/records.js';
import { ExtractError } from '../../core/errors/errors.js';
import { isNumber } from '../../core/json/exact.js';
import type { CapturePath } from '../../core/model/page.js';
import { type Reached, storedText } from '../../incremental/reached.js';
import type { PageResult } from '../../page/page-result.js';
import { capturedAt, capturePath } from '../../pagination/capture.js';
import type { WalkIncrement } from '../incremental-run.js';
import type { WalkContext } from './page-context.js';
import { countIn } from './unchanged-page.js';

/** The path of a value in each response. */
export function capturesOfValue(increment: WalkIncrement | undefined): readonly CapturePath[] {
  const { source } = increment?.config ?? {};
  return source?.kind === 'response' ? [capturePath(source.segments)] : [];
}

/** The header with the value. */
export function headersOfValue(increment: WalkIncrement | undefined): readonly string[] {
  const { source } = increment?.config ?? {};
  return source?.kind === 'header' ? [source.text] : [];
}

interface PageEnding {
  readonly index: number;
  /** The walk ends with the page. */
  readonly isOver: boolean;
  /** A limit ends it, so items may be missing. */
  readonly isLimited: boolean;
}

/** Undefined: the job remembers nothing. Throws ERR_INCREMENTAL if there is no such value. */
export function reachedBy(
  { increment, job }: Pick<WalkContext, 'increment' | 'job'>,
  read: PageResult,
  { index, isOver, isLimited }: PageEnding,
): StoredReached | undefined {
  if (increment === undefined) return undefined;
  const { by, config } = increment;
  const reached = read.followed === undefined ? valueOfResponse(increment, read) : read.followed.reached;
  const { source } = config;
  const hasItems = read.count + leftOut(read) > 0;
  if (read.followed !== undefined && hasItems && !read.followed.hasValue) {
    throw missing(`no item has a value at "${source.text}"`, read.followed.near, { job: job.name, page: index });
  }
  const isLost = source.kind !== 'path' && isOver && !isLimited && !read.isFailed && reached.value === undefined;
  if (isLost && index === 0) {
    const what = source.kind === 'header' ? `no header "${source.text}"` : `no value at "${source.text}"`;
    throw missing(`the response has ${what}`, undefined, { job: job.name, page: index });
  }
  return {
    ...reached,
    by,
    ...(isOver ? { isOver: true } : {}),
    ...(isLimited || read.isFailed ? { isCut: true } : {}),
  };
}

/** What a page has reached that was never read. Undefined: the job remembers nothing. */
export const reachedNothing = ({ increment }: Pick<WalkContext, 'increment'>): StoredReached | undefined =>
  increment === undefined ? undefined : { ...nothing, by: increment.by, isOver: true, isCut: true };

const nothing: Reached = { recent: [], known: 0, late: 0, beyond: 0 };

/** Items that an earlier run had: those with such values, and all of a page that has not changed. */
export const leftOut = ({ followed, revalidated }: Pick<PageResult, 'followed' | 'revalidated'>): number =>
  followed?.left ?? countIn(revalidated?.facts);

function valueOfResponse({ config: { source } }: WalkIncrement, read: PageResult): Reached {
  const found =
    source.kind === 'response' ? capturedAt(read, capturePath(source.segments)) : read.headers.get(source.text);
  const value = Array.isArray(found) ? found[0] : found;
  if (typeof value === 'string' && value !== '') return { ...nothing, value: storedText(value) };
  return isNumber(value) ? { ...nothing, value: storedText(value) } : nothing;
}

function missing(
  what: string,
  near: string | undefined,
  where: { readonly job: string; readonly page: number },
): ExtractError {
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return new ExtractError('ERR_INCREMENTAL', `${what} (\`incremental\`)${hint}`, where);
}
