/** What the first response says about pagination: links, cursors, figures and flags beside the list. */
import { type Exact, isArray, isNumber, isObject } from '../../core/json/exact.js';
import { defined } from '../../core/util/defined.js';
import { parseLinks } from '../../pagination/web-links.js';
import type { Answer } from './prober.js';

/** A member beside the list. */
export interface BesideValue {
  readonly path: readonly string[];
  readonly name: string;
  readonly value: string | boolean;
  readonly isNumber: boolean;
}

export interface Evidence {
  /** The target of `Link: <...>; rel="next"`. */
  readonly header?: string;
  /** Links in the body that probably lead to the next page, the likeliest first. */
  readonly links: readonly BesideValue[];
  /** Values that are probably sent with the next request, the likeliest first. */
  readonly tokens: readonly BesideValue[];
  /** A header with a cursor, such as X-Next-Cursor, under its name. */
  readonly cursorHeader?: BesideValue;
  /** A header with a link, such as X-Next-Page-Url, under its name. */
  readonly linkHeader?: BesideValue;
  /** Where a flag, or a header such as Sforce-Locator, says that there are more items. */
  readonly more?: readonly string[];
  /** A flag, or an empty link or cursor, says that these are all items. */
  readonly isLast: boolean;
  /** Names of members with figures of paging. */
  readonly figures: readonly BesideValue[];
  readonly total?: { readonly value: number; readonly place: string };
}

const moreNames =
  /^(?:has_?more|has_?next(?:_?page)?|more|more_?items|is_?truncated|truncated|next_?page_?available)$/i;
const nextNames = /next|cursor|continu|after|bookmark|marker|scroll_?id|page_?token|sync_?token|nextLink/i;
const notNext = /prev|before|start_?cursor|first|last_?page|self|self_?link|total|has_/i;
const totalNames =
  /^(?:total|total_?(?:count|items?|results|records|entries|elements|rows|size|hits)|count|@odata\.count|recordsFiltered|record_?count|totalSize)$/i;

/** Looks at all values outside of the list at `path`. */
export function findEvidence({ headers }: Answer, body: Exact, path: readonly string[], count: number): Evidence {
  const beside = valuesBeside(body, path);
  const header = nextOf([headers.link ?? []].flat().join(', '));
  const next = beside.filter((each) => isNextName(each) && typeof each.value === 'string' && each.value !== '');
  const links = next.filter(({ value }) => isLink(String(value)) || isQuery(String(value)));
  const tokens = next.concat(beside.filter(isTextOffset)).filter(({ value }) => !isLink(String(value)));
  const flag = beside.find(({ name, value }) => moreNames.test(name) && typeof value === 'boolean');
  const more = flag?.value === true ? flag.path : locatorIn(headers);
  const isLast = flag?.value === false || (header === undefined && next.length === 0 && hasEmptyNext(body, path));
  const total = totalOf(beside, headers, count);
  return {
    ...(header === undefined ? {} : { header }),
    links: [...links].sort(nearest),
    tokens: [...tokens].sort(nearest),
    ...defined({ more, ...nextHeadersOf(headers) }),
    isLast,
    figures: beside.filter((each) => each.isNumber),
    ...(total === undefined ? {} : { total }),
  };
}

const cursorHeader = /(?:^|-)next-?(?:page|cursor|token|marker|offset|link|url)\b|continuation|(?:^|-)cursor\b/i;

function nextHeadersOf(headers: Answer['headers']): Pick<Evidence, 'cursorHeader' | 'linkHeader'> {
  const found = Object.keys(headers).flatMap((each): readonly BesideValue[] => {
    const value = [headers[each] ?? []].flat().join(', ').trim();
    const name = each.replaceAll(/(?:^|-)[a-z]/g, (begin) => begin.toUpperCase());
    return value === '' || each === 'link' ? [] : [{ path: [name], name, value, isNumber: false }];
  });
  const isPlain = (value: string) => !isLink(value) && !value.startsWith('<');
  return defined({
    cursorHeader: found.find(({ name, value }) => cursorHeader.test(name) && isPlain(String(value))),
    linkHeader: found.find(({ name, value }) => nextOf(String(value)) !== undefined || isNextLink(name, String(value))),
  });
}

