/**
 * Checks items in bytes against a shape: a program that `sinks/shape/checker.ts` writes after the items. The bytes
 * are compact, valid JSON, a line for each item. An item that fits in another notation, such as with an escape in a
 * name, does not fit here: the caller reads it with care.
 */

/** The size of the items at most. */
export const MOST_BYTES: u32 = 131072;
/** Vectors may be read this far after the end. */
const SLACK: usize = 16;

const ITEMS: usize = memory.data(131072 + 16, 16);

// A node: fields of 4 bytes.
const TYPES: usize = 0;
/** What a string must be: 0 anything, `DATE` and so on. */
const FORM: usize = 4;
const VALUES: usize = 8;
const VALUES_END: usize = 12;
const ELEMENT: usize = 16;
const MEMBERS: usize = 20;
const MEMBERS_END: usize = 24;
/** How many members an object must have. */
const REQUIRED: usize = 28;
/** The node of members that are not listed: `NONE`, `ANY`, or its address. */
const REST: usize = 32;

// A text: its address and its length.
const LENGTH: usize = 4;
const TEXT_SIZE: usize = 8;

// A member: its name as it is written, with quotes and colon, then these.
const VALUE: usize = 8;
const IS_REQUIRED: usize = 12;
/** The number of the object in which it was last seen. */
const SEEN: usize = 16;
const MEMBER_SIZE: usize = 20;

const NONE: usize = 0;
const ANY: usize = 1;

const NULL: u32 = 1;
const BOOLEAN: u32 = 2;
const INTEGER: u32 = 4;
const NUMBER: u32 = 8;
const STRING: u32 = 16;
const OBJECT: u32 = 32;
const ARRAY: u32 = 64;

const DATE: u32 = 1;
const DATE_TIME: u32 = 2;
const UUID: u32 = 3;
const ONE_OF: u32 = 4;

/** Counts objects. */
let objects: u32 = 0;

export function itemsAt(): usize {
  return ITEMS;
}

/** Where a program may begin. */
export function programAt(): usize {
  return (ITEMS + MOST_BYTES + SLACK + 7) & ~7;
}

/** Returns the place of the first item that does not fit, or `to`. */
export function check(node: usize, from: usize, to: usize): usize {
  let at = from;
  while (at < to) {
    const behind = afterFitting(node, at);
    if (behind == 0 || load<u8>(behind) != 10) return at;
    at = behind + 1;
  }
  return to;
}

/** Returns the place after the value at `at`; 0 when it does not fit. */
function afterFitting(node: usize, at: usize): usize {
  if (node == ANY) return afterAny(at);
  const types = load<u32>(node, TYPES);
  const byte = <u32>load<u8>(at);
  if (byte == 34) {
    if ((types & STRING) == 0) return 0;
    const behind = afterString(at + 1);
    return load<u32>(node, FORM) == 0 || isOfForm(node, at, behind) ? behind : 0;
  }
  if (byte == 123) return (types & OBJECT) == 0 ? 0 : afterObject(node, at + 1);
  if (byte == 91) return (types & ARRAY) == 0 ? 0 : afterArray(load<u32>(node, ELEMENT), at + 1);
  if (byte == 110) return (types & NULL) == 0 ? 0 : at + 4;
  if (byte > 57) return (types & BOOLEAN) == 0 ? 0 : at + 4 + <usize>(byte == 102);
  return afterNumber(types, at);
}

function afterNumber(types: u32, from: usize): usize {
  let at = from + 1;
  let isWhole = true;
  while (true) {
    const byte = <u32>load<u8>(at);
    if (byte - 48 >= 10) {
      if (byte == 44 || byte == 125 || byte == 93 || byte == 10) break;
      isWhole = false;
    }
    at++;
  }
  return (types & (isWhole ? INTEGER | NUMBER : NUMBER)) == 0 ? 0 : at;
}

function afterArray(element: usize, from: usize): usize {
  let at = from;
  if (load<u8>(at) == 93) return at + 1;
  while (true) {
    at = afterFitting(element, at);
    if (at == 0) return 0;
    if (load<u8>(at) == 93) return at + 1;
    at++;
  }
}

function afterObject(node: usize, from: usize): usize {
  const first = <usize>load<u32>(node, MEMBERS);
  const end = <usize>load<u32>(node, MEMBERS_END);
  let missing = load<u32>(node, REQUIRED);
  let at = from;
  if (load<u8>(at) == 125) return missing == 0 ? at + 1 : 0;
  const own = ++objects;
  let next = first;
  while (true) {
    // Most objects have their members in the order of the shape.
    const member = next < end && isAt(at, next) ? next : memberAt(at, first, end);
    if (member == NONE) {
      const rest = <usize>load<u32>(node, REST);
      if (rest == NONE) return 0;
      at = afterFitting(rest, afterString(at + 1) + 1);
    } else {
      next = member + MEMBER_SIZE;
      if (load<u32>(member, SEEN) != own) {
        store<u32>(member, own, SEEN);
        missing -= load<u32>(member, IS_REQUIRED);
      }
      at = afterFitting(load<u32>(member, VALUE), at + load<u32>(member, LENGTH));
    }
    if (at == 0) return 0;
    if (load<u8>(at) == 125) return missing == 0 ? at + 1 : 0;
    at++;
  }
}

