/** Pagination by members of objects in the body of a POST: `{"page": {"offset": 0, "limit": 10}}`. */
import { type Exact, type ExactObject, fromPlain, isNumber, isObject } from '../../core/json/exact.js';
import { hasRole, type PagingRole } from './known-names.js';
import { type FoundMethod, firstProven } from './paging-methods.js';
import type { PagingCandidate, Search } from './trials.js';

/** A member of the body, below its top level. */
interface BodyMember {
  readonly path: readonly string[];
  readonly value: Exact;
}

/** Tries the members whose names have a role. Undefined: the request is a GET, or has no such member. */
export function byBodyMembers(search: Search): Promise<FoundMethod | undefined> | undefined {
  const { draft, size } = search;
  if (draft.method !== 'POST' || size !== undefined) return undefined;
  const members = membersOf(draft.params, []).filter(({ path }) => path.length > 1);
  const counting = [...pagesBy(search, members), ...offsetsBy(search, members)];
  return firstProven(search, [...cursorsBy(search, members), ...counting], true);
}

function membersOf(value: ExactObject, path: readonly string[]): readonly BodyMember[] {
  return [...value].flatMap(([name, member]) =>
    isObject(member) ? membersOf(member, [...path, name]) : [{ path: [...path, name], value: member }],
  );
}

const withRole = (members: readonly BodyMember[], role: PagingRole): readonly BodyMember[] =>
  members.filter(({ path }) => hasRole(path.at(-1) ?? '', role));

const isFigure = ({ value }: BodyMember): boolean =>
  isNumber(value) || (typeof value === 'string' && /^\d{1,9}$/.test(value));

/** The page size that the request states, if the API has given as many items. */
const sizeIn = ({ ids }: Search, members: readonly BodyMember[]): BodyMember | undefined =>
  withRole(members, 'limit').find(({ value }) => String(value) === String(ids.length));

const candidate = (pagination: object, what: string): PagingCandidate => ({
  pagination: fromPlain(pagination) as ExactObject,
  what, // of an object
});

function pagesBy(search: Search, members: readonly BodyMember[]): readonly PagingCandidate[] {
  const size = sizeIn(search, members);
  const sizing = size === undefined ? {} : { limitParam: size.path, limit: search.ids.length };
  return withRole(members, 'page')
    .filter(isFigure)
    .map(({ path, value }) => {
      const first = String(value) === '0' ? { firstPage: 0 } : {};
      return candidate({ method: 'pagenum', pageParam: path, ...first, ...sizing }, `pages in "${path.join('.')}"`);
    });
}

function offsetsBy(search: Search, members: readonly BodyMember[]): readonly PagingCandidate[] {
  const size = sizeIn(search, members);
  if (size === undefined) return [];
  return withRole(members, 'offset')
    .filter(isFigure)
    .map(({ path }) => {
      const sizing = { limitParam: size.path, limit: search.ids.length };
      return candidate({ method: 'offset', offsetParam: path, ...sizing }, `offsets in "${path.join('.')}"`);
    });
}

function cursorsBy({ evidence }: Search, members: readonly BodyMember[]): readonly PagingCandidate[] {
  const [token] = evidence.tokens;
  if (token === undefined) return [];
  const responseParam = token.path.join('.');
  return withRole(members, 'cursor').map(({ path }) =>
    candidate(
      { method: 'response.param', responseParam, queryParam: path, includeParams: true },
      `the value at "${responseParam}", sent as "${path.join('.')}"`,
    ),
  );
}
