/** Ends a walk after a number of pages, a time, or a volume. docs/03-pagination.md#ending-sooner. */

import { kind, type OptionRows } from '../core/options/kind.js';
import { numberOf, whole } from '../core/options/kinds.js';
import type { Component } from '../language/component.js';
import { parseDate } from '../language/date/parse-date.js';
import type { StopRule } from './stop-rule.js';
import type { Stop } from './types.js';

const count = whole(0, undefined, { name: 'a whole number of seconds' });

const seconds = kind<number>(
  `${count.struct.type}, or a relative time such as "1 hour"`,
  (value) => count.struct.is(value),
  {
    fromExact(value) {
      const number = numberOf(value);
      return typeof number === 'string' ? (relativeSeconds(number) ?? value) : number;
    },
    // No pattern describes relative times.
    schema: { type: ['integer', 'string'], minimum: 0, minLength: 1 },
  },
);

const noLimit = { default: 0, otherwise: 'no limit', emptyIsAbsent: true } as const;

const fields = {
  pages: { kind: whole(0), ...noLimit, summary: 'the maximum number of pages' },
  time: {
    kind: seconds,
    ...noLimit,
    summary: 'the maximum time since the first request; the current page is finished',
  },
  volume: {
    kind: whole(0),
    ...noLimit,
    summary: 'the maximum bytes of all responses, counted as compact JSON with `\\/` and `\\uXXXX`',
  },
} satisfies OptionRows;

export const forceStop: Component<typeof fields, StopRule> = {
  summary: 'ends a job after a number of pages, a time, or a volume, whichever is reached first',
  fields,
  rules: ['A limit of 0 is no limit.'],
  example: '{ "method": "pagenum", "forceStop": { "pages": 100, "time": "1 hour" } }',

  create({ pages, time, volume: most }) {
    return {
      ...(most > 0 ? { volume: true as const } : {}),
      ...(pages > 0 ? { left: ({ index }) => ({ pages: pages - index - 1 }) } : {}),
      ends({ index, startedAt, takenAt, volume }) {
        if (pages > 0 && index + 1 >= pages) return wanted(`${pages} pages`);
        if (time > 0 && takenAt - startedAt >= time * 1000) return wanted(`${time} seconds have passed`);
        if (most > 0 && volume > most) return wanted(`${volume} bytes, more than ${most}`);
        return undefined;
      },
    };
  },
};

const prefix = 'forceStop: ';

const wanted = (why: string): Stop => ({ stop: `${prefix}${why}`, by: 'force stop', isWanted: true });

/** Whether a walk that ended for this reason was ended by `forceStop`, not by its pages. */
export const isForced = (stop: string): boolean => stop.startsWith(prefix);

const dayMs = 86_400_000;

/**
 * A date that does not depend on today is no relative time, nor is `1.5`, which PHP reads as 01:05. A month has the
 * length of January.
 */
function relativeSeconds(text: string): number | undefined {
  if (/^[\d.]+$/.test(text)) return undefined;
  const ms = parseDate(text, 0);
  if (ms === undefined || ms <= 0 || parseDate(text, dayMs) === ms) return undefined;
  return Math.ceil(ms / 1000);
}
