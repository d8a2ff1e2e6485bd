/** `case.json`, the settings of a test case: every member is optional. docs/05-command-line.md#rxtract-test. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseJsonc } from '../../config/document.js';
import { errorCodes } from '../../core/errors/error-codes.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { isObject } from '../../core/json/exact.js';
import { kind, type OptionRows, type OptionsOf, refine } from '../../core/options/kind.js';
import { nonEmptyText, text, word } from '../../core/options/kinds.js';
import { isPlain, mapOf, withDefaults } from '../../core/options/object-kinds.js';
import { describeKind, readOptions } from '../../core/options/read-options.js';
import { choiceRows, extractRows, jobRows, setRows } from '../../run/run-options.js';

export interface ExpectedError {
  readonly code: string;
  /** A part of its message; absent: any message. */
  readonly message?: string;
}

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

/** The names in the folder of a case. */
export const fileNames = {
  settings: 'case.json',
  config: 'config.json',
  recording: 'recording.jsonl',
  expected: 'expected',
} as const;

/** Members of `case.json` that are options of its run. */
export const runRowsOfCase = { ...jobRows, ...choiceRows, state: extractRows.state };

/** Members of `case.json`. */
export const caseRows = {
  config: {
    kind: nonEmptyText,
    otherwise: fileNames.config,
    summary: 'the configuration, relative to the folder of the case: several cases can share one',
  },
  recording: { kind: nonEmptyText, otherwise: fileNames.recording, summary: 'the recording, relative to the folder' },
  expected: {
    kind: nonEmptyText,
    otherwise: fileNames.expected,
    summary: 'the expected items, relative to the folder',
  },
  env: {
    kind: mapOf(text, 'an object whose values are texts'),
    summary: 'the variables of the configuration',
    otherwise: 'none',
    details: 'A case sees no other variable; a missing one gets a stand-in',
  },
  ...setRows,
  ...runRowsOfCase,
  state: {
    kind: extractRows.state.kind,
    summary: 'the state of an earlier run, as in [`out/state.json`](05-command-line.md#a-data-folder)',
    otherwise: 'that of a first run',
  },
  time: {
    kind: time,
    summary: 'when the run begins, such as `"2026-01-31T00:00:00Z"`',
    otherwise: 'the time of the recording',
    details: 'Its exchanges follow at the distances of the recording',
  },
  error: {
    kind: error,
    summary: 'the run must fail with this code, such as `"ERR_STATUS"`',
    otherwise: 'it must succeed',
    details: 'Or `{ "code": ..., "message": ... }` with a part of the message',
  },
  unused: {
    kind: word('fail', 'allow'),
    default: 'fail',
    summary: '`"allow"`: exchanges of the recording may be left over',
  },
  skip: { kind: nonEmptyText, summary: 'why the case is left out' },
} satisfies OptionRows;

/** The settings of a case. */
export type CaseFile = OptionsOf<typeof caseRows>;

/** Those of a case without `case.json`. */
export const usualSettings: CaseFile = withDefaults(caseRows, {});

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
  const read = readOptions(caseRows, document, 'document');
  if (read.problems === undefined) return { settings: read.options };
  return { problems: read.problems.map(({ name, message }) => `${path}: ${name}: ${message}`) };
}

/** A path of the settings, as a path of this process. */
export const besideCase = (casePath: string, path: string): string => resolve(dirname(casePath), path);
