/** Paths whose values a scroller asks for, each under a name of its own in the envelope. */
import type { CapturePath, Page } from '../types.js';

/** The path of these segments. One with a dot in a segment is told apart from those that a dotted text gives. */
export function captureOf(segments: readonly string[]): CapturePath {
  const isPlain = segments.every((segment) => !segment.includes('.'));
  return { text: segments.join(isPlain ? '.' : '\0'), segments };
}

/** The same, for one whose lists and objects count by their kind alone: they come empty, however large they are. */
export const kindOfCapture = (segments: readonly string[]): CapturePath => {
  const { text } = captureOf(segments);
  return { text: `${text}\0kind`, segments, shallow: true };
};

/** The value that was captured; undefined: the path leads nowhere. */
export const capturedAt = ({ envelope }: Pick<Page, 'envelope'>, { text }: CapturePath) => envelope.get(text)?.value;
