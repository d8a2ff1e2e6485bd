/**
 * Strings, numbers and literals. Each has a fast form for a token that lies whole in the window, and a resumable one:
 * `cut` says where inside a token the window ended, so that nothing is carried over and no token is too long.
 */
import { CONTROL, DIGIT, ESCAPE, fail, HEX, LITERAL } from './faults';
import { ESCAPES, HEXES } from './memory';

// Places inside a token. Known to ../faults.ts, which says in words what the document ended inside.
const BODY: i32 = 1;
const AFTER_BACKSLASH: i32 = 2;
const HEX_LAST: i32 = 3; // 3..6: one to four hexadecimal digits are missing
const HEX_FIRST: i32 = 6;
const IN_LITERAL: i32 = 7;
const START: i32 = 8;
const MINUS: i32 = 9;
const ZERO: i32 = 10;
const INTEGER: i32 = 11;
const POINT: i32 = 12;
const FRACTION: i32 = 13;
const EXPONENT: i32 = 14;
const SIGN: i32 = 15;
const POWER: i32 = 16;

let cut: i32 = 0;
/** The next byte that a cut literal wants. */
let word: usize = 0;

const TRUE = memory.data<u8>([116, 114, 117, 101, 0]);
const FALSE = memory.data<u8>([102, 97, 108, 115, 101, 0]);
const NULL = memory.data<u8>([110, 117, 108, 108, 0]);

export function cutPlace(): i32 {
  return cut;
}

export function clearCut(): void {
  cut = 0;
}

/**
 * Returns the place after the closing quote of the string whose inside goes on at `at`; 0 when it is not plainly
 * whole.
 */
// @ts-ignore: decorator
@inline
export function fastString(at: usize): usize {
  while (true) {
    at = skipPlain(at);
    const byte = <u32>load<u8>(at);
    if (byte == 34) return at + 1;
    if (byte != 92) return 0;
    const length = escapeLength(at);
    if (length == 0) return 0;
    at += length;
  }
}

/** Returns the place of the next quote, backslash or control character. */
// @ts-ignore: decorator
@inline
function skipPlain(at: usize): usize {
  while (true) {
    const bytes = v128.load(at);
    const special = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(34)), i8x16.eq(bytes, i8x16.splat(92))),
      i8x16.eq(i8x16.min_u(bytes, i8x16.splat(31)), bytes),
    );
    const mask = i8x16.bitmask(special);
    if (mask != 0) return at + <usize>ctz(mask);
    at += 16;
  }
}

/** The length of the escape whose backslash is at `at`; 0 when it is wrong or not whole. */
// @ts-ignore: decorator
@inline
function escapeLength(at: usize): usize {
  const kind = load<u8>(ESCAPES + load<u8>(at, 1));
  if (kind != 2) return kind << 1;
  const isWhole =
    load<u8>(HEXES + load<u8>(at, 2)) &
    load<u8>(HEXES + load<u8>(at, 3)) &
    load<u8>(HEXES + load<u8>(at, 4)) &
    load<u8>(HEXES + load<u8>(at, 5));
  return isWhole ? 6 : 0;
}

/** Scans on from `at`, inside a string. Returns the place after the closing quote; 0 after a fault or a cut. */
export function scanString(from: usize, end: usize): usize {
  let at = skipPlain(from);
  while (load<u8>(at) == 92) {
    const length = escapeLength(at);
    if (length == 0) return stopEscape(at, end);
    at = skipPlain(at + length);
  }
  return load<u8>(at) == 34 ? at + 1 : stopString(at, end);
}

function stopString(at: usize, end: usize): usize {
  if (at < end) return fail(CONTROL, at);
  cut = BODY;
  return 0;
}

/** The escape at `at` is wrong, or the window ends inside it. */
function stopEscape(at: usize, end: usize): usize {
  cut = AFTER_BACKSLASH;
  return finishEscape(at + 1, end);
}

/** Goes on after a backslash. Returns the place after the escape; 0 after a fault or a cut. */
function finishEscape(from: usize, end: usize): usize {
  let at = from;
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (cut == AFTER_BACKSLASH) {
      const kind = load<u8>(ESCAPES + byte);
      if (kind == 0) return fail(ESCAPE, at);
      if (kind == 1) cut = BODY;
      else cut = HEX_FIRST;
    } else {
      if (load<u8>(HEXES + byte) == 0) return fail(HEX, at);
      cut = cut == HEX_LAST ? BODY : cut - 1;
    }
    if (cut == BODY) return at + 1;
  }
  return 0;
}

