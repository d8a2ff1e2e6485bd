/** Spans of a text: growing, joining and replacing them. */
import { elementAt } from '../util/element-at.js';
import { byteAt } from './number-tables.js';

/** From one place between characters to another. */
export type Span = readonly [start: number, end: number];

/** Extends the last span if possible: there may be one for each byte. */
export function addSpan(spans: Span[], start: number, end: number): void {
  const [lastStart, lastEnd] = spans.at(-1) ?? [0, -1];
  if (start >= lastStart && start <= lastEnd) spans[spans.length - 1] = [lastStart, Math.max(lastEnd, end)];
  else spans.push([start, end]);
}

/** Sorts spans and joins overlapping and touching ones. */
export function joinSpans(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) addSpan(all, start, end);
  return all;
}

/** Converts spans of UTF-8 bytes to spans of characters. They must be in order. */
export function toCharacters(spans: readonly Span[], bytes: Uint8Array): readonly Span[] {
  let [at, characters] = [0, 0];
  const countTo = (place: number): number => {
    for (; at < place; at += 1) {
      const byte = byteAt(bytes, at);
      if (byte < 0x80 || byte >= 0xc0) characters += byte >= 0xf0 ? 2 : 1;
    }
    return characters;
  };
  return spans.map(([start, end]) => [countTo(start), countTo(end)]);
}

/**
 * Extends spans to the whole row of percent-encoded bytes they touch. Spans are in order; they may overlap afterwards.
 */
export function extendToRuns(text: string, spans: readonly Span[]): readonly Span[] {
  const runs = [...text.matchAll(/(?:%[\da-f]{2})+/gi)].map(({ index, 0: run }): Span => [index, index + run.length]);
  let next = 0;
  return spans.map(([start, end]) => {
    while ((runs[next]?.[1] ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    let last = next;
    while ((runs[last]?.[0] ?? Number.POSITIVE_INFINITY) < end) last += 1;
    if (last === next) return [start, end];
    return [Math.min(start, elementAt(runs, next)[0]), Math.max(end, elementAt(runs, last - 1)[1])];
  });
}

/** Replaces each span; they are in order and do not overlap. */
export function replaceSpans(text: string, spans: readonly Span[], replacement: string): string {
  if (spans.length === 0) return text;
  const from = [0, ...spans.map(([, end]) => end)];
  return from.map((start, index) => text.slice(start, spans[index]?.[0])).join(replacement);
}
