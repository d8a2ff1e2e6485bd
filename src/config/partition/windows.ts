/** The keys of `windows` of a job: a range of dates or numbers, in steps. docs/13-second-run.md#windows. */
import { kind, type OptionRows, type OptionsOf, refine } from '../../core/options/kind.js';
import { nonEmptyText, numberOf, whole, word } from '../../core/options/kinds.js';
import { objectOf } from '../../core/options/object-kinds.js';
import { parseDuration } from '../../core/options/units.js';
import { expression } from '../../language/expression-kinds.js';
import { stringOrNumber } from '../../language/kinds.js';

/** A step of a window: a time in ms, calendar months, or a number. */
export type WindowStep =
  | { readonly unit: 'ms'; readonly size: number }
  | { readonly unit: 'month'; readonly size: number }
  | { readonly unit: 'number'; readonly size: number };

/** Parses `7d`, `1mo`, `1y`, or a whole number; a negative one only for an overlap. */
export function parseStep(text: string): WindowStep | undefined {
  const [, sign, rest = ''] = /^(-?)(.*)$/s.exec(text) ?? [];
  const of = sign === '-' ? -1 : 1;
  const number = numberOf(rest);
  if (typeof number === 'number') return { unit: 'number', size: of * number };
  const unit = /(?:mo|y)$/.exec(rest)?.[0] ?? '';
  const months = unit === '' ? undefined : numberOf(rest.slice(0, -unit.length));
  if (typeof months === 'number') return { unit: 'month', size: of * months * (unit === 'y' ? 12 : 1) };
  const ms = parseDuration(rest, 'ms');
  return ms === undefined ? undefined : { unit: 'ms', size: of * ms };
}

const step = refine(
  stringOrNumber,
  'a time such as 7d, 12h or 1mo, or a number',
  (text) => (parseStep(text)?.size ?? 0) > 0,
  { type: ['string', 'integer'], minimum: 1, pattern: '^\\d+(mo|y|d|h|m|s|ms)?([\\dhms]*)$' },
);

const overlap = refine(
  stringOrNumber,
  'a time such as 1h or -1s, or a number',
  (text) => {
    const parsed = parseStep(text);
    return parsed !== undefined && parsed.unit !== 'month';
  },
  { type: ['string', 'integer'], pattern: '^-?\\d+(d|h|m|s|ms)?([\\dhms]*)$' },
);

const count = whole(1);

/** Whether windows split; a number: the most items that the API gives for one. */
const split = kind<boolean | number>(
  `true, false or ${count.struct.type}`,
  (value) => typeof value === 'boolean' || count.struct.is(value),
  {
    fromExact: numberOf,
    schema: { type: ['boolean', 'integer', 'string'], minimum: 1, pattern: '^0*[1-9]\\d*(\\.0*)?$' },
  },
);

const paramFields = {
  from: { kind: nonEmptyText, summary: 'the parameter, or the placeholder, for the start of a window' },
  to: { kind: nonEmptyText, summary: 'the parameter, or the placeholder, for its end' },
} satisfies OptionRows;

export const windowFields = {
  from: {
    kind: expression('attr', 'time'),
    required: true,
    summary: 'where the first window begins: a date, Unix seconds or ms, or a number',
  },
  to: {
    kind: expression('attr', 'time'),
    default: 'now',
    summary: 'where the last window ends; `now` is the start of the run',
  },
  step: {
    kind: step,
    required: true,
    summary: 'the size of a window: `7d`, `12h`, `1mo` (a calendar month), or a number',
  },
  params: { kind: objectOf(paramFields), required: true, summary: 'the names of the parameters' },
  format: {
    kind: nonEmptyText,
    otherwise: 'the form of `from`',
    summary: 'the form of the values: `seconds`, `milliseconds`, or letters of the function `date`',
  },
  overlap: {
    kind: overlap,
    otherwise: 'none',
    summary:
      'how much of the window before a window contains again; negative: how much earlier a window ends, for an API that includes the end',
  },
  order: { kind: word('asc', 'desc'), default: 'asc', summary: '`desc`: the last window first' },
  split: {
    kind: split,
    default: false,
    summary:
      'a window with more items than the API gives splits in halves; a number: the most items that the API gives for one',
  },
} satisfies OptionRows;

export interface WindowSettings extends OptionsOf<typeof windowFields> {
  /** Of `windows` in the document. */
  readonly path: string;
}

export const windowsType = objectOf(windowFields);
