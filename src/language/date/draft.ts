/** What a text has said of a moment so far: some fields of a date, and what is to be added to them. */
import type { Offset } from './zone.js';

export interface DateDraft {
  /** Whether it names a moment at all: a zone and marks alone do not, though PHP takes them for now. */
  readonly isNamed: boolean;
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
  /** ms since midnight. */
  readonly time?: number;
  readonly hasDate: boolean;
  readonly hasTime: boolean;
  readonly zone?: Offset;
  /** Another name for it, as in `+0200 (CEST)`; it changes nothing. */
  readonly zoneAgain?: Offset;
  readonly years: number;
  readonly months: number;
  readonly days: number;
  /** ms. */
  readonly elapsed: number;
  /** Monday to Friday; instead of `counted`. */
  readonly weekdays?: number | undefined;
  readonly weekday?: Weekday;
  /** `first day of`, `last day of`. */
  readonly edge?: Edge;
  /** `second monday of`, `last monday of`: where the weekdays are counted from. */
  readonly counted?: Edge | undefined;
}

export type Edge = 'first' | 'last';

/**
 * 0 is Sunday; below it, after `ago`, a day of the week before. `search`: after today, from today on, or within the
 * week of today.
 */
export interface Weekday {
  readonly day: number;
  readonly search: 'after' | 'from' | 'week';
}

export const emptyDraft: DateDraft = {
  isNamed: false,
  hasDate: false,
  hasTime: false,
  years: 0,
  months: 0,
  days: 0,
  elapsed: 0,
};

/** A second date is a contradiction: `undefined`. */
export function withDate(
  draft: DateDraft,
  date: Partial<Pick<DateDraft, 'year' | 'month' | 'day'>>,
): DateDraft | undefined {
  return draft.hasDate ? undefined : { ...draft, ...date, hasDate: true };
}

/** Seconds may have a fraction. A second time of the day is a contradiction: `undefined`. */
export function withTime(draft: DateDraft, hours: number, minutes = 0, seconds = 0): DateDraft | undefined {
  if (draft.hasTime) return undefined;
  return { ...draft, hasTime: true, time: (hours * 60 + minutes) * 60_000 + Math.round(seconds * 1e6) / 1e3 };
}

/** Midnight, unless a time of the day follows. */
export const atMidnight = (draft: DateDraft): DateDraft => ({ ...draft, hasTime: false, time: 0 });

/** All that was to be added is taken away instead. */
export function ago(draft: DateDraft): DateDraft {
  const { years, months, days, elapsed, weekdays, weekday } = draft;
  const worked = weekdays === undefined ? {} : { weekdays: -weekdays };
  const turned = weekday === undefined ? {} : { weekday: { ...weekday, day: -weekday.day || -7 } };
  return { ...draft, years: -years, months: -months, days: -days, elapsed: -elapsed, ...worked, ...turned };
}
