/** Error messages of the scanner. A message shows at most one printable character of the body. */

import type { ErrorCode } from '../../core/errors/error-codes.js';
import { ExtractError } from '../../core/errors/errors.js';

/** The state of the scanner where it stopped; see assembly/faults.ts, tokens.ts and scanner.ts for the numbers. */
export interface Stopped {
  readonly fault: number;
  /** The expected token. */
  readonly expected: number;
  readonly level: number;
  readonly isInObject: boolean;
  /** The byte that was found. */
  readonly byte: number;
  readonly offset: number;
  readonly maxItemBytes: number;
  readonly maxCaptureBytes: number;
  /** The path of the value being captured. */
  readonly capture: string;
}

/** Creates the error of a fault. */
export function faultError(at: Stopped): ExtractError {
  const [code, message] = describe(at);
  return new ExtractError(code, message, { offset: at.offset });
}

function describe(at: Stopped): readonly [ErrorCode, string] {
  const place = `at byte ${at.offset}`;
  switch (at.fault) {
    case 7:
      return ['ERR_DEPTH', `the document is nested deeper than 512 levels ${place}`];
    case 8:
      return ['ERR_ITEM_SIZE', `an item is larger than ${at.maxItemBytes} bytes ${place}`];
    case 9:
      return ['ERR_ITEM_SIZE', `the value at '${at.capture}' is larger than ${at.maxCaptureBytes} bytes ${place}`];
    default:
      return ['ERR_JSON', `expected ${wanted(at)}, found ${shown(at.byte)} ${place}`];
  }
}

function wanted(at: Stopped): string {
  switch (at.fault) {
    case 2:
      return 'a string without unescaped control characters';
    case 3:
      return 'one of "\\/bfnrtu after a backslash';
    case 4:
      return 'four hexadecimal digits after \\u';
    case 5:
      return 'a digit of a number';
    case 6:
      return 'true, false or null';
    default:
      return wantedNext(at);
  }
}

function wantedNext({ expected, level, isInObject }: Stopped): string {
  switch (expected) {
    case 0:
      return 'a value';
    case 1:
      return "a member name or '}'";
    case 2:
      return "':'";
    case 4:
      return "a value or ']'";
    case 5:
      return 'a member name';
    default:
      if (level === 0) return 'the end of the document';
      return isInObject ? "',' or '}'" : "',' or ']'";
  }
}

function shown(byte: number): string {
  if (byte === 0x27) return '"\'"';
  if (byte > 0x20 && byte < 0x7f) return `'${String.fromCharCode(byte)}'`;
  if (byte === 0x20) return 'a space';
  if (byte >= 0x80) return 'a character beyond ASCII';
  return `the control character ${byte.toString(16).padStart(2, '0')}`;
}

/** The position where an incomplete document ended. `cut`: the place inside a token, 0 for none. */
export interface Unfinished {
  readonly cut: number;
  readonly level: number;
  readonly isInObject: boolean;
  readonly offset: number;
}

export function unfinishedError(at: Unfinished): ExtractError {
  return new ExtractError('ERR_JSON', `the document ends ${unfinished(at)} at byte ${at.offset}`, {
    offset: at.offset,
  });
}

function unfinished({ cut, level, isInObject }: Unfinished): string {
  if (cut > 7) return 'inside a number';
  if (cut === 7) return 'inside true, false or null';
  if (cut > 0) return 'inside a string';
  if (level === 0) return 'before its value';
  return isInObject ? 'inside an object' : 'inside an array';
}

export function utf8Error(offset: number): ExtractError {
  return new ExtractError('ERR_UTF8', `invalid UTF-8 at byte ${offset}`, { offset });
}
