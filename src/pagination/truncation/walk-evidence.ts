/** Collects evidence over a walk on whether items are missing. */
import { type Exact, type ExactObject, emptyObject, isNumber, isObject } from '../../core/json/exact.js';
import type { Job } from '../../core/model/job.js';
import type { PageRequest } from '../../core/model/request.js';
import { defined } from '../../core/util/defined.js';
import { capturedAt } from '../capture.js';
import { queryParams } from '../next-link.js';
import type { Paginator } from '../types.js';
import { isEmpty } from '../values.js';
import { parseLinks } from '../web-links.js';
import { type DeclaredTotal, detectTotal, type PageView, statedTotals, updateTotal } from './declared-total.js';
import { type NextKind, nextHeaders, nextPlaces } from './known-fields.js';

export interface WalkEvidence {
  /** Pages that were examined, without repeats of the page before. */
  readonly read: number;
  /** Pages with items. */
  readonly pages: number;
  /** Items of the first page, of the largest page, and of the last page with items. */
  readonly first: number;
  readonly largest: number;
  readonly last: number;
  /** Absent if there is no credible total, or the walk skips the first items. */
  readonly declared?: DeclaredTotal;
  /** Figures of the first page that may be the total. Absent: there are none. */
  readonly stated?: readonly number[];
  /** Where the first page announces a next one. */
  readonly next?: string;
  /** The first page says that it is the only one. */
  readonly isLast?: true;
  /** The index of a page without items between pages with items. An empty page before all items does not count. */
  readonly empty?: number;
}

/** A page that was accepted. `hasList`: its items were the elements of a list. */
export interface ReadPage extends PageView {
  readonly index: number;
  readonly request: PageRequest;
  readonly hasList: boolean;
}

/** Adds a page. */
export function observePage(
  before: WalkEvidence | undefined,
  page: ReadPage,
  paginator: Paginator,
  job: Job,
): WalkEvidence {
  const { count, index } = page;
  const declared = before === undefined ? firstTotal(page, paginator, job) : laterTotal(before, page, paginator);
  const next = before === undefined ? declaredNext(page) : before.next;
  const { pages = 0, first = count, largest = 0, last = 0, empty } = before ?? {};
  const hole = count > 0 || pages === 0 ? undefined : (empty ?? index);
  const counts = {
    read: (before?.read ?? 0) + 1,
    pages: count > 0 ? pages + 1 : pages,
    first,
    largest: Math.max(largest, count),
    last: count > 0 ? count : last,
  };
  const stated = before === undefined ? firstStated(page, job) : before.stated;
  const isLast = before === undefined && declaresEnd(page);
  const isBare = declared === undefined && stated === undefined && next === undefined && hole === undefined;
  if (isBare && !isLast) return counts;
  return {
    ...counts,
    ...defined({ stated, declared, next }),
    ...(isLast ? { isLast } : {}),
    ...defined({ empty: hole }),
  };
}

function firstTotal(page: ReadPage, paginator: Paginator, job: Job): DeclaredTotal | undefined {
  const isItem = !page.hasList && paginator.total === undefined; // a page that is an item itself has members of its own
  if (isItem || paginator.skips?.(job) === true || startsMidList(page.request, job.partition)) return undefined;
  return detectTotal(page, paginator, job.dataField);
}

function firstStated(page: ReadPage, { dataField }: Job): readonly number[] | undefined {
  const stated = page.hasList ? statedTotals(page, dataField) : [];
  return stated.length === 0 ? undefined : stated;
}

const laterTotal = (
  { declared, first }: WalkEvidence,
  page: ReadPage,
  paginator: Paginator,
): DeclaredTotal | undefined => (declared === undefined ? undefined : updateTotal(declared, page, paginator, first));

/** Returns where it does; undefined: nowhere known. */
function declaredNext(page: PageView): string | undefined {
  const links = parseLinks((page.headers.get('link') ?? []).join(', '));
  if (links.some(({ relations, isAnchored }) => !isAnchored && relations.includes('next'))) return 'the header link';
  const header = nextHeaders.find((name) => (page.headers.get(name)?.[0] ?? '').trim() !== '');
  if (header !== undefined) return `the header ${header}`;
  if (page.envelope.size === 0) return undefined;
  const place = nextPlaces.find(({ path, kind }) => leadsOn(capturedAt(page, path), kind));
  return place === undefined ? undefined : `"${place.path.segments.join('.')}"`;
}

/** Whether it declares the end: with a flag, or with an empty value where a link would be. */
function declaresEnd(page: PageView): boolean {
  if (page.envelope.size === 0) return false;
  const values = nextPlaces.map(({ path }) => capturedAt(page, path));
  return declaredNext(page) === undefined && values.some((value) => value !== undefined && isEmpty(value));
}

function leadsOn(value: Exact | undefined, kind: NextKind): boolean {
  if (kind === 'flag') return value === true;
  if (kind === 'token') return (typeof value === 'string' && value !== '') || isNumber(value ?? null);
  return typeof value === 'string' && /^(?:https?:\/\/|\/|\?).+/.test(value);
}

const offsets = /^\$?(?:offset|skip|start|start_?at|start_?index|from|first_?result|first_?row)$/i;
const pages = /^(?:page|p|page_?(?:no|num|number|index))$/i;
const cursors = /^(?:cursor|after|starting_?after|page_?token|next_?token|since_?id|scroll_?id)$/i;

/** Checks the usual names in the parameters, in GraphQL variables and in the query of the endpoint. */
export function startsMidList(
  { endpoint, params }: Pick<PageRequest, 'endpoint' | 'params'>,
  partition?: ReadonlySet<string>,
): boolean {
  const [, query = ''] = endpoint.split('?');
  return [...queryParams(query), ...params, ...variablesIn(params)].some(
    ([name, value]) => partition?.has(name) !== true && isBehind(name, textOf(value)),
  );
}

function variablesIn(params: ExactObject): ExactObject {
  const variables = params.get('variables');
  return isObject(variables) ? variables : emptyObject;
}

function isBehind(name: string, text: string): boolean {
  if (cursors.test(name)) return text !== '';
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  return offsets.test(name) ? number > 0 : pages.test(name) && number > 1;
}

const textOf = (value: Exact): string => (typeof value === 'string' || isNumber(value) ? String(value) : '');
