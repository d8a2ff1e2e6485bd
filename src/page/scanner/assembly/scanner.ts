/** The scanner: validates JSON while it streams through the window, and hands compact items, captured values and hashes to output.ts. */
import { CAPTURE, OBJECT, RESTART, STATE_SHIFT, TARGET, TRACK } from './entry';
import { clearFault, DEPTH, fail, fault, ITEM_SIZE, UNEXPECTED } from './faults';
import { hostClose, hostElement, hostIsEmpty, hostName, hostOpen, hostWanted } from './host';
import { INDEXES, MAX_DEPTH, NAME, NAME_BYTES, STACK, WANTED, WINDOW } from './memory';
import {
  beginCapture,
  beginOutput,
  captureAt,
  captureLength,
  dropItem,
  endCapture,
  endItem,
  enterItems,
  isOversized,
  isPlain,
  leaveItems,
  markItem,
  openItem,
  openItemLength,
  put,
  reserve,
  separateItems,
  voidItems,
} from './output';
import {
  beginsLiteral,
  clearCut,
  cutPlace,
  fastLiteral,
  fastNumber,
  finishToken,
  numberMayEnd,
  scanLiteral,
  scanNumber,
  scanString,
} from './tokens';

export { fault, faultAt } from './faults';
export { dropSlab, hashItems, hashRest, itemCount, offsetsAt, slabAt, slabLength } from './output';
export { cutPlace } from './tokens';

// What may come next. The lower two bits: a value, a name, a colon, what follows a value. Known to ../faults.ts.
const VALUE: i32 = 0;
const NAME_OR_END: i32 = 1;
const COLON: i32 = 2;
const AFTER: i32 = 3;
const VALUE_OR_END: i32 = 4;
const NAME_NEXT: i32 = 5;

const NO_DEPTH: u32 = 0xffffffff;
/** The length that stands for a name that no path can match. */
const TOO_LONG: u32 = 0xffffffff;

let expect: i32 = VALUE;
let depth: u32 = 0;
/** The state of the value that comes next; 0: no path leads to it. */
let pending: u32 = 0;
/** The bits of the scalar being scanned. */
let held: u32 = 0;
/** The depth at which a comma stands between items. */
let itemDepth: u32 = NO_DEPTH;
let nameLength: u32 = 0;

export function windowAt(): usize {
  return WINDOW;
}

export function expected(): i32 {
  return expect;
}

export function level(): u32 {
  return depth;
}

/** Says whether the innermost open container is an object. */
export function isInObject(): bool {
  return (load<u32>(stackAt(depth)) & OBJECT) != 0;
}

/** Says whether a document that ends here is complete but for a number that only its end can end. */
export function endsInNumber(): bool {
  return numberMayEnd(cutPlace());
}

/** Starts on a new document; `state` is that of its root. */
export function begin(batchBytes: u32, maxItemBytes: u32, maxCaptureBytes: u32, fingerprint: bool, state: u32): void {
  beginOutput(batchBytes, maxItemBytes, maxCaptureBytes, fingerprint);
  clearFault();
  clearCut();
  expect = VALUE;
  depth = 0;
  pending = state;
  held = 0;
  itemDepth = NO_DEPTH;
  nameLength = 0;
  store<u32>(STACK, 0);
}

