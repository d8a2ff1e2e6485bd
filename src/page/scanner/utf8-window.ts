/**
 * The way of a body into an instance: through one window, whole characters at a time, so that each byte is known by its
 * offset in the body.
 */
import { isUtf8 } from 'node:buffer';
import type { ExtractError } from '../../core/errors/errors.js';
import { unfinishedError, utf8Error } from './errors.js';
import { placeOf, type ScannerInstance } from './instance.js';
import { findInvalid, wholeLength } from './utf8.js';

export interface Intake {
  /** The most bytes that the next part may have. */
  room(): number;
  /**
   * Scans what was carried over and the part: as much of it as is whole characters. Throws ERR_UTF8, and what the
   * scanner finds.
   */
  take(part: Uint8Array): void;
  /** The body has ended. Throws ERR_JSON when the document has not, ERR_UTF8 when its last character has not. */
  end(): void;
  /** Turns a place in the instance's memory into an offset in the body. */
  offsetOf(at: number): number;
}

/** As in assembly/memory.ts. */
const WINDOW_BYTES = 65536;

/** As in assembly/scanner.ts. */
const AFTER_VALUE = 3;

/** `explain` says what a fault of the scanner is. */
export function createIntake(
  instance: ScannerInstance,
  firstOffset: number,
  explain: (fault: number) => ExtractError,
): Intake {
  const { calls } = instance;
  const windowAt = calls.windowAt();
  /** The last bytes of a chunk when they are no whole character. */
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
    // Not by the length of a view: a memory that grows meanwhile leaves it without bytes.
    if (valid < wholeEnd) throw utf8Error(scanned);
  }

  /** A number at the top level ends where the document does: a space after it ends the number. */
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

/** Whether a byte-order mark stands in front. */
const isMarked = (bytes: Uint8Array, valid: number): boolean =>
  valid >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
