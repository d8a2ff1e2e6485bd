/** Feeds a body into an instance through one window, in complete characters, and tracks offsets in the body. */
import { isUtf8 } from 'node:buffer';
import type { ExtractError } from '../../core/errors/errors.js';
import { placeOf, type ScannerInstance } from './instance.js';
import { unfinishedError, utf8Error } from './scan-errors.js';
import { findInvalid, wholeLength } from './utf8.js';

export interface Intake {
  /** The largest next part, in bytes. */
  room(): number;
  /** Scans the carried bytes and the part, up to the last complete character. Throws ERR_UTF8, and scanner errors. */
  take(part: Uint8Array): void;
  /** Ends the body. Throws ERR_JSON for an incomplete document, ERR_UTF8 for an incomplete last character. */
  end(): void;
  /** Converts a position in the instance's memory to an offset in the body. */
  offsetOf(at: number): number;
}

/** As in assembly/memory.ts. */
const WINDOW_BYTES = 65536;

/** As in assembly/scanner.ts. */
const AFTER_VALUE = 3;

/** `explain` creates the error of a scanner fault. */
export function createIntake(
  instance: ScannerInstance,
  firstOffset: number,
  explain: (fault: number) => ExtractError,
): Intake {
  const { calls } = instance;
  const windowAt = calls.windowAt();
  /** The last bytes of a chunk if they are an incomplete character. */
  let carry: Uint8Array = new Uint8Array(0);
  /** Bytes of the body before the window. */
  let scanned = firstOffset;

  function scan(from: number, to: number): void {
    const fault = calls.scan(from, to);
    if (fault !== 0) throw explain(fault);
    scanned += to;
  }

  function take(part: Uint8Array): void {
    const length = carry.length + part.length;
    const window = instance.memory().subarray(windowAt, windowAt + length);
    window.set(carry);
    window.set(part, carry.length);
    const wholeEnd = wholeLength(window);
    const whole = window.subarray(0, wholeEnd);
    carry = new Uint8Array(window.subarray(wholeEnd));
    const valid = isUtf8(whole) ? wholeEnd : findInvalid(whole);
    scan(scanned === 0 && isMarked(whole, valid) ? 3 : 0, valid);
    // Do not use the length of a view: a memory that grows detaches it.
    if (valid < wholeEnd) throw utf8Error(scanned);
  }

  /** A number at the top level ends with the document: a space after it completes the number. */
  function end(): void {
    if (carry.length > 0) throw utf8Error(scanned);
    const offset = scanned;
    if (calls.endsInNumber() !== 0) {
      instance.memory()[windowAt] = 0x20;
      scan(0, 1);
    }
    const cut = calls.cutPlace();
    if (cut === 0 && calls.level() === 0 && calls.expected() === AFTER_VALUE) return;
    throw unfinishedError({ ...placeOf(calls), cut, offset });
  }

  return { room: () => WINDOW_BYTES - carry.length, take, end, offsetOf: (at) => scanned + at - windowAt };
}

/** Whether the bytes start with a byte-order mark. */
const isMarked = (bytes: Uint8Array, valid: number): boolean =>
  valid >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
