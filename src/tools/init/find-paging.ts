/** Finds how a list is paginated: a small page size first, then each method, then a page size for the configuration. */
import { type Exact, type ExactObject, emptyObject, fromPlain } from '../../core/json/exact.js';
import { byBodyMembers } from './body-paging.js';
import { type Evidence, findEvidence } from './evidence.js';
import { type ChosenSize, chooseSize, findSize, wholeSize } from './find-size.js';
import { offsetNames, pageNames } from './known-names.js';
import {
  byCursorHeader,
  byKeyset,
  byLinkHeader,
  byNextLink,
  byOffset,
  byOtherLinkHeader,
  byPage,
  byToken,
  type FoundMethod,
  isGraphQl,
} from './paging-methods.js';
import { ask, type Search, type SizeParameter, sizeParams } from './trials.js';

export interface FoundPaging {
  /** Absent: one request is all. */
  readonly pagination?: ExactObject;
  /** Parameters of the job. */
  readonly params: ExactObject;
  readonly certainty: 'proven' | 'likely' | 'none';
  /** What was found, in a few words. */
  readonly what: string;
  readonly size?: ChosenSize & Pick<SizeParameter, 'name'>;
}

/** A first page as JSON, of which `path` leads to the list. */
export interface FirstLook {
  readonly path: readonly string[];
  bodyOf(trial: Awaited<ReturnType<typeof ask>>): Exact | undefined;
}

/** Searches for the pagination. Each request is one of the prober, so their number is bounded. */
export async function findPaging(given: Search, look: FirstLook): Promise<FoundPaging> {
  const size = isGraphQl(given) ? undefined : await findSize(given);
  const search = size === undefined ? given : await withSmallPages({ ...given, size }, look);
  if (size !== undefined) given.say(`page size: yes, "${size.name}" changes the number of items`);
  else if (!isGraphQl(given)) given.say('page size: no known parameter changes the number of items');
  const method = await firstMethod(search);
  if (method === undefined) {
    const { evidence } = given;
    const { total: _, ...others } = evidence;
    return withoutPaging({ ...given, evidence: search.evidence.total === undefined ? others : evidence }, size);
  }
  if (size === undefined) return withEnd(given, found(method, method.params ?? emptyObject));
  const largest = await chooseSize(given, size);
  const chosen = { ...(await withoutMore(given, method, largest)), name: size.name };
  given.say(`page size: ${chosen.value} (${chosen.note})`);
  const sized = { ...found(sizedMethod(method, chosen), method.params ?? emptyObject), size: chosen };
  const isInside = method.pagination.has('limit');
  return isInside ? withEnd(given, sized) : { ...sized, params: new Map([[size.name, fromPlain(chosen.value)]]) };
}

/** Statuses that mean that a page is not there. */
const absentPage = [404, 410, 416];
/** Some APIs call it a wrong request; so do others if a page is too far away for them, but not right after the last. */
const wrongPage = [400, 422];
/** No API has as many pages. */
const farPage = 100_000;

/** Requests a page past the end: where that is an error, the configuration lists its status. */
async function withEnd(search: Search, paging: FoundPaging): Promise<FoundPaging> {
  const { pagination = emptyObject, params } = paging;
  const figure = (name: string, usual: number) => Number(String(pagination.get(name) ?? usual));
  const [pageParam, offsetParam] = [pagination.get('pageParam'), pagination.get('offsetParam')];
  const name = pageParam ?? offsetParam;
  if (typeof name !== 'string' || search.prober.isExhausted()) return paging;
  const { total } = search.evidence;
  const limit = figure('limit', search.ids.length);
  const pages = total === undefined ? farPage : Math.ceil(total.value / limit);
  const first = pageParam === undefined ? Number(params.has(name)) : figure('firstPage', 1);
  const limitParam = pagination.get('limitParam');
  const sized: readonly (readonly [string, Exact])[] =
    typeof limitParam === 'string' ? [[limitParam, fromPlain(limit)]] : [];
  const beyond = first + pages * (pageParam === undefined ? limit : 1);
  const { last, failure } = await ask(search, { params: new Map([...sized, [name, fromPlain(beyond)]]) });
  const { status = 0 } = failure === undefined ? {} : (last ?? {});
  if (!absentPage.includes(status) && !(total !== undefined && wrongPage.includes(status))) return paging;
  search.say(`past the last page: status ${status}, which ends the job (endStatuses)`);
  return { ...paging, pagination: new Map([...pagination, ['endStatuses', fromPlain([status])]]) };
}

