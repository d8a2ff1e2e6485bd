/**
 * The scanner's face to TypeScript: JSON streams through the window; items, captured values and hashes come out by
 * output.ts.
 */
import { OBJECT } from './entry';
import { clearFault, fail, fault, ITEM_SIZE } from './faults';
import { cursor, NO_DEPTH, stackAt, VALUE, WATCHED } from './grammar';
import { WINDOW } from './memory';
import { beginOutput, isOversized, put, reserve } from './output';
import { beginSteps, resume, step } from './step';
import { sweep } from './sweep';
import { clearCut, cutPlace, numberMayEnd } from './tokens';

export { faultAt } from './faults';
export { dropSlab, hashItems, hashRest, itemCount, offsetsAt, slabAt, slabLength } from './output';
export { cutPlace } from './tokens';

export function windowAt(): usize {
  return WINDOW;
}

export function expected(): u32 {
  return cursor.next & ~WATCHED;
}

export function level(): u32 {
  return cursor.depth;
}

/** Says whether the innermost open container is an object. */
export function isInObject(): bool {
  return (cursor.entry & OBJECT) != 0;
}

/** Says whether the window's end cut a number that would be complete, should the document end here. */
export function endsInNumber(): bool {
  return numberMayEnd(cutPlace());
}

/** Starts on a new document; `state` is that of its root. */
export function begin(batchBytes: u32, maxItemBytes: u32, maxCaptureBytes: u32, fingerprint: bool, state: u32): void {
  beginOutput(batchBytes, maxItemBytes, maxCaptureBytes, fingerprint);
  beginSteps(state);
  clearFault();
  clearCut();
  cursor.next = VALUE | WATCHED;
  cursor.depth = 0;
  cursor.entry = 0;
  cursor.itemDepth = NO_DEPTH;
  store<u32>(stackAt(0), 0);
}

/** Scans the window from `from` to `to`. Returns the fault met, or 0. */
export function scan(from: u32, to: u32): i32 {
  const end = WINDOW + to;
  cursor.at = WINDOW + from;
  cursor.run = cursor.at;
  v128.store(end, i8x16.splat(0));
  reserve();
  if (cutPlace() != 0 && from < to) resume(end);
  while (cursor.at < end && fault() == 0) {
    sweep(end);
    if (cursor.at < end) step(end);
  }
  if (fault() == 0) put(cursor.run, end);
  if (isOversized()) fail(ITEM_SIZE, end);
  return fault();
}
