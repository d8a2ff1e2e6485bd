/** Finds out whether a first response with a successful status says that it failed, as a run would. */
import { type Exact, type ExactObject, isArray, isObject } from '../../core/json/exact.js';
import type { Captured, CapturePath } from '../../core/model/page.js';
import { errorIn, errorPaths } from '../../page/error-in-body.js';
import { findLists } from './find-lists.js';

/** What it says, for people; undefined: it has items, or states no error. */
export function statedError(body: ExactObject): string | undefined {
  const received = Math.max(0, ...findLists(body).map(({ kind, items }) => (kind === 'objects' ? items.length : 0)));
  if (received > 0) return undefined;
  const envelope = new Map(errorPaths.map((path) => [path.text, capturedAt(body, path)] as const));
  const error = errorIn({ envelope, received }, { kind: 'auto' });
  if (error === undefined) return undefined;
  const detail = error.detail === undefined ? '' : `: ${error.detail.slice(0, 200)}`;
  return `the response says that it failed, by its member "${error.member}"${detail}`;
}

function capturedAt(body: ExactObject, { segments }: CapturePath): Captured {
  let value: Exact | undefined = body;
  for (const segment of segments) {
    const beside = isObject(value) ? [...value.keys()] : [];
    const next: Exact | undefined = isArray(value)
      ? value[Number(segment)]
      : isObject(value)
        ? value.get(segment)
        : undefined;
    if (next === undefined) return { value: undefined, beside, depth: 0 };
    value = next;
  }
  return { value, beside: [] };
}
