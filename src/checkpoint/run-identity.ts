/** Identifies a run by its configuration, time window and options: a resume needs the same ones. */

import { rowsOfPart } from '../config/part-rows.js';
import { ExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactObject, isArray, isObject, stringifyExact } from '../core/json/exact.js';
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
  /** The options that decide which items a run extracts, by name, as they apply; absent ones are null. */
  readonly options: ExactObject;
  /** The same of a run that sets none of them. */
  readonly unsetOptions: ExactObject;
  /** When the run first started, in epoch ms. */
  readonly startedAt: number;
}

export interface FingerprintedRun extends RunIdentity {
  /** `fingerprintRun` of it. */
  fingerprint(): ConfigFingerprint;
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
  { written, values, options }: Pick<RunIdentity, 'written' | 'values' | 'options'>,
  secrets: Secrets,
): ConfigFingerprint {
  const isSecret = (text: string) => secrets.isSecret(text) || secrets.mask(text) !== text;
  /** Names may be secrets, and still must not change. */
  const named = (value: Exact, path: string): ConfigFingerprint => {
    const { marks, values } = fingerprintOf(value, () => false, path);
    return { marks, values: Object.fromEntries(Object.entries(values).filter(([, text]) => !isSecret(text))) };
  };
  const parts = [
    fingerprintOf(lasting(written, { part: '' }) ?? null, isSecret),
    // Secrets in the state may change, as those of the configuration.
    ...[...options].map(([name, value]) =>
      name === 'state' ? fingerprintOf(value, isSecret, name) : named(value, name),
    ),
    ...(values.size === 0 ? [] : [named(digestOf(stringifyExact(values)), 'the files of `each`')]),
  ];
  return {
    marks: Object.assign({}, ...parts.map(({ marks }) => marks)),
    values: Object.assign({}, ...parts.map(({ values }) => values)),
  };
}

/** A digest of a configuration without its secrets: what is known of a page belongs to one. */
export function markOfConfiguration(written: Exact, secrets: Secrets): string {
  const isSecret = (text: string) => secrets.isSecret(text) || secrets.mask(text) !== text;
  const { marks } = fingerprintOf(lasting(written, { part: '' }) ?? null, isSecret);
  return digestOf(JSON.stringify(Object.entries(marks)));
}

const mostNamed = 5;

/** Throws ERR_RESUME with the differences. An option that was added since the run began may be absent in its state. */
export function assertSameRun(
  { store, earlier }: Checkpoint,
  now: ConfigFingerprint,
  { options, unsetOptions }: Pick<RunIdentity, 'options' | 'unsetOptions'>,
): void {
  const [last] = earlier;
  if (last === undefined) return;
  const before = last.begin;
  const isUnset = (name: string) =>
    stringifyExact(options.get(name) ?? null) === stringifyExact(unsetOptions.get(name) ?? null);
  const isAdded = (path: string) => before.marks[path] === undefined && unsetOptions.has(path) && isUnset(path);
  const marks = Object.fromEntries(Object.entries(now.marks).filter(([path]) => !isAdded(path)));
  const all = differences(before, { ...now, marks });
  if (all.length === 0) return;
  const more = all.length > mostNamed ? `, and ${all.length - mostNamed} more` : '';
  throw new ExtractError(
    'ERR_RESUME',
    `the run in "${store.name}" used another configuration or window: ${all.slice(0, mostNamed).join(', ')}${more}`,
  );
}
