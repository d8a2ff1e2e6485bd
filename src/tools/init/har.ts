/** Reads a request from a HAR file, the network log that browsers and proxies save. */

import { formEncode } from '../../core/url/percent.js';
import { usageError } from '../../core/util/check-value.js';
import { counted } from '../text/format.js';
import type { FoundRequest } from './found-request.js';
import { isHarmlessSegment } from './harmless.js';
import { isRecord, listOf, memberOf, parseJson, textOf } from './json-value.js';
import { headerOf, keptHeaders } from './kept-headers.js';
import type { ReadContext } from './read-context.js';
import { bodyOf, exportedSecrets, httpUrl, withoutBodyType } from './request-parts.js';
import { secretPlaces } from './secret-places.js';
import { checkParts } from './source-limits.js';

/** A request with a JSON response. */
interface HarEntry {
  /** From 1, as `--entry` counts. */
  readonly number: number;
  readonly request: unknown;
  readonly method: 'GET' | 'POST';
  /** What differs between requests for other data: pages of one list have the same. */
  readonly key: string;
  /** `GET /users` */
  readonly title: string;
  /** Of the largest list of objects in the response. */
  readonly items: number;
}

/**
 * Reads the request of `--entry`, or else the chosen one, or the one with the largest list. `label` is the name of the
 * file. Rejects with ERR_USAGE if there is no JSON response.
 */
export async function readHar(text: string, label: string, context: ReadContext): Promise<FoundRequest> {
  const entries = memberOf(parseJson(text), 'log', 'entries');
  if (!Array.isArray(entries)) throw usageError(`${label} is no HAR file: save one from the network tab of a browser`);
  const found = entries.flatMap(entryOf);
  if (found.length === 0) {
    const count = counted(entries.length, 'request');
    throw usageError(
      `${label} has no JSON response to a GET or POST in ${count}: open the page that shows the data with the network tab open, and save the file again`,
    );
  }
  if (context.entry !== undefined) return requestOf(numbered(found, context.entry, entries.length), label, context, []);
  const lists = firstOfEach(found);
  const [largest] = lists;
  const chosen =
    lists.length === 1 ? undefined : await context.choose('Which request has the items?', lists.map(choiceOf));
  const entry = lists.find(({ number }) => String(number) === chosen) ?? largest ?? found[0];
  if (entry === undefined) throw usageError(`${label} has no entry ${chosen}`);
  const others = lists.filter((each) => each !== entry).slice(0, mostNamed);
  return requestOf(entry, label, context, chosen === undefined ? others : []);
}

/** So many other entries are named in a note. */
const mostNamed = 3;

const choiceOf = (entry: HarEntry) => ({ value: String(entry.number), label: describe(entry) });

const describe = ({ number, title, items }: HarEntry): string => `entry ${number}, ${title}, ${counted(items, 'item')}`;

function entryOf(entry: unknown, index: number): readonly HarEntry[] {
  const request = memberOf(entry, 'request');
  const [method, url] = [textOf(request, 'method')?.toUpperCase(), textOf(request, 'url') ?? ''];
  const status = memberOf(entry, 'response', 'status');
  const isGood = typeof status === 'number' && status >= 200 && status < 300;
  if ((method !== 'GET' && method !== 'POST') || !isGood || !/^https?:/.test(url) || !URL.canParse(url)) return [];
  const items = itemsOf(memberOf(entry, 'response', 'content'));
  if (items === undefined) return [];
  const { origin, pathname } = new URL(url);
  const body = parseJson(textOf(request, 'postData', 'text') ?? '');
  const operation = textOf(body, 'operationName') ?? textOf(body, 'query') ?? '';
  const key = `${method} ${origin}${pathname} ${operation}`;
  return [{ number: index + 1, request, method, key, title: `${method} ${shownPath(pathname)}`, items }];
}

/** A path without segments that may be secrets. */
const shownPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => (isHarmlessSegment(segment) ? segment : '***'))
    .join('/');

