/** The first request: reads the response, and finds the list in it. */
import { type Exact, type ExactObject, emptyObject, fromPlain, isNumber, isObject } from '../../core/json/exact.js';
import { parseIfJson } from '../../core/json/exact-parse.js';
import { configOf, type Draft } from './draft.js';
import { formatOf, withElement } from './find-format.js';
import { delimiterFor, type FoundList, findLists, pathText } from './find-lists.js';
import type { PagingHints } from './found-request.js';
import { describeLook, initError, isHtml } from './init-error.js';
import { limitNames, offsetNames, pageNames } from './known-names.js';
import type { Probe, Prober } from './prober.js';
import { statedError } from './stated-error.js';

/** A first page as JSON. */
export interface Look {
  readonly draft: Draft;
  /** The request for the items of a report, in which pages are looked for; absent: links, or that of the draft. */
  readonly items?: Draft;
  readonly hints: PagingHints;
  readonly trial: Probe;
  readonly body: Exact;
  /** The lists of objects, or the only other list, or an object of objects. The likeliest first. */
  readonly lists: readonly [FoundList, ...FoundList[]];
  /** Parameters of the request that are left out, since they belong to the pagination. */
  readonly dropped: readonly string[];
}

/** Reads the items of a report that the request has created; undefined: it has created none. */
export type ReadReport = (trial: Probe, draft: Draft) => Promise<Look | undefined>;

/**
 * Requests the first page: without the paging parameters of the request, unless the API rejects that. Throws ERR_INIT
 * for a response without items.
 */
export async function lookAt(
  prober: Prober,
  given: Draft,
  hints: PagingHints,
  asReport: ReadReport = async () => undefined,
): Promise<Look> {
  const { draft, dropped, found } = withoutPaging(given);
  const whole = (each: Draft) => prober.run(configOf(each, { dataField: '.' }));
  const first = await whole(draft);
  const isKept = dropped.length > 0 && first.failure !== undefined;
  const trial = isKept ? await whole(given) : first;
  const kept = isKept ? given : draft;
  const rest = { hints: { ...found, ...hints }, dropped: isKept ? [] : dropped };
  const report = await asReport(trial, kept);
  if (report !== undefined) return report;
  const response = responseOf(trial);
  if (response !== undefined) return { ...(await lookAtFile(prober, { ...kept, response })), ...rest };
  const body = trial.failure === undefined ? bodyOf(trial) : undefined;
  if (body === undefined) throw describeLook(trial, Object.keys(given.env).length > 0);
  const failed = isObject(body) ? statedError(body) : undefined;
  if (failed !== undefined) throw initError(failed);
  if (isObject(body) && body.has('paths') && (body.has('openapi') || body.has('swagger'))) {
    throw initError(
      'this is an OpenAPI document: name one of its operations with --operation, or save it and give the file to `rxtract init`',
    );
  }
  const lists = listsOf(body);
  return { draft: kept, trial, body, lists, ...rest };
}

/** How a response is read that is neither JSON nor a page for people. Undefined: as JSON. */
function responseOf({ last }: Probe): ExactObject | undefined {
  if (last === undefined || last.status >= 400 || isHtml(last) || isJsonText(last.body)) return undefined;
  return formatOf(last);
}

/** Whether a body begins as JSON does; lines of JSON too. */
const isJsonText = (body: Uint8Array): boolean =>
  /^\uFEFF?\s*(?:[[{"\d-]|true|false|null)/.test(Buffer.from(body.subarray(0, 100)).toString()) &&
  parseIfJson(Buffer.from(body).toString().split('\n', 1)[0] ?? '') !== undefined;

/** Reads the items of a file, by the same response. */
async function lookAtFile(prober: Prober, draft: Draft): Promise<Pick<Look, 'draft' | 'trial' | 'body' | 'lists'>> {
  const given = draft.response ?? emptyObject;
  const first = await prober.run(configOf(draft, {}));
  if (first.failure !== undefined) throw first.failure;
  const isXml = given.get('format') === 'xml';
  const found = isXml ? { ...draft, response: withElement(given, first) } : draft;
  const trial = isXml ? await prober.run(configOf(found, {})) : first;
  const items = trial.pages[0]?.items ?? [];
  return { draft: found, trial, body: items, lists: listsOf(items) };
}

/** The JSON of the only page. Lines of JSON are the list of their values. Undefined: there is no page. */
export function bodyOf({ pages: [page] }: Probe): Exact | undefined {
  if (page === undefined) return undefined;
  return parseIfJson(page.answer.body) ?? page.items;
}

function listsOf(body: Exact): readonly [FoundList, ...FoundList[]] {
  const all = findLists(body);
  const objects = all.filter(({ kind }) => kind === 'objects' || kind === 'lists');
  const [values] = all.filter(({ kind }) => kind === 'values');
  const [map] = all.filter(({ kind }) => kind === 'map');
  const [first, ...rest] = objects.length > 0 ? objects : [values ?? map].filter((each) => each !== undefined);
  if (first !== undefined) return [first, ...rest];
  const empty = all.find(({ kind }) => kind === 'empty');
  if (empty === undefined)
    throw initError('the response has no list: try the address of a list, such as /users for /users/1');
  const where = empty.path.length === 0 ? 'the list' : `the list at "${pathText(empty.path)}"`;
  throw initError(`${where} is empty, so nothing can be learnt from it: try other parameters, or an account with data`);
}

/** The value of `dataField` for a list. Undefined: the response is the list. */
export function dataFieldOf({ path, kind }: FoundList): Exact | undefined {
  if (path.length === 0) return kind === 'map' ? '.' : undefined;
  const delimiter = delimiterFor(path);
  return delimiter === '.' ? path.join('.') : fromPlain({ path: path.join(delimiter), delimiter });
}

const roles = { page: pageNames, offset: offsetNames, limit: limitNames } as const;

/** A request that names a page would give the list from there on. */
function withoutPaging(draft: Draft) {
  const found: { page?: string[]; offset?: string[]; limit?: string[] } = {};
  const params = new Map<string, Exact>();
  for (const [name, value] of draft.params) {
    const isFigure = isNumber(value) || (typeof value === 'string' && /^\d{1,9}$/.test(value));
    const role = isFigure
      ? (['page', 'offset', 'limit'] as const).find((each) => roles[each].includes(name))
      : undefined;
    if (role === undefined || isFirstKeyword(name, draft.params)) params.set(name, value);
    else found[role] = [...(found[role] ?? []), name];
  }
  const dropped = Object.values(found).flat();
  return { draft: { ...draft, params }, dropped, found };
}

/** `from` and `start` are also the ends of a range, with `to` and `end` beside them. */
const isFirstKeyword = (name: string, params: ExactObject): boolean =>
  /^(?:from|start|since)$/.test(name) && ['to', 'end', 'until'].some((other) => params.has(other));