/** A short page ends a job, so a size above what the API gave needs a list that ends there. */
async function withoutMore(search: Search, method: FoundMethod, chosen: ChosenSize): Promise<ChosenSize> {
  const { given } = chosen;
  if (given === undefined || !method.pagination.has('limit')) return chosen;
  const { pagination } = sizedMethod(method, { ...chosen, value: given });
  const { pages } = await ask(search, { pagination, params: method.params ?? emptyObject }, 2);
  if ((pages[1]?.items.length ?? 0) === 0) return chosen;
  return { value: given, isVerified: true, note: `no page has more than ${given}, the maximum` };
}

const found = (method: FoundMethod, params: ExactObject): FoundPaging => ({
  pagination: method.pagination,
  params,
  certainty: method.certainty,
  what: method.what,
});

const sizedMethod = (method: FoundMethod, { value }: ChosenSize): FoundMethod =>
  method.pagination.has('limit')
    ? { ...method, pagination: new Map([...method.pagination, ['limit', fromPlain(value)]]) }
    : method;

/** A page that is shorter than the list says how it continues, also where the whole list is one page otherwise. */
async function withSmallPages(search: Search, { path, bodyOf }: FirstLook): Promise<Search> {
  const trial = await ask(search, { params: sizeParams(search) });
  const [page] = trial.pages;
  const body = bodyOf(trial);
  if (page === undefined || body === undefined) return search;
  const { total: ofPage, ...others } = findEvidence(page.answer, body, path, page.items.length);
  const { total: ofFirst } = search.evidence;
  const isOfPage = ofFirst?.value === search.ids.length && ofPage?.value === page.items.length;
  const total = isOfPage && ofFirst.value !== ofPage.value ? undefined : (ofFirst ?? ofPage);
  return { ...search, evidence: total === undefined ? others : { ...others, total } };
}

/** What the answer names first; then page numbers, offsets and keys in the order that its figures suggest. */
async function firstMethod(search: Search): Promise<FoundMethod | undefined> {
  const { more, figures, cursorHeader } = search.evidence;
  const names = figures.map(({ name }) => name);
  const hasPage = names.some((name) => pageNames.includes(name)) || search.hints.page !== undefined;
  const hasOffset = names.some((name) => offsetNames.includes(name)) || search.hints.offset !== undefined;
  const byFigures = hasOffset && !hasPage ? [byOffset, byPage, byKeyset] : [byPage, byOffset, byKeyset];
  const blind = more !== undefined && !hasPage && !hasOffset ? [byKeyset, byPage, byOffset] : byFigures;
  const isPageNumber = /page$/i.test(cursorHeader?.name ?? '') && /^\d+$/.test(String(cursorHeader?.value ?? ''));
  const others = isPageNumber ? [...blind, byCursorHeader] : [byCursorHeader, ...blind];
  const methods = isGraphQl(search)
    ? [byToken]
    : [byLinkHeader, byOtherLinkHeader, byNextLink, byBodyMembers, byToken, ...others];
  for (const method of methods) {
    if (search.prober.isExhausted()) break;
    if (search.ids.length < 2 && blind.includes(method as typeof byPage)) continue;
    const proven = await method(search);
    if (proven !== undefined) return proven;
  }
  if (search.prober.isExhausted()) search.say('no request is left: --max-requests N allows more');
  return undefined;
}

/** One request then; with a size that the API knows, a large one. */
async function withoutPaging(search: Search, size: SizeParameter | undefined): Promise<FoundPaging> {
  const { total, isLast } = search.evidence;
  const count = search.ids.length;
  const isWhole = isLast || total?.value === count;
  const more = announced(search.evidence);
  const none = more === undefined ? 'none found' : `none found, although ${more} announces more items`;
  const what = isWhole ? 'none, the API says that these are all items' : none;
  if (size === undefined || isWhole) return { params: emptyObject, certainty: 'none', what };
  const chosen = { ...(await wholeSize(search, size)), name: size.name };
  search.say(`page size: ${chosen.value} (${chosen.note})`);
  const full = `none found, although a page of ${chosen.value} items is full, which announces more items`;
  const reason = chosen.isFull === true && more === undefined ? full : what;
  return { params: new Map([[size.name, fromPlain(chosen.value)]]), certainty: 'none', what: reason, size: chosen };
}

/** What says that there is a next page. */
function announced({ header, links, tokens, more, cursorHeader, linkHeader }: Evidence): string | undefined {
  if (header !== undefined) return 'the header Link';
  const path = (links[0] ?? tokens[0])?.path ?? more;
  if (path !== undefined) return `"${path.join('.')}"`;
  const name = (linkHeader ?? cursorHeader)?.name;
  return name === undefined ? undefined : `the header ${name}`;
}