/** Salesforce sends the text `null` with the last page. */
function locatorIn(headers: Answer['headers']): readonly string[] | undefined {
  const name = Object.keys(headers).find((each) => /(?:^|-)locator$/i.test(each));
  const [value = 'null'] = name === undefined ? [] : [headers[name] ?? []].flat();
  return name === undefined || value === 'null' ? undefined : [name];
}

const isNextLink = (name: string, value: string): boolean => /(?:^|-)next/i.test(name) && isLink(value);

/** `next` before `nextFoo`, near the root before far from it. */
const nearest = (a: BesideValue, b: BesideValue): number =>
  Number(/next/i.test(b.path.join('.'))) - Number(/next/i.test(a.path.join('.'))) || a.path.length - b.path.length;

const isNextName = ({ path, name }: BesideValue): boolean => {
  const last = /^(?:href|url|link|uri|value)$/i.test(name) ? (path.at(-2) ?? name) : name;
  return nextNames.test(last) && !notNext.test(last);
};

/** An address, or a query. */
export const isLink = (text: string): boolean => /^(?:https?:\/\/|\/[^/]|\?[^=]+=|[\w./-]+\?[^=]+=)/.test(text);

/** A query without its question mark: `page=2&size=10`. A token in Base64 may end with such signs. */
export const isQuery = (text: string): boolean =>
  /^[A-Za-z_$][\w.%[\]$-]*=[^=&\s?]+(?:&[\w.%[\]$-]+=[^=&\s?]*)*$/.test(text);

/** The offset of Airtable is a token. */
const isTextOffset = ({ name, value, isNumber: isFigure }: BesideValue): boolean =>
  !isFigure && /^offset$/i.test(name) && typeof value === 'string' && /[^\d]/.test(value);

function nextOf(header: string): string | undefined {
  return parseLinks(header).find(({ relations, isAnchored }) => !isAnchored && relations.includes('next'))?.target;
}

function hasEmptyNext(body: Exact, list: readonly string[]): boolean {
  const found: BesideValue[] = [];
  walk(body, [], list, found, true);
  return found.some((each) => isNextName(each) && each.value === '');
}

function valuesBeside(body: Exact, list: readonly string[]): readonly BesideValue[] {
  const found: BesideValue[] = [];
  walk(body, [], list, found, false);
  return found;
}

/** Collects scalars of objects outside of all lists; `null` is an empty text if asked for. */
function walk(
  value: Exact,
  path: readonly string[],
  list: readonly string[],
  found: BesideValue[],
  nulls: boolean,
): void {
  if (!isObject(value) || path.length > 6) return;
  for (const [name, member] of value) {
    const at = [...path, name];
    if (isArray(member) || (at.length === list.length && at.every((each, index) => each === list[index]))) continue;
    if (isObject(member)) walk(member, at, list, found, nulls);
    else if (isNumber(member)) found.push({ path: at, name, value: member.text, isNumber: true });
    else if (member !== null) found.push({ path: at, name, value: member, isNumber: false });
    else if (nulls) found.push({ path: at, name, value: '', isNumber: false });
  }
}

const totalHeaders = ['x-total-count', 'x-total', 'x-wp-total', 'x-total-items', 'total-count'];

function totalOf(beside: readonly BesideValue[], headers: Answer['headers'], count: number): Evidence['total'] {
  for (const name of totalHeaders) {
    const text = [headers[name] ?? []].flat()[0] ?? '';
    if (/^\d{1,15}$/.test(text) && Number(text) >= count) return { value: Number(text), place: `the header ${name}` };
  }
  const named = beside.filter(({ name, value }) => totalNames.test(name) && /^\d{1,15}$/.test(String(value)));
  const [first] = named.filter(
    ({ name, value }) => Number(value) >= count && !(name === 'count' && Number(value) === count),
  );
  return first === undefined ? undefined : { value: Number(first.value), place: `"${first.path.join('.')}"` };
}
