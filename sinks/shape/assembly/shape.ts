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

// A text: its first 8 bytes, those of them that count, the address of all of it, and its length.
const MASK: usize = 8;
const TEXT: usize = 16;
const LENGTH: usize = 20;
const TEXT_SIZE: usize = 24;

// A member: its name as it is written, with quotes and colon, then these.
const VALUE: usize = 24;
const IS_REQUIRED: usize = 28;
/** The number of the object in which it was last seen. */
const SEEN: usize = 32;
const MEMBER_SIZE: usize = 40;

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
    const form = load<u32>(node, FORM);
    if (form == ONE_OF) return afterOneOf(node, at);
    const behind = afterString(at + 1);
    return form == 0 || isOfForm(form, at, behind) ? behind : 0;
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

/** Reads an object whose members are in the order of the shape, as most are. Others are read with more care. */
function afterObject(node: usize, from: usize): usize {
  const end = <usize>load<u32>(node, MEMBERS_END);
  let missing = load<u32>(node, REQUIRED);
  let next = <usize>load<u32>(node, MEMBERS);
  let at = from;
  if (load<u8>(at) == 125) return missing == 0 ? at + 1 : 0;
  while (true) {
    while (next < end && !isAt(at, next)) next += MEMBER_SIZE;
    if (next >= end) return afterUnordered(node, from);
    missing -= load<u32>(next, IS_REQUIRED);
    const value = <usize>load<u32>(next, VALUE);
    at += load<u32>(next, LENGTH);
    next += MEMBER_SIZE;
    at = isPlainText(value, at) ? afterString(at + 1) : afterFitting(value, at);
    if (at == 0) return 0;
    if (load<u8>(at) == 125) return missing == 0 ? at + 1 : 0;
    at++;
  }
}

/** Whether there is a string, and any string fits. */
// @ts-ignore: decorator
@inline
function isPlainText(node: usize, at: usize): bool {
  return load<u8>(at) == 34 && node != ANY && (load<u32>(node, TYPES) & STRING) != 0 && load<u32>(node, FORM) == 0;
}

/** The same with members in any order, members that are repeated, and members that are not listed. */
function afterUnordered(node: usize, from: usize): usize {
  const first = <usize>load<u32>(node, MEMBERS);
  const end = <usize>load<u32>(node, MEMBERS_END);
  let missing = load<u32>(node, REQUIRED);
  let at = from;
  const own = ++objects;
  let next = first;
  while (true) {
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
  if ((load<u64>(at) ^ load<u64>(entry)) & load<u64>(entry, MASK)) return false;
  return load<u32>(entry, LENGTH) <= 8 || isWhole(at, entry);
}

/** The same for a text of more than 8 bytes. */
function isWhole(at: usize, entry: usize): bool {
  const text = <usize>load<u32>(entry, TEXT);
  const length = <usize>load<u32>(entry, LENGTH);
  let done: usize = 8;
  for (; done + 8 <= length; done += 8) if (load<u64>(at + done) != load<u64>(text + done)) return false;
  // The last 8 bytes: some of them are compared again.
  return load<u64>(at + length - 8) == load<u64>(text + length - 8);
}

/** Returns the place after the closing quote of a string; `at` is a place inside it. */
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

/** Returns the place after the text at `at`, if it is one of the node; else 0. */
function afterOneOf(node: usize, at: usize): usize {
  const end = <usize>load<u32>(node, VALUES_END);
  for (let value = <usize>load<u32>(node, VALUES); value < end; value += TEXT_SIZE) {
    if (isAt(at, value)) return at + load<u32>(value, LENGTH);
  }
  return 0;
}

/** Whether the string between two places, with its quotes, is of the form. */
function isOfForm(form: u32, at: usize, behind: usize): bool {
  const length = behind - at - 2;
  if (form == DATE) return length == 10 && isDate(at + 1);
  if (form == UUID) return length == 36 && isUuid(at + 1);
  return length >= 20 && isMoment(at + 1, behind - 1);
}

/** The number of two digits. */
// @ts-ignore: decorator
@inline
function twoDigits(at: usize): u32 {
  return <u32>load<u8>(at) * 10 + <u32>load<u8>(at, 1) - 528;
}

/** The bytes at `at` that are digits, a bit each. */
// @ts-ignore: decorator
@inline
function digitsAt(at: usize): i32 {
  const offsets = i8x16.sub(v128.load(at), i8x16.splat(48));
  return i8x16.bitmask(i8x16.lt_u(offsets, i8x16.splat(10)));
}

/** `2026-11-27`. */
function isDate(at: usize): bool {
  return (digitsAt(at) & 0x3ff) == 0x36f && isDay(at);
}

/** Whether digits that are there are those of a day. */
// @ts-ignore: decorator
@inline
function isDay(at: usize): bool {
  return (
    load<u8>(at, 4) == 45 && load<u8>(at, 7) == 45 && twoDigits(at + 5) - 1 < 12 && twoDigits(at + 8) - 1 < 31
  );
}

/** `2026-11-27T10:05:59.123Z`, or with an offset such as `+02:00`, up to `end`; the least is without a fraction. */
function isMoment(from: usize, end: usize): bool {
  // Bits of `2026-11-27T10:05`; what follows has its own check.
  if (digitsAt(from) != 0xdb6f || !isDay(from)) return false;
  const isClock =
    (load<u8>(from, 10) | 32) == 116 &&
    load<u8>(from, 13) == 58 &&
    load<u8>(from, 16) == 58 &&
    twoDigits(from + 11) < 24 &&
    twoDigits(from + 14) < 60 &&
    <u32>load<u8>(from, 18) - 48 < 10 &&
    <u32>load<u8>(from, 17) - 48 < 10 &&
    twoDigits(from + 17) < 61;
  if (!isClock) return false;
  let at = from + 19;
  if (load<u8>(at) == 46) {
    const fraction = ++at;
    while (<u32>load<u8>(at) - 48 < 10) at++;
    if (at == fraction) return false;
  }
  const zone = <u32>load<u8>(at);
  if ((zone | 32) == 122) return at + 1 == end;
  if ((zone != 43 && zone != 45) || at + 6 != end) return false;
  const isOffset = (digitsAt(at + 1) & 0x1f) == 0x1b && load<u8>(at, 3) == 58;
  return isOffset && twoDigits(at + 1) < 24 && twoDigits(at + 4) < 60;
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
