/** The codes of all warnings, so that one that is allowed by a misspelt name is noticed. */
import { ExtractError } from './errors.js';
import { didYouMean } from './nearest.js';
import type { Notice } from './types.js';

/** In the order of the table in docs/01-configuration.md. */
export const warningCodes: readonly string[] = [
  'unknown-key',
  'no-type',
  'no-method',
  'deprecated',
  'duplicate-key',
  'identical-job',
  'never-walked',
  'not-a-child',
  'not-filled',
  'broken-value',
  'empty-secret',
  'masked-name',
  'filter-space',
  'filter-parenthesis',
  'not-evaluated',
  'not-a-reference',
  'no-body',
  'no-list',
  'no-data',
  'compound-cursor',
  'missing-response-param',
  'limit-not-a-number',
  'mappings-not-used',
  'broken-state',
  'missing-next-link',
  'scroller-not-used',
  'expired-at-login',
  'missing-expiry',
  'sequential-login',
  'foreign-origin',
  'no-time',
  'no-object',
  'total-mismatch',
  'no-total',
  'next-page-ignored',
  'round-end',
  'empty-page',
  'tls-verified',
  'at-least-once',
  'bound-reached',
  'cache-not-used',
  'cache-broken',
  'cache-not-written',
];

/** Refuses a name that no warning has. Throws ERR_USAGE. */
export function checkAllowed(codes: readonly string[]): void {
  const unknown = codes.find((code) => !warningCodes.includes(code));
  if (unknown === undefined) return;
  throw new ExtractError('ERR_USAGE', `allow: no warning is called "${unknown}"${didYouMean(unknown, warningCodes)}`);
}

/** Makes a warning that the user allows a notice for debugging; all else stays as it is. */
export const allowing =
  (codes: readonly string[]) =>
  (notice: Notice): Notice =>
    notice.level === 'warning' && codes.includes(notice.code) ? { ...notice, level: 'debug' } : notice;
