/** What has been read of a date so far: fields of a date, and what to add to them. */
import type { Offset } from './zone.js';

export interface DateDraft {
  /** Whether it names a moment: a zone or marks alone do not, though PHP reads them as now. */
  readonly isNamed: boolean;
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
  /** ms since midnight. */
  readonly time?: number;
  readonly hasDate: boolean;
  readonly hasTime: boolean;
  readonly zone?: Offset;
  /** A second name of the zone, as in `+0200 (CEST)`; it has no effect. */
  readonly zoneAgain?: Offset;
  readonly years: number;
  readonly months: number;
  readonly days: number;
  /** ms. */
  readonly elapsed: number;
  /** Working days, Monday to Friday; instead of `counted`. */
  readonly weekdays?: number | undefined;
  readonly weekday?: Weekday;
  /** `first day of`, `last day of`. */
  readonly edge?: Edge;
  /** `second monday of`, `last monday of`: the edge from which weekdays are counted. */
  readonly counted?: Edge | undefined;
}

export type Edge = 'first' | 'last';

/** 0 is Sunday; negative, after `ago`: a weekday before. `search`: after today, from today on, or within this week. */
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

/** Returns `undefined` for a second date: a contradiction. */
export function withDate(
  draft: DateDraft,
  date: Partial<Pick<DateDraft, 'year' | 'month' | 'day'>>,
): DateDraft | undefined {
  return draft.hasDate ? undefined : { ...draft, ...date, hasDate: true };
}

/** Seconds may have a fraction. Returns `undefined` for a second time of the day: a contradiction. */
export function withTime(draft: DateDraft, hours: number, minutes = 0, seconds = 0): DateDraft | undefined {
  if (draft.hasTime) return undefined;
  return { ...draft, hasTime: true, time: (hours * 60 + minutes) * 60_000 + Math.round(seconds * 1e6) / 1e3 };
}

/** Midnight, unless a time of the day follows. */
export const atMidnight = (draft: DateDraft): DateDraft => ({ ...draft, hasTime: false, time: 0 });

/** Negates everything that was to be added. */
export function ago(draft: DateDraft): DateDraft {
  const { years, months, days, elapsed, weekdays, weekday } = draft;
  const worked = weekdays === undefined ? {} : { weekdays: -weekdays };
  const turned = weekday === undefined ? {} : { weekday: { ...weekday, day: -weekday.day || -7 } };
  return { ...draft, years: -years, months: -months, days: -days, elapsed: -elapsed, ...worked, ...turned };
}

export type DateForm = readonly [
  pattern: string,
  apply: (draft: DateDraft, groups: readonly (string | undefined)[], whole: string) => DateDraft | undefined,
];
