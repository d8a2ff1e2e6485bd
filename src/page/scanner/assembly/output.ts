/** Where compact bytes go: items into the slab, captured values into the capture buffer, and both hashes. */
import { CAPTURE_SIZE, fail, ITEM_SIZE } from './faults';
import { hostDigest, hostOverflow } from './host';
import { reach, SLACK, WINDOW_BYTES } from './memory';
import { Hash } from './xxhash64';

/** The chain of the fingerprint has one digest for each so many bytes of items. */
const BLOCK_BYTES: usize = 65536;

const itemHash = changetype<Hash>(memory.data(80, 16));
const outsideHash = changetype<Hash>(memory.data(80, 16));

// Bits of `mode`. ITEMS alone is the hot path; 0 means that bytes are validated and dropped.
const ITEMS: i32 = 1;
const HASHED: i32 = 2;
const CAPTURED: i32 = 4;
let mode: i32 = 0;

let slab: usize = 0;
let out: usize = 0;
/** The end of the last whole item in the slab. */
let whole: usize = 0;
/** Item bytes up to here are in the hash. */
let hashed: usize = 0;
let offsets: usize = 0;
let offset: usize = 0;
let itemCap: usize = 0;

let captures: usize = 0;
let captured: usize = 0;
let captureCap: usize = 0;
/** How many values are being captured; they nest, so one buffer serves them all. */
let capturing: i32 = 0;

let hashing: bool = false;

/** Lays the regions out after the fixed places and forgets all of an earlier scan. */
export function beginOutput(batchBytes: usize, maxItemBytes: usize, maxCaptureBytes: usize, fingerprint: bool): void {
  captures = (__heap_base + 15) & ~15;
  offsets = (captures + maxCaptureBytes + SLACK + 15) & ~15;
  // A slab is emitted once it holds `batchBytes`; a window adds at most its own length, and an item has two bytes or
  // more.
  slab = (offsets + (batchBytes + WINDOW_BYTES) * 2 + SLACK + 15) & ~15;
  itemCap = maxItemBytes + 1;
  captureCap = maxCaptureBytes;
  captured = 0;
  capturing = 0;
  hashing = fingerprint;
  outsideHash.reset();
  clearSlab();
  mode = fingerprint ? HASHED : 0;
}

function clearSlab(): void {
  out = slab;
  whole = slab;
  hashed = slab;
  offset = offsets;
  itemHash.reset();
}

/** Makes room for what one window may add. */
export function reserve(): void {
  reach(out + WINDOW_BYTES + SLACK);
}

/**
 * Says whether bytes go into the slab and nowhere else; a comma between items may become a newline in the window then.
 */
// @ts-ignore: decorator
@inline
export function isPlain(): bool {
  return mode == ITEMS;
}

/** Says whether bytes are validated and dropped. */
// @ts-ignore: decorator
@inline
export function isDropping(): bool {
  return mode == 0;
}

/** Takes compact bytes. */
export function put(from: usize, to: usize): void {
  if (to <= from) return;
  const length = to - from;
  if (mode & ITEMS) {
    memory.copy(out, from, length);
    out += length;
  }
  if (mode & HASHED) outsideHash.update(from, length);
  if (mode & CAPTURED) putCapture(from, to);
}

/** Takes compact bytes of items alone: without a call, for `sweep`. */
// @ts-ignore: decorator
@inline
export function putItem(from: usize, to: usize): void {
  if (to <= from) return;
  const length = to - from;
  let at: usize = 0;
  do {
    v128.store(out + at, v128.load(from + at));
    at += 16;
  } while (at < length);
  out += length;
}

function putCapture(from: usize, to: usize): void {
  const length = to - from;
  if (captured + length > captureCap) {
    if (hostOverflow()) mode &= ~CAPTURED;
    else fail(CAPTURE_SIZE, from);
    return;
  }
  memory.copy(captures + captured, from, length);
  captured += length;
}

/** Bytes that follow are items'. */
export function enterItems(): void {
  if (hashing) hostDigest(outsideHash.digest());
  mode = ITEMS | (mode & CAPTURED);
}

/** Bytes that follow lie outside the items. */
export function leaveItems(): void {
  mode = (hashing ? HASHED : 0) | (mode & CAPTURED);
}

/**
 * Notes an item that ends `ahead` bytes after what the slab holds, its newline included. Returns whether it is within
 * the cap.
 */
// @ts-ignore: decorator
@inline
export function markItem(ahead: usize): bool {
  const end = out + ahead;
  if (end - whole > itemCap) return false;
  whole = end;
  store<u32>(offset, <u32>(end - slab));
  offset += 4;
  return true;
}

/** Ends the item whose bytes are all in the slab. Its end is at `at`. */
export function endItem(at: usize): void {
  store<u8>(out++, 10);
  if (!markItem(0)) fail(ITEM_SIZE, at);
}

/** Between two items: a newline for the slab, and a comma for what is captured around them. */
export function separateItems(from: usize, comma: usize): void {
  put(from, comma);
  endItem(comma);
  if (mode & CAPTURED) putCapture(comma, comma + 1);
}

/** Says whether the item that has begun is already too large. */
export function isOversized(): bool {
  return out - whole >= itemCap;
}

/** Where the bytes of the item that has not ended begin. */
export function openItem(): usize {
  return whole;
}

export function openItemLength(): usize {
  return out - whole;
}

/** The scalar that began as an item counts as nothing: its bytes belong outside. */
export function dropItem(): void {
  if (hashing) outsideHash.update(whole, out - whole);
  out = whole;
}

export function beginCapture(): void {
  capturing++;
  mode |= CAPTURED;
}

export function endCapture(): void {
  if (--capturing > 0) return;
  captured = 0;
  mode &= ~CAPTURED;
}

export function captureAt(): usize {
  return captures;
}

export function captureLength(): u32 {
  return <u32>captured;
}

/** Voids all items. Their hash goes into that of the rest, so that the fingerprint still distinguishes documents. */
export function voidItems(): void {
  if (hashing) {
    hashItems();
    store<u64>(out, itemHash.digest());
    outsideHash.update(out, 8);
  }
  clearSlab();
}

/** Brings the hash up to the last whole item, with a digest for each full block. */
export function hashItems(): void {
  while (hashed < whole) {
    const room = BLOCK_BYTES - <usize>(itemHash.total & (BLOCK_BYTES - 1));
    const length = min(room, whole - hashed);
    itemHash.update(hashed, length);
    hashed += length;
    if (length == room) hostDigest(itemHash.digest());
  }
}

/** Ends the chain: the digest of the items and that of the rest. */
export function hashRest(): void {
  hashItems();
  hostDigest(itemHash.digest());
  hostDigest(outsideHash.digest());
}

export function slabAt(): usize {
  return slab;
}

export function slabLength(): usize {
  return whole - slab;
}

export function offsetsAt(): usize {
  return offsets;
}

export function itemCount(): usize {
  return (offset - offsets) >> 2;
}

/** Forgets the whole items, which have been handed over; what has begun moves to the front. */
export function dropSlab(): void {
  const begun = out - whole;
  memory.copy(slab, whole, begun);
  out = slab + begun;
  whole = slab;
  hashed = slab;
  offset = offsets;
}
