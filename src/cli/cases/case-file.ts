/** `case.json`, the settings of a test case: every member is optional. docs/05-command-line.md#rxtract-test. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseJsonc } from '../../config/document.js';
import { errorCodes } from '../../core/errors/error-codes.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { type Exact, isArray, isNumber, isObject, stringifyExact } from '../../core/json/exact.js';
import { didYouMean } from '../../core/util/suggest.js';
import { describeKind } from '../../language/read.js';

/** The settings of a case, as written. */
export interface CaseFile {
  /** Paths, relative to the folder of the case. */
  readonly config?: string;
  readonly recording?: string;
  readonly expected?: string;
  /** Why the case is left out. */
  readonly skip?: string;
  /** As `--set` of `run`. */
  readonly set?: readonly string[];
  /** The variables of the configuration. */
  readonly env?: Readonly<Record<string, string>>;
  /** As `--job` and `--select` of `run`. */
  readonly jobs?: readonly string[];
  readonly select?: readonly string[];
  readonly maxPages?: number;
  readonly maxItems?: number;
  /** The state that an earlier run left, as in `out/state.json` of a data folder: JSON. */
  readonly state?: string;
  /** When the run begins, in epoch ms. */
  readonly time?: number;
  /** The failure that is expected. */
  readonly error?: ExpectedError;
  readonly unused?: 'fail' | 'allow';
  readonly strict?: boolean;
  readonly allow?: readonly string[];
}

export interface ExpectedError {
  readonly code: string;
  /** A part of its message; absent: any message. */
  readonly message?: string;
}

/** Reads a value. A text is a problem: what was expected. */
type Reader<T> = (found: Exact) => { readonly value: T } | string;

const text: Reader<string> = (value) => (typeof value === 'string' && value !== '' ? { value } : 'a text');

const yesOrNo: Reader<boolean> = (value) => (typeof value === 'boolean' ? { value } : 'true or false');

const count: Reader<number> = (value) => {
  const found = isNumber(value) && /^\d{1,9}$/.test(value.text) ? Number(value.text) : 0;
  return found === 0 ? 'a whole number from 1 up' : { value: found };
};

const texts: Reader<readonly string[]> = (value) => {
  const found = isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  return isArray(value) && found.length === value.length ? { value: found } : 'a list of texts';
};

const textMap: Reader<Readonly<Record<string, string>>> = (value) => {
  const found = isObject(value)
    ? [...value].filter((each): each is [string, string] => typeof each[1] === 'string')
    : [];
  return isObject(value) && found.length === value.size
    ? { value: Object.fromEntries(found) }
    : 'an object whose values are texts';
};

const anObject: Reader<string> = (value) => (isObject(value) ? { value: stringifyExact(value) } : 'an object');

const time: Reader<number> = (value) => {
  const at = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? 'a time such as "2026-01-31T00:00:00Z"' : { value: at };
};

const error: Reader<ExpectedError> = (value) => {
  const [code, message] = isObject(value) ? [value.get('code'), value.get('message')] : [value];
  const isWhole = !isObject(value) || [...value.keys()].every((name) => name === 'code' || name === 'message');
  if (!isWhole || typeof code !== 'string') return 'a code such as "ERR_STATUS", or an object with code and message';
  if (!Object.hasOwn(errorCodes, code)) {
    return `a code that \`rxtract help errors\` lists${didYouMean(code, Object.keys(errorCodes)).replace('?', '')}`;
  }
  if (message === undefined) return { value: { code } };
  return typeof message === 'string' ? { value: { code, message } } : 'a text as its message';
};

const rule: Reader<'fail' | 'allow'> = (value) =>
  value === 'fail' || value === 'allow' ? { value } : '"fail" or "allow"';

const members: { readonly [Name in keyof CaseFile]-?: Reader<NonNullable<CaseFile[Name]>> } = {
  config: text,
  recording: text,
  expected: text,
  skip: text,
  set: texts,
  env: textMap,
  jobs: texts,
  select: texts,
  maxPages: count,
  maxItems: count,
  state: anObject,
  time,
  error,
  unused: rule,
  strict: yesOrNo,
  allow: texts,
};

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
  const read = [...document].map(([name, value]) => readMember(name, value));
  const problems = read.flatMap((each) => (typeof each === 'string' ? [`${path}: ${each}`] : []));
  if (problems.length > 0) return { problems };
  return { settings: Object.fromEntries(read.filter((each) => typeof each !== 'string')) };
}

/** A path of the settings, as a path of this process. */
export const besideCase = (casePath: string, path: string): string => resolve(dirname(casePath), path);

function readMember(name: string, value: Exact): readonly [string, unknown] | string {
  const names = Object.keys(members);
  const reader: Reader<unknown> | undefined = Object.entries(members).find(([each]) => each === name)?.[1];
  if (reader === undefined) {
    const near = didYouMean(name, names);
    return `${name}: there is no such member${near === '' ? `; there are ${names.join(', ')}` : near}`;
  }
  const read = reader(value);
  return typeof read === 'string' ? `${name}: expected ${read}, found ${describeKind(value)}` : [name, read.value];
}
