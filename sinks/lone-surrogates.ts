/** The warning about texts that UTF-8 cannot hold. */
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