/** The length of the largest list of objects. Undefined: the content is no JSON. 0: it was not saved, or has none. */
function itemsOf(content: unknown): number | undefined {
  const saved = textOf(content, 'text');
  const isJson = /[/+]json\b/i.test(textOf(content, 'mimeType') ?? '');
  if (saved === undefined) return isJson ? 0 : undefined;
  const text = textOf(content, 'encoding') === 'base64' ? Buffer.from(saved, 'base64').toString() : saved;
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? largestList(value) : undefined;
}

function largestList(value: unknown): number {
  let largest = 0;
  const waiting = [value];
  for (let each = waiting.pop(); waiting.length > 0 || each !== undefined; each = waiting.pop()) {
    if (isRecord(each)) for (const member of Object.values(each)) waiting.push(member);
    if (!Array.isArray(each)) continue;
    if (each.every(isRecord)) largest = Math.max(largest, each.length);
    waiting.push(each[0]);
  }
  return largest;
}

/** The first entry of each list, that is its first page, the largest list first. */
function firstOfEach(entries: readonly HarEntry[]): readonly HarEntry[] {
  const first = new Map<string, HarEntry>();
  for (const entry of entries) {
    const before = first.get(entry.key);
    first.set(entry.key, before === undefined ? entry : { ...before, items: Math.max(before.items, entry.items) });
  }
  const ordered = [...first.values()].sort((one, other) => other.items - one.items);
  const withItems = ordered.filter(({ items }) => items > 0);
  return withItems.length === 0 ? ordered : withItems;
}

function numbered(found: readonly HarEntry[], wanted: number, count: number): HarEntry {
  const entry = found.find(({ number }) => number === wanted);
  if (entry !== undefined) return entry;
  const names = firstOfEach(found).slice(0, mostNamed).map(describe).join('; ');
  const what =
    wanted <= count ? `the response of entry ${wanted} is no JSON` : `--entry is a number from 1 to ${count}`;
  throw usageError(`${what}: try ${names}`);
}

function requestOf(
  { request, number, method }: HarEntry,
  label: string,
  context: ReadContext,
  others: readonly HarEntry[],
): FoundRequest {
  const all = headersOf(request);
  const posted = method === 'POST' ? postedText(memberOf(request, 'postData')) : undefined;
  const type = textOf(request, 'postData', 'mimeType') ?? headerOf(all, 'Content-Type');
  const read = posted === undefined ? undefined : bodyOf(posted, type);
  const found = {
    method,
    url: httpUrl(textOf(request, 'url') ?? ''),
    headers: withoutBodyType(keptHeaders(all), read?.body),
    ...(read === undefined ? {} : { body: read.body }),
    source: `${label}, entry ${number}`,
  };
  checkParts(found);
  const secrets = secretPlaces(found, exportedSecrets(context.env));
  const notes = [
    ...(others.length === 0
      ? []
      : [`Other requests have lists too: ${others.map(describe).join('; ')}. Choose with --entry.`]),
    ...(secrets.length > 0 ? [] : [withoutCredentials]),
  ];
  return { ...found, secrets, notes };
}

const withoutCredentials =
  'The request has no credentials: browsers leave cookies and Authorization out of a HAR file, unless it is saved with sensitive data.';

/** With the cookies that only their own list has. */
function headersOf(request: unknown): FoundRequest['headers'] {
  const headers = pairsOf(listOf(request, 'headers'));
  const cookies = pairsOf(listOf(request, 'cookies')).map(([name, value]) => `${name}=${value}`);
  const isComplete = cookies.length === 0 || headerOf(headers, 'Cookie') !== undefined;
  return isComplete ? headers : [...headers, ['Cookie', cookies.join('; ')]];
}

function postedText(data: unknown): string | undefined {
  const text = textOf(data, 'text');
  if (text !== undefined && text !== '') return text;
  const pairs = pairsOf(listOf(data, 'params')).map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`);
  return pairs.length === 0 ? undefined : pairs.join('&');
}

const pairsOf = (list: readonly unknown[]): readonly (readonly [string, string])[] =>
  list.flatMap((each) => {
    const [name, value] = [textOf(each, 'name'), textOf(each, 'value')];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
