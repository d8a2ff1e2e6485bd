/** Formats one value by a directive of `sprintf`. */
import { ExtractError } from '../../core/errors/errors.js';
import type { Exact } from '../../core/json/exact.js';
import { toDouble, toInteger, toText } from './convert.js';
import { fixed, general, scientific } from './decimal.js';

export interface Directive {
  readonly letter: string;
  /** The value is left-aligned. */
  readonly left: boolean;
  /** Positive numbers show their sign. */
  readonly plus: boolean;
  /** One character. */
  readonly fill: string;
  /** Least bytes of UTF-8. */
  readonly width: number;
  /** Digits after the point, or bytes of a text; `undefined` is 6, or all. */
  readonly precision: number | undefined;
}

/** Throws ERR_FUNCTION for an unknown letter, and for a value that does not fit it. */
export function write(directive: Directive, value: Exact): string {
  const writer = writers.get(directive.letter);
  if (writer !== undefined) return writer(value, directive);
  const letters = [...writers.keys()].join(', ');
  throw new ExtractError('ERR_FUNCTION', `unknown directive in the format: expected one of ${letters} or %`);
}

type Writer = (value: Exact, directive: Directive) => string;

const writers: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ['b', digits(2)],
  ['c', characterOf],
  ['d', whole],
  ['e', double(scientific)],
  ['E', double((number, digits) => scientific(number, digits).toUpperCase())],
  ['f', double(fixed)],
  ['F', double(fixed)],
  ['g', double(general)],
  ['G', double((number, digits) => general(number, digits).toUpperCase())],
  ['o', digits(8)],
  ['s', (value, directive) => set(cut(toText(value), directive.precision), directive)],
  ['u', (value, directive) => set(unsigned(value, 10), withoutZerosBehind(directive))],
  ['x', digits(16)],
  ['X', digits(16, (text) => text.toUpperCase())],
]);

/** With a precision the result is empty, as in PHP. */
function digits(base: number, form = (text: string): string => text): Writer {
  return (value, directive) => set(directive.precision === undefined ? form(unsigned(value, base)) : '', directive);
}

/** A negative number is written as its 64 bits. */
function unsigned(value: Exact, base: number): string {
  const number = toInteger(value);
  return (number < 0n ? BigInt.asUintN(64, number) : number).toString(base);
}

/** Width does not apply. Only ASCII codes are characters of UTF-8. */
function characterOf(value: Exact): string {
  const code = toInteger(value);
  if (code >= 0n && code < 128n) return String.fromCharCode(Number(code));
  throw new ExtractError('ERR_FUNCTION', 'expected the code of an ASCII character, from 0 to 127');
}

function whole(value: Exact, directive: Directive): string {
  const number = toInteger(value);
  const sign = number < 0n ? '-' : directive.plus ? '+' : '';
  return setSigned(sign, String(number < 0n ? -number : number), withoutZerosBehind(directive));
}

function double(form: (number: number, digits: number) => string): Writer {
  return (value, directive) => {
    const number = toDouble(value);
    const sign = number < 0 ? '-' : directive.plus ? '+' : '';
    return setSigned(sign, form(Math.abs(number), Math.min(directive.precision ?? 6, mostDigits)), directive);
  };
}

/** More than a double has. */
const mostDigits = 53;

/** Zeros after an integer would change it. */
const withoutZerosBehind = (directive: Directive): Directive =>
  directive.left && directive.fill === '0' ? { ...directive, fill: ' ' } : directive;

/** Zeros go after the sign of a number, other fill before it. */
function setSigned(sign: string, digits: string, directive: Directive): string {
  if (directive.left || directive.fill !== '0') return set(sign + digits, directive);
  return sign + set(digits, { ...directive, width: directive.width - sign.length });
}

function set(text: string, { left, fill, width }: Directive): string {
  const filling = fill.repeat(Math.max(0, width - Buffer.byteLength(text)));
  return left ? text + filling : filling + text;
}

/** Cuts to so many bytes, without an incomplete character. */
function cut(text: string, bytes: number | undefined): string {
  if (bytes === undefined) return text;
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
