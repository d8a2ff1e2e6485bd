/** The grammar of PHP's `strtotime`. At each position the longest form wins, and the whole text must be understood. */
import { ago, atMidnight, type DateDraft, type DateForm, emptyDraft, withTime } from './date-draft.js';
import { formsOfDate } from './forms-of-date.js';
import { formsOfTime, formsOfZone } from './forms-of-time.js';
import { settle } from './settle.js';
import {
  isDayOfWeek,
  ordinalPattern,
  parseAmount,
  unitPattern,
  weekdayOf,
  weekdayPattern,
  whichPattern,
  withUnits,
} from './words.js';
import { fixedOffset } from './zone.js';

/**
 * Returns Unix seconds in UTC, or `undefined` if PHP does not understand the text either. Relative texts count from
 * `now`, Unix seconds.
 */
export function strtotime(text: string, now: number): number | undefined {
  const draft = parseDraft(text);
  const at = draft && settle(draft, now * 1000);
  return at === undefined ? undefined : Math.floor(at / 1000);
}

/** Parses a text; returns `undefined` if PHP does not understand it either. */
export function parseDraft(text: string): DateDraft | undefined {
  if (text === '' || text.length > longest) return undefined;
  const trimmed = text.trim();
  let draft: DateDraft | undefined = emptyDraft;
  for (let at = 0; at < trimmed.length && draft !== undefined; ) {
    const [groups, apply] = longestAt(trimmed, at) ?? [];
    if (groups === undefined || apply === undefined) return undefined;
    draft = named(apply(draft, groups.slice(1), groups[0]), apply);
    at += groups[0].length;
  }
  return draft;
}

/** Longer texts are no dates. */
const longest = 200;

const yesterday = (draft: DateDraft): DateDraft => ({ ...atMidnight(draft), days: -1 });
const tomorrow = (draft: DateDraft): DateDraft => ({ ...atMidnight(draft), days: 1 });

const separator: DateForm = ['[ .,\\t]+', (draft) => draft];

/** Of equally long matches, the first form wins. */
const forms: readonly DateForm[] = [
  separator,
  ['now', (draft) => draft],
  ['today|midnight', atMidnight],
  ['noon', (draft) => withTime(atMidnight(draft), 12)],
  ['yesterday', yesterday],
  ['tomorrow', tomorrow],
  ['@(-?\\d{1,19}(?:\\.\\d{0,6})?)', (draft, [seconds]) => fromTimestamp(draft, Number(seconds))],
  [
    '(first|last) day of',
    (draft, [edge = '']) => ({ ...draft, edge: edge.toLowerCase() === 'first' ? 'first' : 'last' }),
  ],
  [
    `(${ordinalPattern}|${whichPattern})[ \\t]+(${weekdayPattern})[ \\t]+of`,
    (draft, [which = '', day = '']) => weekdayOfMonth(draft, which, day),
  ],
  ...formsOfTime,
  ...formsOfDate,
  ['ago', ago],
  [weekdayPattern, (draft, _, day) => onWeekday(draft, day)],
  [`(${whichPattern})[ \\t]+week`, (draft, [which = '']) => inWeek(draft, which)],
  [
    `(${ordinalPattern}|${whichPattern})[ \\t]+(?!week(?![sd]))(${unitPattern})`,
    (draft, [which = '', unit = '']) => some(draft, which, unit),
  ],
  ...formsOfZone,
  [
    `([+-]*[ \\t]*\\d{1,13})[ \\t]*(${unitPattern})`,
    (draft, [amount = '', unit = '']) => withUnits(draft, parseAmount(amount), unit, 'from'),
  ],
];

const patterns = forms.map(([pattern, apply]) => [new RegExp(pattern, 'iy'), apply] as const);

/** These name no moment by themselves. */
const silent: ReadonlySet<DateForm[1]> = new Set([separator, ...formsOfZone].map(([, apply]) => apply));

const named = (draft: DateDraft | undefined, apply: DateForm[1]): DateDraft | undefined =>
  draft === undefined || silent.has(apply) ? draft : { ...draft, isNamed: true };

function longestAt(text: string, at: number) {
  return patterns.reduce<readonly [RegExpExecArray, DateForm[1]] | undefined>((best, [pattern, apply]) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    return found !== null && found[0].length > (best?.[0][0].length ?? 0) ? [found, apply] : best;
  }, undefined);
}

/** Replaces any date and time before it. */
function fromTimestamp(draft: DateDraft, seconds: number): DateDraft {
  const epoch = { year: 1970, month: 1, day: 1, time: 0, hasDate: false, hasTime: false, zone: fixedOffset(0) };
  return { ...draft, ...epoch, elapsed: draft.elapsed + Math.round(seconds * 1e6) / 1e3 };
}

/** `next month`, `third monday`; `this monday` may be today. Weekdays in words begin at midnight. */
const some = (draft: DateDraft, which: string, unit: string): DateDraft =>
  withUnits(
    isDayOfWeek(unit) ? atMidnight(draft) : draft,
    parseAmount(which),
    unit,
    which.toLowerCase() === 'this' ? 'from' : 'after',
  );

/** It may be today, unless the text named a week. */
const onWeekday = (draft: DateDraft, day: string): DateDraft => ({
  ...atMidnight(draft),
  weekday: { day: weekdayOf(day), search: draft.weekday?.search === 'week' ? 'week' : 'from' },
});

/** Weeks begin on Monday, which is also the day if no other is named. */
const inWeek = (draft: DateDraft, which: string): DateDraft => ({
  ...draft,
  days: draft.days + parseAmount(which) * 7,
  weekday: { day: draft.weekday?.day ?? 1, search: 'week' },
});

/** Counts from the first of the month, or backwards from the first of the next month. */
function weekdayOfMonth(draft: DateDraft, which: string, day: string): DateDraft {
  const amount = parseAmount(which);
  const found = withUnits(atMidnight(draft), amount, day, amount > 0 ? 'from' : 'after');
  return { ...found, weekdays: undefined, counted: amount > 0 ? 'first' : 'last' };
}