/** Scans the window from `from` to `to`. Returns the fault met, or 0. One loop, for the speed of it. */
export function scan(from: u32, to: u32): i32 {
  const end = WINDOW + to;
  let at = WINDOW + from;
  let run = at; // compact bytes from here on have not been put
  let next = expect;
  let entry = load<u32>(stackAt(depth));
  v128.store(end, i8x16.splat(0));
  reserve();

  if (cutPlace() != 0) {
    const start = at;
    at = finishToken(at, end);
    if ((next & 3) == 1 && entry & TRACK) noteName(start, at == 0 ? end : at - 1);
    if (at == 0) return stop(run, end, next);
    if ((next & 3) == 1) {
      if (entry & TRACK) pending = hostName(entry >> STATE_SHIFT, NAME, takeNameLength());
      next = COLON;
    } else {
      next = AFTER;
      if (held) run = closeScalar(run, at);
    }
  }

  while (true) {
    let byte = <u32>load<u8>(at);
    if (byte <= 32) {
      if (isSpace(byte)) {
        put(run, at);
        at = skipSpace(at + 1);
        run = at;
        byte = load<u8>(at);
      }
      if (byte <= 32) {
        if (at < end) fail(UNEXPECTED, at);
        break;
      }
    }

    if (byte == 34) {
      const isName = (next & 3) == 1;
      if (!isName) {
        if ((next & 3) != 0) {
          fail(UNEXPECTED, at);
          break;
        }
        if (pending) run = openScalar(run, at, byte);
      }
      const behind = scanString(at + 1, end);
      if (behind == 0) {
        if (isName && entry & TRACK) noteName(at + 1, end);
        break;
      }
      if (isName) {
        if (entry & TRACK) pending = hostName(entry >> STATE_SHIFT, at + 1, <u32>(behind - at - 2));
        const isColon = load<u8>(behind) == 58;
        at = behind + <usize>isColon;
        next = isColon ? VALUE : COLON;
        continue;
      }
      at = behind;
      next = AFTER;
      if (held) run = closeScalar(run, at);
    } else if (byte == 58) {
      if (next != COLON) {
        fail(UNEXPECTED, at);
        break;
      }
      next = VALUE;
      at++;
      continue;
    } else if (byte == 123 || byte == 91) {
      if ((next & 3) != 0) {
        fail(UNEXPECTED, at);
        break;
      }
      if (depth == MAX_DEPTH) {
        fail(DEPTH, at);
        break;
      }
      depth++;
      entry = <u32>(byte == 123);
      next = entry ? NAME_OR_END : VALUE_OR_END;
      if (pending) {
        entry |= openContainer(run, at, byte);
        run = at + <usize>((entry & (TARGET | OBJECT)) == TARGET);
      }
      store<u32>(stackAt(depth), entry);
      at++;
      continue;
    } else if (byte == 125 || byte == 93) {
      const isObject = (entry & OBJECT) != 0;
      if (isObject != (byte == 125) || depth == 0 || !mayClose(next)) {
        fail(UNEXPECTED, at);
        break;
      }
      if (entry > OBJECT) run = closeContainer(entry, run, at, next == AFTER);
      entry = load<u32>(stackAt(--depth));
      next = AFTER;
      at++;
    } else if (byte != 44) {
      if ((next & 3) != 0) {
        fail(UNEXPECTED, at);
        break;
      }
      const isNumber = byte == 45 || byte - 48 < 10;
      if (!isNumber && !beginsLiteral(byte)) {
        fail(UNEXPECTED, at);
        break;
      }
      if (pending) run = openScalar(run, at, byte);
      let behind = isNumber ? fastNumber(at) : fastLiteral(at);
      if (behind == 0 || behind >= end) {
        behind = isNumber ? scanNumber(at, end) : scanLiteral(at, end);
        if (behind == 0) break;
      }
      at = behind;
      next = AFTER;
      if (held) run = closeScalar(run, at);
    }

    if (load<u8>(at) == 44) {
      if (next != AFTER || depth == 0) {
        fail(UNEXPECTED, at);
        break;
      }
      if (depth == itemDepth) {
        if (isPlain()) {
          store<u8>(at, 10);
          if (!markItem(at + 1 - run, at)) break;
        } else {
          separateItems(run, at);
          run = at + 1;
        }
      }
      if (entry & OBJECT) next = NAME_NEXT;
      else {
        next = VALUE;
        if (entry & TRACK) nextElement(entry >> STATE_SHIFT);
      }
      at++;
    }
  }
  return stop(run, end, next);
}

/** Puts what is left of the window and keeps what the next one must know. */
function stop(run: usize, end: usize, next: i32): i32 {
  expect = next;
  if (fault() != 0) return fault();
  put(run, end);
  if (isOversized()) fail(ITEM_SIZE, end);
  return fault();
}

// @ts-ignore: decorator
@inline
function stackAt(level: u32): usize {
  return STACK + (<usize>level << 2);
}

// @ts-ignore: decorator
@inline
function mayClose(next: i32): bool {
  return next == AFTER || next == NAME_OR_END || next == VALUE_OR_END;
}

