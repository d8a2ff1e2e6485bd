/** Keeps secrets out of everything that is shown: masking by value, in every encoding in which a value is sent or echoed. */

import { queryEntries } from '../request/query.js';
import { splitQuery, withQuery } from '../request/url.js';
import type { HttpRequest, Secrets } from '../types.js';
import { createNeedles, type Needles } from './needles.js';
import { shownAddress } from './shown-address.js';

/** What stands for a secret. */
export const maskText = '***';

/** How many secrets of a lifetime that ends are sure to be remembered. */
const mostRemembered = 1000;

/** Makes an empty store of secrets. A message costs time by its length, whatever the number of secrets. */
export function createSecrets(): Secrets {
  const configured = createNeedles();
  const ending = { passing: createGenerations(), request: createGenerations() };
  const all = (): readonly Needles[] => [configured, ...ending.passing.all(), ...ending.request.all()];

  const isSecret = (value: string): boolean => value !== '' && all().some((needles) => needles.has(value));
  const mask = (text: string): string => replaceSpans(text, findSpans(text, all(), 'whole'));

  return {
    add(value, lifetime = 'run') {
      if (value === '') return;
      if (lifetime === 'run') configured.add(value);
      else if (!configured.has(value)) ending[lifetime].add(value);
    },
    isSecret,
    mask,
    maskUrl: (url) => mask(maskParts(url, isSecret)),
    excerpt(text, length) {
      const masked = replaceSpans(text, findSpans(text, all(), 'cut'));
      // One line again: a secret with blanks may have been folded at them.
      const line = mask(masked.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim());
      return line.length > length ? `${line.slice(0, length)}...` : line;
    },
  };
}

/** The latest secrets of one lifetime. Two generations bound memory without ever taking a single value out of an index. */
function createGenerations() {
  let older = createNeedles();
  let newer = createNeedles();
  return {
    all: (): readonly Needles[] => [older, newer],
    add(value: string): void {
      if (newer.has(value)) return;
      newer.add(value);
      if (newer.size() < mostRemembered) return;
      older = newer;
      newer = createNeedles();
    },
  };
}

/** Names a request in a message: `GET https://host/path?query`, masked, the address cut to 500 characters. */
export const describeRequest = (request: Pick<HttpRequest, 'method' | 'url'>, secrets: Secrets): string =>
  `${request.method} ${shownAddress(secrets.maskUrl(request.url))}`;

/** Masks by place: user information, and query values that are a secret as a whole. */
function maskParts(url: string, isSecret: (value: string) => boolean): string {
  const { address, query } = splitQuery(url.replace(/^([a-z][a-z\d+.-]*:)?\/\/[^/?#]*@/i, `$1//${maskText}@`));
  if (query === undefined) return address;
  const pairs = queryEntries(`?${query}`).map(({ value, text }) =>
    value !== undefined && isSecret(value) ? `${text.slice(0, text.indexOf('='))}=${maskText}` : text,
  );
  return withQuery(address, pairs.join('&'));
}

type Span = readonly [start: number, end: number];

/** Finds every occurrence, overlapping ones joined, in order. `cut`: the text may end within a secret, its beginning counts then. */
function findSpans(text: string, all: readonly Needles[], end: 'whole' | 'cut'): readonly Span[] {
  const spans: Span[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const length = Math.max(...all.map((needles) => needles.lengthAt(text, at, end)));
    if (length === 0) continue;
    const last = spans.at(-1);
    if (last === undefined || last[1] < at) spans.push([at, at + length]);
    else spans.splice(-1, 1, [last[0], Math.max(last[1], at + length)]);
  }
  return spans;
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  const from = [0, ...spans.map(([, end]) => end)];
  return from.map((start, index) => text.slice(start, spans[index]?.[0])).join(maskText);
}
