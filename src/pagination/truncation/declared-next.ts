/** Whether a response declares a next page, for paginators that do not read it. */
import { type Exact, isNumber } from '../../core/json/exact.js';
import { capturedAt } from '../capture.js';
import { isEmpty } from '../is-empty.js';
import { linksOf } from '../web-links.js';
import type { PageView } from './declared-total.js';
import { type NextKind, nextPlaces } from './known-fields.js';

/** Returns where it does; undefined: nowhere known. */
export function nextTold(page: PageView): string | undefined {
  const links = linksOf((page.headers.get('link') ?? []).join(', '));
  if (links.some(({ relations, isAnchored }) => !isAnchored && relations.includes('next'))) return 'the header link';
  const found = nextPlaces.find(({ path, kind }) => leadsOn(capturedAt(page, path), kind));
  return found === undefined ? undefined : `"${found.path.segments.join('.')}"`;
}

/** Whether it declares the end: with a flag, or with an empty value where a link would be. */
export function endTold(page: PageView): boolean {
  const values = nextPlaces.map(({ path }) => capturedAt(page, path));
  return nextTold(page) === undefined && values.some((value) => value !== undefined && isEmpty(value));
}

function leadsOn(value: Exact | undefined, kind: NextKind): boolean {
  if (kind === 'flag') return value === true;
  if (kind === 'token') return (typeof value === 'string' && value !== '') || isNumber(value ?? null);
  return typeof value === 'string' && /^(?:https?:\/\/|\/|\?).+/.test(value);
}
