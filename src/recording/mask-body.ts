/**
 * Masks the secrets of a body while it passes, in parts of bounded size, so that JSON remains JSON. Of another body it
 * keeps the beginning, which a message may show. docs/decisions/034.
 */
import type { Secrets } from '../core/model/secrets.js';
import { maskText } from '../core/secrets/secrets.js';
import { replaceSpans, type Span } from '../core/secrets/spans.js';
import { recordingError } from './recording-lines.js';

/** A masked part of a body. */
export interface MaskedPart {
  /** `bytes`: no UTF-8; each character is a byte. */
  readonly line: 'text' | 'bytes';
  readonly value: string;
  /** How many secrets were in it. */
  readonly masked: number;
}

export interface BodyMask {
  /** Takes a chunk, which may be used again afterwards. Returns the parts that are complete. */
  push(chunk: Uint8Array): readonly MaskedPart[];
  /** The rest of the body. `cut`: the body itself is incomplete, and may end within a secret. */
  end(how: 'whole' | 'cut'): readonly MaskedPart[];
  /** Nothing of the body is kept: it is compressed, and a secret in it could not be masked. Valid after `end`. */
  isLeftOut(): boolean;
}

interface PartSizes {
  /** A part is masked when so many bytes are there. */
  readonly part: number;
  /** So many characters remain for the next part: a secret that a part cuts is known by its beginning. */
  readonly kept: number;
  /** The longest text that is one secret, such as base64 with a secret in it, in bytes. */
  readonly most: number;
}

const usualSizes: PartSizes = { part: 256 * 1024, kept: 8 * 1024, most: 32 * 1024 * 1024 };

export interface BodyMaskOptions {
  readonly sizes?: PartSizes;
  /** The body may be a file that a job reads: a text is kept whole, whatever it is. */
  readonly isFile?: boolean;
}

/** Creates the mask of one body. `path` is that of the recording. Its functions throw ERR_RECORDING. */
export function createBodyMask(
  secrets: Pick<Secrets, 'find'>,
  path: string,
  { sizes: { part, kept, most } = usualSizes, isFile = false }: BodyMaskOptions = {},
): BodyMask {
  let pending: Uint8Array[] = [];
  let [length, needed] = [0, part];
  let [isOther, isOver, isLeftOut] = [false, false, false];
  let state: JsonState | 'no JSON' | undefined;

  const take = (isEnd: boolean, how: 'whole' | 'cut'): readonly MaskedPart[] => {
    const bytes = Buffer.concat(pending);
    const { text, line } = decode(bytes, isEnd);
    if (state === undefined && !looksLikeJson(text)) {
      isLeftOut = isPacked(bytes.toString('latin1', 0, 4)) || (isFile && !isPlainText(text));
      if (isFile && !isLeftOut) state = 'no JSON';
      else isOther = true;
    }
    if (isOther) {
      [isOver, length, pending] = [true, 0, []];
      return isLeftOut ? [] : [maskOther(text, how, secrets)];
    }
    state ??= { isInString: false };
    const spans = secrets.find(text, how);
    const cut = isEnd ? text.length : safeCut(text, spans, kept);
    const inside = spans.filter(([start]) => start < cut);
    const value =
      state === 'no JSON'
        ? replaceSpans(text.slice(0, cut), inside, maskText)
        : replaceIn(text, { spans: inside, cut, state });
    const done = Buffer.byteLength(text.slice(0, cut), line === 'text' ? 'utf8' : 'latin1');
    if (done === 0 && !isEnd && bytes.length > most) {
      throw recordingError(path, `a body has a text of more than ${most} bytes that contains a secret`);
    }
    needed = done === 0 ? 2 * bytes.length : part;
    pending = done === bytes.length ? [] : [Uint8Array.from(bytes.subarray(done))];
    length = bytes.length - done;
    return value === '' ? [] : [{ line, value, masked: inside.length }];
  };
  return {
    push(chunk) {
      if (isOver) return [];
      pending.push(Uint8Array.from(chunk));
      length += chunk.length;
      return length < needed ? [] : take(false, 'cut');
    },
    end: (how) => (length === 0 ? [] : take(true, how)),
    isLeftOut: () => isLeftOut,
  };
}

