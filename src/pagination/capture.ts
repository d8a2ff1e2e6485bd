/** Paths whose values a scroller asks for, each under a name of its own in the envelope. */
import type { Exact } from '../core/json/exact.js';
import type { CapturePath, Page } from '../core/model/page.js';

/** The path of these segments. One with a dot in a segment is told apart from those that a dotted text gives. */
export function captureOf(segments: readonly string[]): CapturePath {
  const isPlain = segments.every((segment) => !segment.includes('.'));
  return { text: isPlain ? segments.join('.') : ['', ...segments].join('\0'), segments };
}

/** The same, for one whose lists and objects count by their kind alone: they come empty, however large they are. */
export function kindOfCapture(segments: readonly string[]): CapturePath {
  const { text } = captureOf(segments);
  return { text: `${text}\0kind`, segments, shallow: true };
}

/** The value that was captured; undefined: the path leads nowhere. */
export const capturedAt = ({ envelope }: Pick<Page, 'envelope'>, { text }: CapturePath): Exact | undefined =>
  envelope.get(text)?.value;