/** Space, tab, newline, carriage return. The byte is at most 32. */
// @ts-ignore: decorator
@inline
function isSpace(byte: u32): bool {
  return ((<u64>0x100002600 >> byte) & 1) != 0;
}

/** One space is the rule in a spaced body, a long run in an indented one. */
// @ts-ignore: decorator
@inline
function skipSpace(at: usize): usize {
  if (load<u8>(at) > 32) return at;
  while (true) {
    const bytes = v128.load(at);
    const spaces = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(32)), i8x16.eq(bytes, i8x16.splat(10))),
      v128.or(i8x16.eq(bytes, i8x16.splat(13)), i8x16.eq(bytes, i8x16.splat(9))),
    );
    const mask = i8x16.bitmask(spaces);
    if (mask != 0xffff) return at + <usize>ctz(~mask);
    at += 16;
  }
}

/** Collects a piece of a name that a window's end has cut. */
function noteName(from: usize, to: usize): void {
  const length = <u32>(to - from);
  if (nameLength + length <= NAME_BYTES) memory.copy(NAME + nameLength, from, length);
  nameLength += length;
}

function takeNameLength(): u32 {
  const length = nameLength <= NAME_BYTES ? nameLength : TOO_LONG;
  nameLength = 0;
  return length;
}

/** Asks what the value at `at` is to us, its state being the pending one. */
function open(run: usize, at: usize, byte: u32): u32 {
  put(run, at);
  const state = pending;
  pending = 0;
  const bits = hostOpen(state, byte, captureLength(), at);
  if (bits & RESTART) voidItems();
  if (bits & CAPTURE) beginCapture();
  return (bits & (TARGET | CAPTURE | TRACK)) | (state << STATE_SHIFT);
}

/** Opens the container at `at`. Returns its entry on the stack; that it is an object is not in it. */
function openContainer(run: usize, at: usize, byte: u32): u32 {
  const bits = open(run, at, byte);
  if (bits & TARGET) {
    if (byte == 91) {
      put(at, at + 1);
      itemDepth = depth;
    }
    enterItems();
  }
  if (bits & TRACK && byte == 91) firstElement(bits >> STATE_SHIFT);
  return bits & (TARGET | CAPTURE | TRACK) ? bits : 0;
}

/** Closes a container of ours whose bracket is at `at`. Returns where the run goes on. */
function closeContainer(entry: u32, run: usize, at: usize, hasElements: bool): usize {
  let from = run;
  pending = 0;
  if (entry & TARGET) {
    const last = at + <usize>(entry & OBJECT);
    put(from, last);
    from = last;
    if (hasElements || entry & OBJECT) endItem(at);
    leaveItems();
    itemDepth = NO_DEPTH;
  }
  if (entry & CAPTURE) {
    put(from, at + 1);
    from = at + 1;
    closeCapture();
  }
  return from;
}

function closeCapture(): void {
  hostClose(captureAt(), captureLength());
  endCapture();
}

function openScalar(run: usize, at: usize, byte: u32): usize {
  held = open(run, at, byte) & (TARGET | CAPTURE);
  if (held & TARGET) enterItems();
  return at;
}

/** Closes the scalar that ends before `end`. Returns where the run goes on. */
function closeScalar(run: usize, end: usize): usize {
  put(run, end);
  const bits = held;
  held = 0;
  if (bits & TARGET) {
    if (hostIsEmpty(openItem(), <u32>openItemLength())) dropItem();
    else endItem(end);
    leaveItems();
  }
  if (bits & CAPTURE) closeCapture();
  return end;
}

function firstElement(state: u32): void {
  store<u32>(INDEXES + (depth << 2), 0);
  const wanted = hostWanted(state, 0);
  store<u32>(WANTED + (depth << 2), wanted);
  if (wanted == 0) wantElement(state, 0);
}

function nextElement(state: u32): void {
  const index = load<u32>(INDEXES + (depth << 2)) + 1;
  store<u32>(INDEXES + (depth << 2), index);
  if (index == load<u32>(WANTED + (depth << 2))) wantElement(state, index);
}

function wantElement(state: u32, index: u32): void {
  pending = hostElement(state, index);
  store<u32>(WANTED + (depth << 2), hostWanted(state, index + 1));
}