function memberAt(at: usize, first: usize, end: usize): usize {
  for (let member = first; member < end; member += MEMBER_SIZE) if (isAt(at, member)) return member;
  return NONE;
}

/** Whether the text of an entry is at `at`. */
// @ts-ignore: decorator
@inline
function isAt(at: usize, entry: usize): bool {
  const text = <usize>load<u32>(entry);
  const length = <usize>load<u32>(entry, LENGTH);
  let done: usize = 0;
  for (; done + 8 <= length; done += 8) if (load<u64>(at + done) != load<u64>(text + done)) return false;
  const bits = <u64>(length - done) << 3;
  return bits == 0 || (load<u64>(at + done) ^ load<u64>(text + done)) << (64 - bits) == 0;
}

/** Returns the place after the closing quote of the string whose inside goes on at `at`. */
// @ts-ignore: decorator
@inline
function afterString(at: usize): usize {
  while (true) {
    const bytes = v128.load(at);
    const mask = i8x16.bitmask(v128.or(i8x16.eq(bytes, i8x16.splat(34)), i8x16.eq(bytes, i8x16.splat(92))));
    if (mask == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(mask);
    if (load<u8>(at) == 34) return at + 1;
    at += 2;
  }
}

/** Returns the place after any value. */
function afterAny(from: usize): usize {
  let at = from;
  let depth = 0;
  while (true) {
    const byte = <u32>load<u8>(at);
    if (byte == 34) {
      at = afterString(at + 1);
      if (depth == 0) return at;
      continue;
    }
    if (byte == 44 || byte == 10) {
      if (depth == 0) return at;
    } else if (byte == 123 || byte == 91) depth++;
    else if (byte == 125 || byte == 93) {
      if (depth == 0) return at;
      if (--depth == 0) return at + 1;
    }
    at++;
  }
}

/** Whether the string between two places, with its quotes, is what the node says. */
function isOfForm(node: usize, at: usize, behind: usize): bool {
  const form = load<u32>(node, FORM);
  if (form == ONE_OF) return isOneOf(node, at, behind);
  const length = behind - at - 2;
  if (form == DATE) return length == 10 && isDate(at + 1);
  if (form == UUID) return length == 36 && isUuid(at + 1);
  return form == DATE_TIME && length >= 20 && isDate(at + 1) && isTime(at + 11, behind - 1);
}

function isOneOf(node: usize, at: usize, behind: usize): bool {
  const end = <usize>load<u32>(node, VALUES_END);
  const length = <u32>(behind - at);
  for (let value = <usize>load<u32>(node, VALUES); value < end; value += TEXT_SIZE) {
    if (load<u32>(value, LENGTH) == length && isAt(at, value)) return true;
  }
  return false;
}

/** The number of two digits; 100 or more when they are none. */
// @ts-ignore: decorator
@inline
function twoDigits(at: usize): u32 {
  const tens = <u32>load<u8>(at) - 48;
  const ones = <u32>load<u8>(at, 1) - 48;
  return tens > 9 || ones > 9 ? 100 : tens * 10 + ones;
}

/** `2026-11-27`. */
function isDate(at: usize): bool {
  return (
    twoDigits(at) < 100 &&
    twoDigits(at + 2) < 100 &&
    load<u8>(at, 4) == 45 &&
    twoDigits(at + 5) - 1 < 12 &&
    load<u8>(at, 7) == 45 &&
    twoDigits(at + 8) - 1 < 31
  );
}

/** `T10:05:59.123Z`, or with an offset such as `+02:00`, up to `end`. */
function isTime(from: usize, end: usize): bool {
  const isClock =
    (load<u8>(from) | 32) == 116 &&
    twoDigits(from + 1) < 24 &&
    load<u8>(from, 3) == 58 &&
    twoDigits(from + 4) < 60 &&
    load<u8>(from, 6) == 58 &&
    twoDigits(from + 7) < 61;
  if (!isClock) return false;
  let at = from + 9;
  if (load<u8>(at) == 46) {
    const fraction = ++at;
    while (<u32>load<u8>(at) - 48 < 10) at++;
    if (at == fraction) return false;
  }
  const zone = <u32>load<u8>(at);
  if ((zone | 32) == 122) return at + 1 == end;
  const isOffset = (zone == 43 || zone == 45) && twoDigits(at + 1) < 24 && load<u8>(at, 3) == 58 && twoDigits(at + 4) < 60;
  return isOffset && at + 6 == end;
}

function isUuid(at: usize): bool {
  for (let place: usize = 0; place < 36; place++) {
    const byte = <u32>load<u8>(at + place);
    if (place == 8 || place == 13 || place == 18 || place == 23) {
      if (byte != 45) return false;
    } else if (byte - 48 > 9 && (byte | 32) - 97 > 5) return false;
  }
  return true;
}
