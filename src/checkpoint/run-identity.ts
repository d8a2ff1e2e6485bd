/** Identifies a run by its configuration, time window and options: a resume needs the same ones. */

import type { JobConfig } from '../config/config.js';
import type { OutputNaming } from '../config/table-settings.js';
import { ExtractError } from '../core/errors/errors.js';
import { type Exact, fromPlain } from '../core/json/exact.js';
import type { LimitOptions } from '../core/model/job-stats.js';
import type { Secrets } from '../core/model/secrets.js';
import type { Checkpoint } from './checkpoint.js';
import { type ConfigFingerprint, differences, fingerprintOf } from './config-fingerprint.js';

export interface RunIdentity {
  /** The configuration as given, and with environment variables filled in. */
  readonly written: Exact;
  readonly filled: Exact;
  /** The state that `time` refers to. */
  readonly state: Exact;
  /** The chosen jobs. */
  readonly jobs: readonly Pick<JobConfig, 'name'>[];
  readonly outputNames: OutputNaming | undefined;
  readonly bounds: LimitOptions;
  /** Which members of items are written; empty: all. */
  readonly select: readonly string[];
  /** When the run first started, in epoch ms. */
  readonly startedAt: number;
}

/** Keys that may differ on resume: time-outs, retries, rate limits and hosts never change which items are extracted. */
const ignoredKeys = [
  'api.retryConfig',
  ...['connectTimeout', 'headersTimeout', 'idleTimeout', 'requestTimeout'].map((key) => `api.http.${key}`),
  ...['rateLimit', 'rateLimitHeaders', 'credentialOrigins'].map((key) => `api.http.${key}`),
  'api.authentication.refusedBy',
  'api.authentication.refusedText',
  'api.authentication.shared',
  'api.caCertificate',
  'api.name',
  'config.debug',
  'image_parameters',
  '$schema',
];

/**
 * These may differ too: `allowRepeatedItems` decides whether a run fails, `prefetch` and `overlap` when pages are
 * requested; none decides which items are extracted.
 */
const besideMethod =
  /^(?:api\.pagination(?:\.scrollers\.[^.[]+)*|config\.jobs\[\d+\](?:\.children\[\d+\])*(?:\.pagination(?:\.scrollers\.[^.[]+)*)?)\.(?:allowRepeatedItems|prefetch|overlap)$/;

function isIgnored(path: string): boolean {
  const plain = path.replace(/^parameters\./, '');
  if (besideMethod.test(plain)) return true;
  return ignoredKeys.some((key) => plain === key || plain.startsWith(`${key}.`) || plain.startsWith(`${key}[`));
}

const withoutIgnored = (marks: ConfigFingerprint): ConfigFingerprint =>
  Object.fromEntries(Object.entries(marks).filter(([path]) => !isIgnored(path)));

/** Fingerprints all that decides which items a run extracts, by path. */
export function fingerprintRun(
  { written, state, jobs, outputNames = 'dataType', bounds, select }: RunIdentity,
  secrets: Secrets,
): ConfigFingerprint {
  const isSecret = (text: string) => secrets.isSecret(text) || secrets.mask(text) !== text;
  const { maxPages = null, maxItems = null } = bounds;
  const chosen = jobs.map(({ name }) => name).join(', ');
  return {
    ...withoutIgnored(fingerprintOf(written, isSecret)),
    ...fingerprintOf(state, isSecret, 'state'),
    ...fingerprintOf(chosen, () => false, 'the choice of jobs'),
    ...fingerprintOf(outputNames, () => false, 'outputNames'),
    ...fingerprintOf(fromPlain({ maxPages, maxItems }), () => false),
    ...(select.length === 0 ? {} : fingerprintOf(select.join('\n'), () => false, 'select')),
  };
}

const mostNamed = 5;

/** Throws ERR_RESUME with the differences. */
export function assertSameRun({ store, earlier }: Checkpoint, marks: ConfigFingerprint): void {
  const [last] = earlier;
  const all = last === undefined ? [] : differences(last.begin.marks, marks);
  if (all.length === 0) return;
  const more = all.length > mostNamed ? `, and ${all.length - mostNamed} more` : '';
  throw new ExtractError(
    'ERR_RESUME',
    `the run in "${store.name}" used another configuration or window: ${all.slice(0, mostNamed).join(', ')}${more}`,
  );
}
