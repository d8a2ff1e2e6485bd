/**
 * The careful half of the scanner: one token, whatever it is, with the paths it is on, the window's end inside it, and
 * its faults.
 */
import { CAPTURE, OBJECT, RESTART, STATE_SHIFT, TARGET, TRACK } from './entry';
import { DEPTH, fail, fault, UNEXPECTED } from './faults';
import { hostClose, hostElement, hostIsEmpty, hostName, hostOpen, hostWanted } from './host';
import {
  AFTER,
  COLON,
  cursor,
  isSpace,
  NAME_NEXT,
  NAME_OR_END,
  NO_DEPTH,
  skipSpace,
  stackAt,
  VALUE,
  VALUE_OR_END,
  WATCHED,
} from './grammar';
import { INDEXES, MAX_DEPTH, NAME, NAME_BYTES, WANTED } from './memory';
import {
  beginCapture,
  captureAt,
  captureLength,
  dropItem,
  endCapture,
  endItem,
  enterItems,
  leaveItems,
  openItem,
  openItemLength,
  put,
  separateItems,
  voidItems,
} from './output';
import { beginsLiteral, finishToken, scanLiteral, scanNumber, scanString } from './tokens';

/** The length that stands for a name that no path can match. */
const TOO_LONG: u32 = 0xffffffff;
/** What `hostWanted` says when no path leads to a later element. */
const NO_INDEX: u32 = 0xffffffff;

/** The state of the value that comes next, when it is watched. */
let pending: u32 = 0;
/** The bits of the scalar that is being scanned. */
let held: u32 = 0;
let nameLength: u32 = 0;

/** Starts on a new document; `state` is that of its root. */
export function beginSteps(state: u32): void {
  pending = state;
  held = 0;
  nameLength = 0;
}

/** Takes the token at the cursor. */
export function step(end: usize): void {
  const byte = <u32>load<u8>(cursor.at);
  if (byte <= 32 && isSpace(byte)) takeSpace();
  else if (byte == 44) takeComma();
  else if (byte == 58) takeColon();
  else if (byte == 125 || byte == 93) takeEnd(byte);
  else if (byte == 34 && (cursor.next & 3) == 1) takeName(end);
  else if ((cursor.next & 3) != 0) unexpected();
  else if (byte == 123 || byte == 91) takeBegin(byte);
  else takeScalar(byte, end);
}

/** Goes on with the token that the last window cut. */
export function resume(end: usize): void {
  const from = cursor.at;
  const behind = finishToken(from, end);
  cursor.at = behind == 0 ? end : behind;
  if ((cursor.next & 3) != 1) {
    if (behind != 0) endScalar();
    return;
  }
  if (cursor.next & WATCHED) noteName(from, behind == 0 ? end : behind - 1);
  if (behind != 0) endName(NAME, takeNameLength());
}

/** A name was read whole: its value is watched when a path leads to it. */
function endName(at: usize, length: u32): void {
  if (cursor.next & WATCHED) pending = hostName(cursor.entry >> STATE_SHIFT, at, length);
  cursor.next = pending != 0 ? COLON | WATCHED : COLON;
}

function unexpected(): void {
  fail(UNEXPECTED, cursor.at);
}

function takeSpace(): void {
  put(cursor.run, cursor.at);
  cursor.at = skipSpace(cursor.at + 1);
  cursor.run = cursor.at;
}

function takeComma(): void {
  if (cursor.next != AFTER || cursor.depth == 0) return unexpected();
  if (cursor.depth == cursor.itemDepth) {
    separateItems(cursor.run, cursor.at);
    cursor.run = cursor.at + 1;
  }
  if (cursor.entry & OBJECT) cursor.next = NAME_NEXT | (cursor.entry & TRACK);
  else {
    cursor.next = VALUE;
    if (cursor.entry & TRACK) nextElement();
  }
  cursor.at++;
}

function takeColon(): void {
  if ((cursor.next & ~WATCHED) != COLON) return unexpected();
  cursor.next = VALUE | (cursor.next & WATCHED);
  cursor.at++;
}

function takeName(end: usize): void {
  const from = cursor.at + 1;
  const behind = scanString(from, end);
  cursor.at = behind == 0 ? end : behind;
  if (behind != 0) endName(from, <u32>(behind - 1 - from));
  else if (cursor.next & WATCHED) noteName(from, end);
}

/** Collects a piece of a name that a window's end has cut. */
function noteName(from: usize, to: usize): void {
  const length = <u32>(to - from);
  if (nameLength + length <= NAME_BYTES) memory.copy(NAME + nameLength, from, length);
  nameLength = min(nameLength + length, NAME_BYTES + 1);
}

function takeNameLength(): u32 {
  const length = nameLength <= NAME_BYTES ? nameLength : TOO_LONG;
  nameLength = 0;
  return length;
}