function finishString(from: usize, end: usize): usize {
  let at = from;
  if (cut != BODY) {
    at = finishEscape(at, end);
    if (at == 0) return 0;
  }
  cut = 0;
  return scanString(at, end);
}

// @ts-ignore: decorator
@inline
function isDigit(byte: u32): bool {
  return byte - 48 < 10;
}

/**
 * Returns the place after the number at `at`; 0 when it is none. A result of `end` or more is unsure: the number may
 * go on.
 */
// @ts-ignore: decorator
@inline
export function fastNumber(at: usize): usize {
  let byte = <u32>load<u8>(at);
  if (byte == 45) byte = load<u8>(++at);
  if (byte == 48) byte = load<u8>(++at);
  else if (isDigit(byte)) {
    do byte = load<u8>(++at);
    while (isDigit(byte));
  } else return 0;
  if (byte == 46) {
    byte = load<u8>(++at);
    if (!isDigit(byte)) return 0;
    do byte = load<u8>(++at);
    while (isDigit(byte));
  }
  if ((byte | 32) == 101) {
    byte = load<u8>(++at);
    if (byte == 43 || byte == 45) byte = load<u8>(++at);
    if (!isDigit(byte)) return 0;
    do byte = load<u8>(++at);
    while (isDigit(byte));
  }
  return at;
}

/** Scans the number at `at` with care. Returns the place after it; 0 after a fault or a cut. */
export function scanNumber(at: usize, end: usize): usize {
  cut = START;
  return finishNumber(at, end);
}

function finishNumber(from: usize, end: usize): usize {
  for (let at = from; at < end; at++) {
    const next = numberStep(cut, load<u8>(at));
    if (next == 0) {
      if (!numberMayEnd(cut)) return fail(DIGIT, at);
      cut = 0;
      return at;
    }
    cut = next;
  }
  return 0;
}

/** Says whether the number that was cut is complete, should the document end here. */
export function numberMayEnd(place: i32): bool {
  return place == ZERO || place == INTEGER || place == FRACTION || place == POWER;
}

/** The place in a number after one more byte; 0 when the byte is no part of it. */
function numberStep(place: i32, byte: u32): i32 {
  if (isDigit(byte)) {
    if (place == START || place == MINUS) return byte == 48 ? ZERO : INTEGER;
    if (place == POINT) return FRACTION;
    if (place == EXPONENT || place == SIGN) return POWER;
    return place == ZERO ? 0 : place;
  }
  if (byte == 45 && place == START) return MINUS;
  if (byte == 46 && (place == ZERO || place == INTEGER)) return POINT;
  if ((byte | 32) == 101 && (place == ZERO || place == INTEGER || place == FRACTION)) return EXPONENT;
  if ((byte == 43 || byte == 45) && place == EXPONENT) return SIGN;
  return 0;
}

/** Returns the place after the literal at `at`; 0 when it is none or not whole. */
// @ts-ignore: decorator
@inline
export function fastLiteral(at: usize): usize {
  const four = load<u32>(at);
  if (four == 0x65757274 || four == 0x6c6c756e) return at + 4; // true, null
  if (four == 0x736c6166 && load<u8>(at, 4) == 101) return at + 5; // fals, e
  return 0;
}

/** Says whether a literal may begin with this byte. */
export function beginsLiteral(byte: u32): bool {
  return byte == 116 || byte == 102 || byte == 110;
}

/** Scans the literal at `at` with care. Returns the place after it; 0 after a fault or a cut. */
export function scanLiteral(at: usize, end: usize): usize {
  const first = load<u8>(at);
  word = first == 116 ? TRUE : first == 102 ? FALSE : NULL;
  cut = IN_LITERAL;
  return finishLiteral(at, end);
}

function finishLiteral(from: usize, end: usize): usize {
  let at = from;
  for (; load<u8>(word) != 0; at++) {
    if (at >= end) return 0;
    if (load<u8>(at) != load<u8>(word)) return fail(LITERAL, at);
    word++;
  }
  cut = 0;
  return at;
}

/** Goes on with the token that the last window cut. Returns the place after it; 0 after a fault or another cut. */
export function finishToken(at: usize, end: usize): usize {
  if (cut <= HEX_FIRST) return finishString(at, end);
  if (cut == IN_LITERAL) return finishLiteral(at, end);
  return finishNumber(at, end);
}
