/** Identifies a run by its configuration, time window and options: a resume needs the same ones. */

import type { JobConfig } from '../config/config.js';
import { rowsOfPart } from '../config/part-rows.js';
import type { OutputNaming } from '../config/table-settings.js';
import { ExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactObject, fromPlain, isArray, isObject, stringifyExact } from '../core/json/exact.js';
import type { LimitOptions } from '../core/model/job-stats.js';
import type { Secrets } from '../core/model/secrets.js';
import type { Kind } from '../core/options/kind.js';
import { digestOf } from '../core/util/digest.js';
import type { Checkpoint } from './checkpoint.js';
import { type ConfigFingerprint, differences, fingerprintOf } from './config-fingerprint.js';

export interface RunIdentity {
  /** The configuration as given, and with environment variables filled in. */
  readonly written: Exact;
  readonly filled: Exact;
  /** Values of files that the configuration names, by path; empty: it names none. */
  readonly values: ExactObject;
  /** The state that `time` refers to. */
  readonly state: Exact;
  /** The chosen jobs. */
  readonly jobs: readonly Pick<JobConfig, 'name'>[];
  readonly outputNames: OutputNaming;
  readonly bounds: LimitOptions;
  /** Where jobs with `incremental` begin; empty: at what is remembered. */
  readonly backfill?: object;
  /** Which members of items are written; empty: all. */
  readonly select: readonly string[];
  /** When the run first started, in epoch ms. */
  readonly startedAt: number;
}

/** What is left without the keys that a resume may change; undefined: nothing. */
function lasting(value: Exact, kind: Pick<Kind<unknown>, 'rows' | 'each' | 'part'>): Exact | undefined {
  const { each, part, rows = part === undefined ? undefined : rowsOfPart(part) } = kind;
  if (isArray(value)) return each === undefined ? value : value.map((element) => lasting(element, each) ?? null);
  if (!isObject(value) || value.size === 0) return value;
  const kept = [...value].flatMap(([key, member]) => {
    const row = rows !== undefined && Object.hasOwn(rows, key) ? rows[key] : undefined;
    if (row?.mayChangeOnResume === true) return [];
    const inner = row?.kind ?? each;
    const left = inner === undefined ? member : lasting(member, inner);
    return left === undefined ? [] : [[key, left] as const];
  });
  return kept.length === 0 ? undefined : new Map(kept);
}

/** Fingerprints all that decides which items a run extracts, by path. */
export function fingerprintRun(
  { written, values, state, jobs, outputNames, bounds, select, backfill = {} }: RunIdentity,
  secrets: Secrets,
): ConfigFingerprint {
  const isSecret = (text: string) => secrets.isSecret(text) || secrets.mask(text) !== text;
  const { maxPages = null, maxItems = null } = bounds;
  const chosen = jobs.map(({ name }) => name).join(', ');
  /** Names may be secrets, and still must not change. */
  const named = (value: Exact, path?: string): ConfigFingerprint => {
    const { marks, values } = fingerprintOf(value, () => false, path);
    return { marks, values: Object.fromEntries(Object.entries(values).filter(([, text]) => !isSecret(text))) };
  };
  const parts = [
    fingerprintOf(lasting(written, { part: '' }) ?? null, isSecret),
    fingerprintOf(state, isSecret, 'state'),
    named(chosen, 'the choice of jobs'),
    named(outputNames, 'outputNames'),
    named(fromPlain({ maxPages, maxItems })),
    ...(values.size === 0 ? [] : [named(digestOf(stringifyExact(values)), 'the files of `each`')]),
    ...(Object.keys(backfill).length === 0 ? [] : [named(fromPlain(backfill), 'backfill')]),
    ...(select.length === 0 ? [] : [named(select.join('\n'), 'select')]),
  ];
  return {
    marks: Object.assign({}, ...parts.map(({ marks }) => marks)),
    values: Object.assign({}, ...parts.map(({ values }) => values)),
  };
}

const mostNamed = 5;

/** Throws ERR_RESUME with the differences. */
export function assertSameRun({ store, earlier }: Checkpoint, now: ConfigFingerprint): void {
  const [last] = earlier;
  const all = last === undefined ? [] : differences(last.begin, now);
  if (all.length === 0) return;
  const more = all.length > mostNamed ? `, and ${all.length - mostNamed} more` : '';
  throw new ExtractError(
    'ERR_RESUME',
    `the run in "${store.name}" used another configuration or window: ${all.slice(0, mostNamed).join(', ')}${more}`,
  );
}