function takeScalar(byte: u32, end: usize): void {
  const isNumber = byte == 45 || byte - 48 < 10;
  if (byte != 34 && !isNumber && !beginsLiteral(byte)) return unexpected();
  if (cursor.next & WATCHED) {
    held = open(byte) & (TARGET | CAPTURE);
    if (held & TARGET) enterItems();
  }
  const at = cursor.at;
  const behind = byte == 34 ? scanString(at + 1, end) : isNumber ? scanNumber(at, end) : scanLiteral(at, end);
  cursor.at = behind == 0 ? end : behind;
  if (behind != 0) endScalar();
}

function endScalar(): void {
  cursor.next = AFTER;
  if (held == 0) return;
  const bits = held;
  held = 0;
  putTo(cursor.at);
  if (bits & TARGET) {
    if (hostIsEmpty(openItem(), <u32>openItemLength())) dropItem();
    else endItem(cursor.at);
    leaveItems();
  }
  if (bits & CAPTURE) closeCapture();
}

/** Puts the run up to `to`. */
function putTo(to: usize): void {
  put(cursor.run, to);
  cursor.run = to;
}

/** Asks what the watched value at the cursor is to us. Returns its entry, but for OBJECT. */
function open(byte: u32): u32 {
  putTo(cursor.at);
  const state = pending;
  pending = 0;
  const bits = hostOpen(state, byte, captureLength(), cursor.at);
  if (bits & RESTART) voidItems();
  if (bits & CAPTURE) beginCapture();
  const entry = bits & (TARGET | CAPTURE | TRACK);
  return entry == 0 ? 0 : entry | (state << STATE_SHIFT);
}

function takeBegin(byte: u32): void {
  if (cursor.depth == MAX_DEPTH) {
    fail(DEPTH, cursor.at);
    return;
  }
  const isObject = byte == 123;
  const entry = cursor.next & WATCHED ? open(byte) : 0;
  cursor.depth++;
  cursor.entry = entry | <u32>isObject;
  cursor.next = isObject ? NAME_OR_END | (entry & TRACK) : VALUE_OR_END;
  cursor.at++;
  if (entry & TARGET) {
    if (!isObject) {
      putTo(cursor.at);
      cursor.itemDepth = cursor.depth;
    }
    enterItems();
  }
  if (entry & TRACK && !isObject) firstElement();
  store<u32>(stackAt(cursor.depth), cursor.entry);
}

function takeEnd(byte: u32): void {
  const entry = cursor.entry;
  const next = cursor.next & ~WATCHED;
  const isObject = byte == 125;
  const isEmpty = next == (isObject ? NAME_OR_END : VALUE_OR_END);
  if (cursor.depth == 0 || ((entry & OBJECT) != 0) != isObject || (next != AFTER && !isEmpty)) return unexpected();
  pending = 0;
  if (entry & TARGET) closeTarget(isObject, isEmpty);
  cursor.at++;
  if (entry & CAPTURE) {
    putTo(cursor.at);
    closeCapture();
  }
  cursor.next = AFTER;
  cursor.entry = load<u32>(stackAt(--cursor.depth));
}

/** The brackets of a list lie outside the items, the braces of an object are its own. */
function closeTarget(isObject: bool, isEmpty: bool): void {
  putTo(cursor.at + <usize>isObject);
  if (isObject || !isEmpty) endItem(cursor.at);
  leaveItems();
  cursor.itemDepth = NO_DEPTH;
}

/** After a fault the capture stays open, for its path is in the message. */
function closeCapture(): void {
  if (fault() != 0) return;
  hostClose(captureAt(), captureLength());
  endCapture();
}

// The elements of an array on a path: the host is asked for those only that a path leads to.

function firstElement(): void {
  store<u32>(indexAt(INDEXES), 0);
  wantFrom(0);
  watchElement(0);
}

function nextElement(): void {
  const index = load<u32>(indexAt(INDEXES)) + 1;
  store<u32>(indexAt(INDEXES), index);
  watchElement(index);
}

/** Watches the element when it is wanted; when none is wanted after it, the array is plain again. */
function watchElement(index: u32): void {
  if (index != load<u32>(indexAt(WANTED))) return;
  pending = hostElement(cursor.entry >> STATE_SHIFT, index);
  cursor.next |= WATCHED;
  wantFrom(index + 1);
  if (load<u32>(indexAt(WANTED)) != NO_INDEX) return;
  cursor.entry &= ~TRACK;
  store<u32>(stackAt(cursor.depth), cursor.entry);
}

function wantFrom(index: u32): void {
  store<u32>(indexAt(WANTED), hostWanted(cursor.entry >> STATE_SHIFT, index));
}

function indexAt(table: usize): usize {
  return table + (<usize>cursor.depth << 2);
}
