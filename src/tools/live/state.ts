/** Describes what a job waits for, with longer and shorter texts. */
import { clock, size } from '../text/format.js';
import type { DisplayRow } from './model.js';

/** `attention`: something failed and is being retried. */
export type Tone = 'plain' | 'faint' | 'good' | 'attention';

export interface JobState {
  /** The longest first. A terminal shows the first that fits; a narrow one never shows the first. */
  readonly texts: readonly string[];
  readonly tone: Tone;
}

/** Shorter waits are normal. */
const longMs = 2000;

/** `answer, 12 s` or, if it fits, `answer to page 3, 12 s`. Pages count from 1. */
export function describeState({ phase, activity, stop, hasChildren }: DisplayRow): JobState {
  if (phase === 'waiting') return same('its turn', 'faint');
  if (phase === 'done') return { texts: [`done: ${stop}`, 'done'], tone: 'good' };
  if (activity === undefined) return same(hasChildren ? 'its children' : '');

  const { state, received, bytes, ms = 0, quietMs } = activity;
  const page = `page ${activity.page + 1}`;
  const so = quietMs < longMs ? '' : `, ${span(quietMs)}`;
  const left = span(Math.ceil(Math.max(0, ms - quietMs) / 1000) * 1000);
  switch (state) {
    case 'limit':
      return ms > 0 ? same(`limit, ${left} left`, 'attention') : same(`limit${so}`);
    case 'retry':
      return { texts: [`retry of ${page} in ${left}`, `retry in ${left}`], tone: 'attention' };
    case 'page': {
      const come = size(received);
      return { texts: [`${page}, ${come} so far${so}`, `page, ${come}${so}`, `page${so}`], tone: 'plain' };
    }
    case 'answer':
      return { texts: [`response to ${page}${so}`, `response${so}`], tone: 'plain' };
    case 'sink':
      if (bytes === 0) return same(`sink${so}`);
      return { texts: [`sink, ${size(bytes)} unconfirmed${so}`, `sink${so}`], tone: 'plain' };
    case 'turn':
      return same(`its turn${so}`);
    default:
      return same(`${state}${so}`);
  }
}

/** The same text for every width. */
export const same = (text: string, tone: Tone = 'plain'): JobState => ({ texts: [text, text], tone });

/** `12 s`, and from 100 seconds `1:40`. */
const span = (ms: number): string => (ms < 100_000 ? `${Math.floor(ms / 1000)} s` : clock(ms));
