/** `case.json`, the settings of a test case: every member is optional. docs/05-command-line.md#rxtract-test. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseJsonc } from '../../config/document.js';
import { errorCodes } from '../../core/errors/error-codes.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { type ExactObject, isObject } from '../../core/json/exact.js';
import { kind, type OptionRows, type OptionsOf, refine } from '../../core/options/kind.js';
import { flag, nonEmptyText, numberOf, text, whole, word } from '../../core/options/kinds.js';
import { isPlain, listOf, union } from '../../core/options/object-kinds.js';
import { describeKind, readOptions } from '../../core/options/read-options.js';

export interface ExpectedError {
  readonly code: string;
  /** A part of its message; absent: any message. */
  readonly message?: string;
}

const texts = listOf(text, 'texts');

const textMap = kind<Readonly<Record<string, string>>>(
  'an object whose values are texts',
  (value) => isPlain(value) && Object.values(value).every((each) => typeof each === 'string'),
  {
    fromExact: (value) => (isObject(value) ? Object.fromEntries(value) : value),
    schema: { type: 'object', additionalProperties: { type: 'string' } },
  },
);

const state = kind<ExactObject>('an object', isObject, { schema: { type: 'object' } });

/** By data type; `*` is for all others. */
const countMap = kind<Readonly<Record<string, number>>>(
  'an object whose values are whole numbers from 0 up',
  (value) => isPlain(value) && Object.values(value).every((each) => Number.isSafeInteger(each) && Number(each) >= 0),
  {
    fromExact: (value) =>
      isObject(value) ? Object.fromEntries([...value].map(([name, each]) => [name, numberOf(each)])) : value,
    schema: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
  },
);

const leastItems = union(whole(0), countMap, 'a whole number from 0 up, or an object whose values are such numbers');

/** Epoch ms, written as a date with its time. */
const time = kind<number>('a time such as "2026-01-31T00:00:00Z"', (value) => Number.isSafeInteger(value), {
  fromExact: (value) => (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : value),
  schema: { type: 'string', format: 'date-time' },
});

const codes = Object.keys(errorCodes);

const error = refine(
  kind<ExpectedError>('a code such as "ERR_STATUS", or an object with code and message', isExpectedError, {
    fromExact: (value) => (isObject(value) ? Object.fromEntries(value) : { code: value }),
    schema: { type: ['string', 'object'] },
    offers: codes,
  }),
  'a code that `rxtract help errors` lists',
  ({ code }) => codes.includes(code),
  { type: ['string', 'object'] },
);

function isExpectedError(value: unknown): boolean {
  if (!isPlain(value) || typeof value.code !== 'string') return false;
  const { code: _, message = '', ...others } = value;
  return typeof message === 'string' && Object.keys(others).length === 0;
}

const rows = {
  config: { kind: nonEmptyText, summary: 'the configuration, relative to the folder of the case' },
  recording: { kind: nonEmptyText, summary: 'the recording, relative to the folder of the case' },
  expected: { kind: nonEmptyText, summary: 'the expected items, relative to the folder of the case' },
  skip: { kind: nonEmptyText, summary: 'why the case is left out' },
  set: { kind: texts, summary: 'as `--set` of `run`' },
  env: { kind: textMap, summary: 'the variables of the configuration' },
  jobs: { kind: texts, summary: 'as `--job` of `run`' },
  select: { kind: texts, summary: 'as `--select` of `run`' },
  maxPages: { kind: whole(1), summary: 'as `--max-pages` of `run`' },
  maxItems: { kind: whole(1), summary: 'as `--max-items` of `run`' },
  minItems: { kind: leastItems, summary: 'as `--min-items` of `run`' },
  state: { kind: state, summary: 'the state that an earlier run left, as in `out/state.json` of a data folder' },
  time: { kind: time, summary: 'when the run begins' },
  error: { kind: error, summary: 'the failure that is expected' },
  unused: { kind: word('fail', 'allow'), summary: 'what responses mean that no request needs' },
  strict: { kind: flag, summary: 'as `--strict` of `run`' },
  allow: { kind: texts, summary: 'as `--allow` of `run`' },
} satisfies OptionRows;

/** The settings of a case. */
export type CaseFile = OptionsOf<typeof rows>;

/** Settings, or everything that is wrong with them. */
export type ReadCaseFile = { readonly settings: CaseFile } | { readonly problems: readonly string[] };

/** Reads `case.json` at `path`. Rejects with ERR_CONFIG_SYNTAX, whose message names the place. */
export async function readCaseFile(path: string): Promise<ReadCaseFile> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    return { problems: [`${path}: cannot be read: ${describeSystemError(thrown)}`] };
  }
  const document = parseJsonc(bytes, path);
  if (!isObject(document)) return { problems: [`${path}: expected an object, found ${describeKind(document)}`] };
  const read = readOptions(rows, document, 'document');
  if (read.problems === undefined) return { settings: read.options };
  return { problems: read.problems.map(({ name, message }) => `${path}: ${name}: ${message}`) };
}

/** A path of the settings, as a path of this process. */
export const besideCase = (casePath: string, path: string): string => resolve(dirname(casePath), path);
