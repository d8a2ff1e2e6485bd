/**
 * The lines of a recording, JSON each: what a run and the API exchanged, with secrets masked. The lines of several
 * exchanges may alternate. docs/05-command-line.md#a-recording.
 */
import { type ErrorCode, errorCodes } from '../core/errors/error-codes.js';
import { ExtractError, type Where } from '../core/errors/errors.js';
import type { FileDigest } from '../http/types.js';

/** The first line. */
export interface BeginLine {
  readonly line: 'recording';
  readonly format: 1;
  /** Epoch ms. */
  readonly startedAt: number;
  /** Where the random numbers of the run begin. */
  readonly seed: number;
}

/** A request as it was sent. */
export interface RequestLine extends MaskedRequest {
  readonly line: 'request';
  readonly exchange: number;
  /** Epoch ms, here and below. */
  readonly at: number;
  /** It was the request of a login. */
  readonly login?: true;
}

/** A request without secrets. Names of headers in lower case. */
export interface MaskedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body?: string;
}

/** The head of a response. */
export interface HeadLine {
  readonly line: 'response';
  readonly exchange: number;
  readonly at: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body ended with its connection. */
  readonly openEnded?: true;
}

/** A part of a body: text, or bytes that are no UTF-8 as characters up to U+00FF. */
export interface PartLine {
  readonly line: 'text' | 'bytes';
  readonly exchange: number;
  readonly value: string;
  /** How many secrets are masked in it. */
  readonly masked?: number;
}

/** The end of an exchange. `left`: the run did not read the rest. */
export interface EndLine {
  readonly line: 'end' | 'left';
  readonly exchange: number;
  readonly at: number;
  /** The body was a file of `download` that is no text: its bytes are not in the recording. */
  readonly file?: FileDigest;
}

/** The failure of an exchange: of its connection, or of its body. */
export interface FaultLine {
  readonly line: 'fault';
  readonly exchange: number;
  readonly at: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly where: Pick<Where, 'transport' | 'unsent' | 'absentSince' | 'remedy'>;
}

export type Line = BeginLine | RequestLine | HeadLine | PartLine | EndLine | FaultLine;

const kinds: Readonly<Record<Line['line'], readonly string[]>> = {
  recording: ['startedAt', 'seed'],
  request: ['exchange', 'at', 'method', 'url', 'headers'],
  response: ['exchange', 'at', 'status', 'headers'],
  text: ['exchange', 'value'],
  bytes: ['exchange', 'value'],
  end: ['exchange', 'at'],
  left: ['exchange', 'at'],
  fault: ['exchange', 'at', 'code', 'message', 'where'],
};

/** Parses a line. Undefined: it is none of a recording. */
export function parseLine(text: string): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isLine(value) ? value : undefined;
}

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null || !('line' in value)) return false;
  const name = String(value.line);
  const members = Object.hasOwn(kinds, name) ? kinds[name as Line['line']] : undefined; // one of its keys
  if (members === undefined || !members.every((member) => member in value)) return false;
  return !('code' in value) || Object.hasOwn(errorCodes, String(value.code));
}

/** An error about a recording. */
export const recordingError = (path: string, message: string, cause?: unknown): ExtractError =>
  new ExtractError('ERR_RECORDING', `${path}: ${message}`, cause === undefined ? {} : { cause });
