/** Where responses about a report say how far it is, and where its items are: places to try, the likeliest first. */
import { type Exact, isArray, isNumber, isObject } from '../../core/json/exact.js';
import type { HttpResponse } from '../../http/types.js';

/** An endpoint as `await` has it, with names in braces, and as it is for this report. */
export interface ReportPlace {
  readonly template: string;
  readonly endpoint: string;
}

export interface NamedText {
  readonly path: readonly string[];
  readonly text: string;
}

const mostDepth = 3;

/** The texts and numbers of an object, those of objects in it too; of a list the first element. */
export function textsIn(value: Exact | undefined, path: readonly string[] = []): readonly NamedText[] {
  if (value === undefined || !isObject(value) || path.length >= mostDepth) return [];
  return [...value].flatMap(([name, each]) => {
    if (/[.:{}]/.test(name)) return [];
    const [first = null] = isArray(each) ? each : [each];
    if (typeof first === 'string') return [{ path: [...path, name], text: first }];
    if (isNumber(first)) return [{ path: [...path, name], text: first.text }];
    return isArray(each) ? [] : textsIn(each, [...path, name]);
  });
}

const lastOf = ({ path }: NamedText): string => path.at(-1) ?? '';
const isStatus = (each: NamedText): boolean => /(?:^|[a-z_-])(?:status|state)$/i.test(lastOf(each));
const isId = (each: NamedText): boolean => /^(?:id|uuid|guid)$|(?:[a-z]I|_i)d$|(?:Uuid|_uuid)$/.test(lastOf(each));
const isLink = (each: NamedText): boolean =>
  /^https?:\/\/./.test(each.text) ||
  (each.text.startsWith('/') && /url|uri|href|link|location|download|file/i.test(lastOf(each)));

/** The member that says how far a report is: a word; those of the whole response come first. */
export const statusIn = (body: Exact | undefined): NamedText | undefined =>
  textsIn(body)
    .filter((each) => isStatus(each) && /\p{L}/u.test(each.text))
    .toSorted((one, other) => one.path.length - other.path.length)[0];

const doneWord =
  /^(?:job|report|export|query)?[_ -]?(?:done|completed?|succeeded|success(?:ful)?|finished|ready|available)$/i;
const failedWord = /fail|error|cancel|abort|fatal|expired|reject|denied/i;

const pendingWord =
  /queue|pend|progress|process|running|submit|accept|creat|upload|wait|start|schedul|^(?:new|open|init)/i;

export const isPendingWord = (text: string): boolean => pendingWord.test(text) && !isDoneWord(text);
export const isDoneWord = (text: string): boolean => doneWord.test(text);
export const isFailedWord = (text: string): boolean => failedWord.test(text);

const headers = [
  ['location', 'Location'],
  ['operation-location', 'Operation-Location'],
] as const;
const mostPolled = 4;

/** Where the response of the request that creates a report says how far it is. */
export function pollPlaces(
  sent: HttpResponse['headers'],
  body: Exact | undefined,
  endpoint: string,
): readonly ReportPlace[] {
  const ofHeaders = headers.flatMap(([name, shown]) => {
    const [value] = [sent[name] ?? []].flat();
    return value === undefined ? [] : [{ template: `{header:${shown}}`, endpoint: value }];
  });
  const texts = textsIn(body);
  const links = texts.filter(isLink).map(({ path, text }) => ({ template: `{${path.join('.')}}`, endpoint: text }));
  const [folder = ''] = endpoint.replace(/\?.*/, '').split(/\/$/);
  const ids = texts.filter(isId).map(({ path, text }) => ({
    template: `${folder}/{${path.join('.')}}`,
    endpoint: `${folder}/${encodeURIComponent(text)}`,
  }));
  return [...ofHeaders, ...links, ...ids].slice(0, mostPolled);
}

/** `path`: the place of the link to the items, in the last poll or in the response at `place`. */
export interface FetchPlace {
  readonly place?: ReportPlace;
  readonly path?: readonly string[];
  /** The link, if it is known. */
  readonly link?: string;
}

/** Links that the last poll has, and the responses before it have not. */
export const newLinks = (done: Exact | undefined, before: readonly (Exact | undefined)[]): readonly FetchPlace[] => {
  const known = new Set(before.flatMap((each) => textsIn(each)).map(({ text }) => text));
  return textsIn(done)
    .filter((each) => isLink(each) && !known.has(each.text))
    .map(({ path, text }) => ({ path, link: text }));
};

/** A name such as `reportDocumentId` in the last poll: `documents/{reportDocumentId}` beside the endpoint. */
export function documentPlaces(
  done: Exact | undefined,
  before: readonly (Exact | undefined)[],
  endpoint: string,
): readonly FetchPlace[] {
  const known = new Set(before.flatMap((each) => textsIn(each)).map(({ text }) => text));
  const folder = endpoint.replace(/\?.*/, '').replace(/[^/]*\/?$/, '');
  return textsIn(done).flatMap((each) => {
    const word = /([A-Z]?[a-z]+)_?I?i?d$/.exec(lastOf(each))?.[1]?.toLowerCase();
    if (!isId(each) || word === undefined || word === 'id' || known.has(each.text)) return [];
    const start = `${folder}${word}s/`;
    const place = {
      template: `${start}{${each.path.join('.')}}`,
      endpoint: `${start}${encodeURIComponent(each.text)}`,
    };
    return [{ place }];
  });
}

/** Usual endpoints of the items below that of the report. */
export const resultPlaces = ({ template, endpoint }: ReportPlace): readonly FetchPlace[] =>
  endpoint.includes('?') || template.startsWith('{')
    ? []
    : ['results', 'result', 'download'].map((name) => ({
        place: { template: `${template}/${name}`, endpoint: `${endpoint}/${name}` },
      }));