/** Whether a body begins as a text does: a compressed one has control characters, and no secret is found in it. */
function isPlainText(text: string): boolean {
  for (let at = 0; at < Math.min(text.length, mostOther); at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 && !/\s/.test(text.charAt(at))) return false;
  }
  return true;
}

/** Whether a body begins as a gzip file or a ZIP archive does. */
const isPacked = (text: string): boolean => text.startsWith('\x1f\x8b\b') || text.startsWith('PK\x03\x04');

/** Characters of a body that is no JSON: as many as messages read. */
const mostOther = 64 * 1024;

/** On one line, as a message shows it: a secret with blanks may have been folded at them. */
function maskOther(text: string, how: 'whole' | 'cut', { find }: Pick<Secrets, 'find'>): MaskedPart {
  const start = text.slice(0, mostOther);
  const spans = find(start, start === text ? how : 'cut');
  const line = replaceSpans(start, spans, maskText).replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
  const folded = find(line, 'whole');
  return { line: 'text', value: replaceSpans(line, folded, maskText), masked: spans.length + folded.length };
}

/** Decodes UTF-8, up to the last whole character unless it is the end; anything else as one byte a character. */
function decode(bytes: Buffer, isEnd: boolean): { readonly text: string; readonly line: MaskedPart['line'] } {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(bytes, { stream: !isEnd }), line: 'text' };
  } catch {
    return { text: bytes.toString('latin1'), line: 'bytes' };
  }
}

/** The last place that is within no secret, within no escape and within no character, with enough text after it. */
function safeCut(text: string, spans: readonly Span[], kept: number): number {
  const last = Math.max(0, text.length - kept);
  const cut = spans.find(([start, end]) => start < last && last < end)?.[0] ?? last;
  const before = text.slice(0, cut);
  const half = /(?:^|[^\\])(?:\\\\)*(\\u?[\da-f]{0,3})$/i.exec(before.slice(-mostEscapes))?.[1];
  return cut - (half ?? /[\uD800-\uDBFF]$/.exec(before)?.[0] ?? '').length;
}

/** A longer row of backslashes is cut anywhere. */
const mostEscapes = 1024;

interface JsonState {
  isInString: boolean;
}

/** A JSON sequence begins with a control character. RFC 7464. */
const looksLikeJson = (text: string): boolean => /^[\s\uFEFF]*[[{"]/.test(text.replace(recordSeparator, ''));

const recordSeparator = '\u001e';

interface Replacing {
  readonly spans: readonly Span[];
  readonly cut: number;
  readonly state: JsonState;
}

/** A string gets the mask, a number another number: each text that was JSON remains JSON. */
function replaceIn(text: string, { spans, cut, state }: Replacing): string {
  const tokens = /\\(?:u[\da-f]{4}|.)|"/gis;
  let token = tokens.exec(text);
  let [result, at] = ['', 0];
  for (const [start, end] of spans) {
    let from = start;
    for (; token !== null && token.index < start; token = tokens.exec(text)) {
      if (token[0] === '"') state.isInString = !state.isInString;
      else if (token.index + token[0].length > start) from = token.index; // else half an escape would remain
    }
    result +=
      text.slice(at, Math.max(at, from)) +
      (state.isInString || !isScalar.test(text.slice(start, end)) ? maskText : number);
    at = end;
  }
  for (; token !== null && token.index < cut; token = tokens.exec(text)) {
    if (token[0] === '"') state.isInString = !state.isInString;
  }
  return result + text.slice(at, cut);
}

const isScalar = /^[\w.+-]+$/;

/** Any digits may follow it in a number. */
const number = '1';
