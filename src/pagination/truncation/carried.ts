/** Describes how a walk went from page to page, for messages: by a parameter and its value, or by a link. */
import { type Exact, stringifyExact } from '../../core/json/exact.js';
import type { PageRequest } from '../../core/model/request.js';
import { sentValue, shownParam } from '../param.js';
import type { Paginator } from '../types.js';

/** Without `name` the value is the address of a link; without `value` nothing is known. */
export interface Carried {
  readonly name?: string;
  readonly value?: string;
}

/**
 * Compares a request with the first one of its walk. The paginator names the parameter if it can; otherwise it is the
 * first that differs.
 */
export function carriedBy(request: PageRequest, first: PageRequest, { cursor }: Pick<Paginator, 'cursor'>): Carried {
  const named = cursor === undefined ? undefined : sentValue(request, cursor);
  if (cursor !== undefined && named !== undefined) return { name: shownParam(cursor), value: textOf(named) };
  if (request.endpoint !== first.endpoint) return { value: request.endpoint };
  const changed = [...request.params].find(([name, value]) => !isSame(value, first.params.get(name)));
  return changed === undefined ? {} : { name: changed[0], value: textOf(changed[1]) };
}

const textOf = (value: Exact): string => (typeof value === 'string' ? value : stringifyExact(value));

const isSame = (value: Exact, other: Exact | undefined): boolean =>
  other !== undefined && stringifyExact(value) === stringifyExact(other);
