/** Paths that a paginator reads, each under its own name in the envelope. */
import type { Exact } from '../core/json/exact.js';
import type { CapturePath, Page } from '../core/model/page.js';

/** The path of these segments. A segment with a dot is distinguished from a dotted path. */
export function capturePath(segments: readonly string[]): CapturePath {
  const isPlain = segments.every((segment) => !segment.includes('.'));
  return { text: isPlain ? segments.join('.') : ['', ...segments].join('\0'), segments };
}

/** The same, but only the kind of a list or an object is captured: it becomes an empty one. */
export function captureKind(segments: readonly string[]): CapturePath {
  const { text } = capturePath(segments);
  return { text: `${text}\0kind`, segments, shallow: true };
}

/** Returns the captured value; undefined: there is none at the path. */
export const capturedAt = ({ envelope }: Pick<Page, 'envelope'>, { text }: CapturePath): Exact | undefined =>
  envelope.get(text)?.value;
