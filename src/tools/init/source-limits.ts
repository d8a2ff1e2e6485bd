/** How large, deep and long a source of `init` may be: more is an error that names the limit, before any work. */
import { maxDepth } from '../../core/json/exact-parse.js';
import { usageError } from '../../core/util/check-value.js';
import { grouped, size } from '../text/format.js';
import type { FoundRequest } from './found-request.js';

/** Bytes of a source by its kind. Recordings of browsers contain whole responses. */
export const mostBytes = { curl: 4 * 2 ** 20, document: 64 * 2 ** 20, har: 256 * 2 ** 20 } as const;

/** Headers, or parameters of a query or a form. No server accepts so many. */
const mostParts = 1000;

/** Lines and commas of a YAML document, and its anchors: a parser of YAML needs 30 µs and 2 kB for each. */
const [mostYamlParts, mostAnchors] = [600_000, 10_000];

/** For each alias the parser searches its anchor among all values before it. */
const mostSearched = 100_000_000;

/** Throws ERR_USAGE for a text of more bytes. */
export function checkSize(bytes: number, most: number, label: string): void {
  if (bytes > most) throw usageError(`${label} is larger than ${size(most)}, the most that init reads of it`);
}

/** Throws ERR_USAGE for a YAML text that takes too long to parse. */
export function checkYaml(text: string, label: string): void {
  if (countOf(text, /[\n,]/g, mostYamlParts)) throw tooLong(label, `${grouped(mostYamlParts)} lines and commas`);
  if (countOf(text, /(?:^|[\s,[{:-])&[^\s,[\]{}&]/gm, mostAnchors))
    throw tooLong(label, `${grouped(mostAnchors)} anchors`);
}

/** Throws ERR_USAGE for aliases that take too long to resolve. */
export function checkAliases(aliases: number, values: number, label: string): void {
  if (aliases * values > mostSearched) throw tooLong(label, `${grouped(Math.floor(mostSearched / values))} aliases`);
}

const tooLong = (label: string, what: string) =>
  usageError(`${label} has more than ${what}, the most that init reads of YAML: convert it to JSON, without anchors`);

/** Whether there are more matches; it counts no further. */
function countOf(text: string, pattern: RegExp, most: number): boolean {
  let count = 0;
  for (const _ of text.matchAll(pattern)) if (++count > most) return true;
  return false;
}

/** The error of a value that is nested too deeply. */
export const tooDeep = (what: string) => usageError(`${what} is nested deeper than ${maxDepth} levels`);

/** Whether a value has more levels of lists and objects than other parsers accept. A shared value counts once. */
export function isTooDeep(value: unknown): boolean {
  const seen = new Set<unknown>();
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= maxDepth) return true;
    for (const each of level) seen.add(each);
    const below = new Set(level.flatMap((each) => Object.values(each).filter(isContainer)));
    level = [...below].filter((each) => !seen.has(each));
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Throws ERR_USAGE for a request with more headers or parameters than a server accepts. */
export function checkParts({ headers, url, body, source }: Omit<FoundRequest, 'secrets'>): void {
  const parts = [
    ['headers', headers.length],
    ['parameters', url.search.split('&').length],
    ['form fields', body?.kind === 'form' ? body.text.split('&').length : 0],
  ] as const;
  const [name, count] = parts.find(([, each]) => each > mostParts) ?? [];
  if (count === undefined) return;
  throw usageError(`${source}: ${grouped(count)} ${name}, and init reads up to ${grouped(mostParts)}`);
}
