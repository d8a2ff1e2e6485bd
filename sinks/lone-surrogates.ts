/** Halves of surrogate pairs, which UTF-8 cannot hold: where they are, what is written instead, and the warning. */
import type { Notify } from '../src/core/model/notice.js';

/** Returns a function that warns with its first call: half of a surrogate pair is written as U+FFFD. */
export function warnOfSurrogates(dataType: string, notify: Notify): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    const message = `"${dataType}": a text has half of a surrogate pair, which UTF-8 cannot hold: it is written as U+FFFD`;
    notify({ level: 'warning', code: 'lone-surrogate', message });
  };
}

/** Without the flag `v` of newer engines: a half of a pair is a code point of its own only if it is alone. */
const loneSurrogate = /\p{Surrogate}/u;

export const hasLoneSurrogate = (text: string): boolean => loneSurrogate.test(text);

/** The text with U+FFFD for each half of a surrogate pair. */
export const wellFormed = (text: string): string => (hasLoneSurrogate(text) ? Buffer.from(text).toString() : text);

/** Escapes in JSON, one after the other: a pair, a lone surrogate, any other. */
const escapes = /(\\ud[89ab]..\\ud[c-f]..)|(\\ud[89a-f]..)|\\./gi;

/** JSON without escapes of lone surrogates, which many readers refuse. `onLoneSurrogate`: called for each of them. */
export function wellFormedJson(json: string, onLoneSurrogate: () => void): string {
  return json.replace(escapes, (found, _pair: string | undefined, lone: string | undefined) => {
    if (lone === undefined) return found;
    onLoneSurrogate();
    return '\\ufffd';
  });
}
