/** The first fault met, and where. The numbers are known to ../faults.ts. */

export const UNEXPECTED: i32 = 1;
export const CONTROL: i32 = 2;
export const ESCAPE: i32 = 3;
export const HEX: i32 = 4;
export const DIGIT: i32 = 5;
export const LITERAL: i32 = 6;
export const DEPTH: i32 = 7;
export const ITEM_SIZE: i32 = 8;
export const CAPTURE_SIZE: i32 = 9;

let code: i32 = 0;
let place: usize = 0;

/** Records a fault. Returns 0, for functions that return a position. */
export function fail(fault: i32, at: usize): usize {
  if (code == 0) {
    code = fault;
    place = at;
  }
  return 0;
}

export function clearFault(): void {
  code = 0;
}

export function fault(): i32 {
  return code;
}

export function faultAt(): usize {
  return place;
}
