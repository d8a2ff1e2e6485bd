/**
 * Parses text into exact JSON, and locates the fault of invalid text. Runs stream-json's tokenizers over whole texts,
 * synchronously and without recursion.
 */
import type { JsoncToken } from 'stream-json/core/jsonc/parser.js';
import { jsonParser, type Token } from 'stream-json/core/parser.js';
import { jsonVerifier } from 'stream-json/core/utils/verifier.js';
import { ExtractError } from '../errors/errors.js';
import { asBuffer } from '../util/as-buffer.js';
import { type Exact, ExactNumber, stringifyExact } from './exact.js';

/** Objects and lists may be nested this deep. */
export const maxDepth = 512;

/** Each token holds a complete value: strings, numbers and names are not split. */
export const packedTokens = { packValues: true, streamValues: false } as const;

/**
 * Parses strict JSON; of a repeated member the first position and the last value count. A leading byte-order mark is
 * skipped. Throws ERR_JSON, ERR_UTF8 (both with the byte offset) and ERR_DEPTH.
 */
export function parseExact(json: string | Uint8Array): Exact {
  const text = withoutMark(typeof json === 'string' ? json : decode(json));
  const [value = null] = assemble(tokenize(jsonParser(packedTokens), text, () => jsonFault(text)));
  return value;
}

/** Parses strict JSON as `parseExact`. Undefined: the text is none. */
export function parseIfJson(json: string | Uint8Array): Exact | undefined {
  try {
    return parseExact(json);
  } catch {
    return undefined;
  }
}

/** A stage of stream-json called directly: text in, tokens out. */
export type Stage<Out> = (text: never) => Out;

/**
 * Ends the input of a stage. This is stream-chain's `none`, taken from the symbol registry because that package is not
 * our dependency.
 */
const endOfInput = Symbol.for('object-stream.none') as never; // typed `unique symbol` in that package

/**
 * Runs a tokenizer over a whole text. If it throws, throws the error from `fault` instead: the tokenizer's own message
 * has no position.
 */
export function tokenize<T>(tokenizer: Stage<{ values: T[] } | symbol>, text: string, fault: () => Error): T[] {
  try {
    const body = tokenizer(text as never); // a stage takes text or the end; `never` fits either
    const rest = tokenizer(endOfInput);
    const tokens = typeof body === 'symbol' ? [] : body.values;
    if (typeof rest !== 'symbol') tokens.push(...rest.values);
    return tokens;
  } catch {
    throw fault();
  }
}

interface Level {
  readonly list: Exact[] | undefined;
  readonly members: Map<string, Exact>;
  key: string;
}

/** Receives the path of a repeated member, as keys and indexes. */
export type OnDuplicate = (path: readonly (string | number)[]) => void;

/**
 * Builds values from packed tokens. For a repeated member the first position and the last value count. Throws
 * ERR_DEPTH.
 */
export function assemble(tokens: readonly (Token | JsoncToken)[], onDuplicate?: OnDuplicate): readonly Exact[] {
  const roots: Exact[] = [];
  const levels: Level[] = [];
  let at: Level | undefined;

  const put = (value: Exact) => {
    if (at === undefined) roots.push(value);
    else if (at.list !== undefined) at.list.push(value);
    else at.members.set(at.key, value);
  };
  const open = (list: Exact[] | undefined) => {
    if (levels.length === maxDepth) throw new ExtractError('ERR_DEPTH', `nested deeper than ${maxDepth} levels`);
    const level = { list, members: new Map<string, Exact>(), key: '' };
    put(list ?? level.members);
    levels.push(level);
    at = level;
  };

  for (const token of tokens) {
    if (token.name === 'startObject') open(undefined);
    else if (token.name === 'startArray') open([]);
    else if (token.name === 'endObject' || token.name === 'endArray') {
      levels.pop();
      at = levels.at(-1);
    } else if (token.name === 'keyValue') {
      if (at === undefined) continue;
      at.key = token.value;
      if (onDuplicate !== undefined && at.members.has(token.value)) onDuplicate(levels.map(stepOf));
    } else if (token.name === 'numberValue') put(new ExactNumber(token.value));
    else if (token.name === 'stringValue') put(token.value);
    else if (token.name === 'trueValue' || token.name === 'falseValue' || token.name === 'nullValue') put(token.value);
  }
  return roots;
}

const stepOf = ({ list, key }: Level): string | number => (list === undefined ? key : list.length - 1);

/**
 * The position where a text stops being valid JSON, in UTF-16 units, and the reason. The reason quotes nothing of the
 * text.
 */
export interface Fault {
  readonly offset: number;
  readonly reason: string;
}

/** Finds the fault of a text that a tokenizer rejected, with the verifier of the same dialect. */
export function findFault(verifier: Stage<unknown>, text: string): Fault {
  try {
    verifier(text as never); // as above
    verifier(endOfInput);
  } catch (error) {
    if (error instanceof Error && 'offset' in error && typeof error.offset === 'number') {
      const early = error.offset >= text.length;
      return {
        offset: error.offset,
        reason: early ? `unexpected end: ${describeReason(error)}` : describeReason(error),
      };
    }
  }
  return { offset: 0, reason: 'expected JSON' };
}

/** Replaces phrases of stream-json that do not help a user. */
const reasons: Readonly<Record<string, string>> = {
  'escaped characters': 'expected a character that a string may hold: no bare line break, no unknown escape',
  'unexpected characters': 'expected nothing more after the value',
  "unexpected token ']'": "expected a value before ']'",
  "unexpected token '}'": "expected a member name before '}'",
  'expected an object key': 'expected a member name in double quotes',
  "expected ','": "expected ',' or the closing bracket",
  'expected a string value': 'expected the closing quote of a string',
};

function describeReason({ message }: Error): string {
  const words = message.replace(/^ERROR at .*?: Verifier (?:cannot parse input: |has )?/, '');
  return reasons[words] ?? words;
}

/** Returns the ERR_JSON of a text that a tokenizer rejected. `from` is the byte offset of the text. */
export function jsonFault(text: string, from = 0): ExtractError {
  const { offset, reason } = findFault(jsonVerifier(), text);
  const bytes = from + Buffer.byteLength(text.slice(0, offset));
  return new ExtractError('ERR_JSON', `invalid JSON at byte ${bytes}: ${reason}`, { offset: bytes });
}

const byteOrderMark = '\uFEFF';

/** Removes a leading byte-order mark. */
export const withoutMark = (text: string): string => (text.startsWith(byteOrderMark) ? text.slice(1) : text);

/** Decodes UTF-8 and removes a leading byte-order mark. Throws ERR_UTF8 with the byte offset. */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const offset = firstBadByte(bytes);
    throw new ExtractError('ERR_UTF8', `invalid UTF-8 at byte ${offset}`, { offset });
  }
}

/** The lenient decoder returns U+FFFD for a bad byte; a U+FFFD of the input itself is three bytes long. */
function firstBadByte(bytes: Uint8Array): number {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let offset = 0;
  for (const character of text) {
    const isReal = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (character === '\uFFFD' && !isReal) return offset;
    offset += Buffer.byteLength(character);
  }
  return offset;
}

/** Returns the values as lines of JSON. */
export const stringifyLines = (values: readonly Exact[]): string =>
  values.map((value) => `${stringifyExact(value)}\n`).join('');

/** Parses lines of JSON, each with its newline. */
export function* parseLines(lines: Uint8Array): Iterable<Exact> {
  const text = asBuffer(lines).toString('utf8');
  for (const line of text.split('\n').slice(0, -1)) yield parseExact(line);
}
