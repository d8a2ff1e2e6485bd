/** The range of `windows`, and its windows. docs/13-second-run.md#windows. */
import { type Exact, ExactNumber, isNumber, isObject } from '../../core/json/exact.js';
import { numberOf } from '../../core/options/kinds.js';
import {
  formNamed,
  type MomentForm,
  readAnyDate,
  readWrittenDate,
  type WrittenDate,
} from '../../language/date/written-date.js';
import { parseStep, type WindowSettings, type WindowStep } from './windows.js';

/** A part of the range, from its start to before its end: epoch ms, or numbers. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** A range with its steps. */
export interface WindowRange extends Window {
  readonly step: WindowStep;
  /** How values are written, and the least size of a window. */
  readonly form: MomentForm;
  /** Positive: windows begin earlier; negative: they end earlier. */
  readonly overlap: number;
}

/** What does not fit: the key of `windows`, and the message. */
export interface RangeFault {
  readonly key: 'from' | 'to' | 'step' | 'overlap';
  readonly message: string;
}

export const isFault = (range: WindowRange | RangeFault): range is RangeFault => 'key' in range;

/** Checks what is known without an evaluation. */
export function literalRange(settings: WindowSettings): RangeFault | undefined {
  const { from, to } = settings;
  if (isObject(from) || isRelative(settings, String(from))) return undefined;
  const range = rangeOf(settings, { from, to: isObject(to) ? 'now' : to }, distant);
  return isFault(range) ? range : undefined;
}

/** A date such as `-1 year`: where it is depends on the start of the run. */
const isRelative = ({ format }: WindowSettings, from: string): boolean =>
  format !== undefined && readWrittenDate(from, false) === undefined && readAnyDate(from, 0) !== undefined;

/** Later than any start. */
const distant = 8_000_000_000_000;

/** More windows are probably a mistake, such as a step in seconds. */
const mostWindows = 1_000_000;

/** Makes the range of evaluated bounds; `now` in epoch ms. */
export function rangeOf(
  { step: stepText, overlap: overlapText = '0', format }: WindowSettings,
  bounds: { readonly from: Exact; readonly to: Exact },
  now: number,
): WindowRange | RangeFault {
  const step = parseStep(stepText) ?? { unit: 'number', size: 1 };
  const overlap = parseStep(overlapText)?.size ?? 0;
  if (step.unit === 'number') return numbersOf(step, bounds, overlap);
  const from = startOf(bounds.from, format, now);
  if (from === undefined) {
    const hint = 'expected a date as in ISO 8601, Unix seconds or ms; set `format` for other forms';
    return { key: 'from', message: hint };
  }
  const { form } = from;
  if (step.unit === 'ms' && step.size % form.resolution !== 0) {
    return { key: 'step', message: `values in this form can only be a multiple of ${form.resolution / 1000} s apart` };
  }
  const isNow = String(bounds.to) === 'now';
  const end = isNow ? now : readAnyDate(String(bounds.to), now);
  if (end === undefined) return { key: 'to', message: 'expected a date, or "now"' };
  const to = Math.ceil(end / form.resolution) * form.resolution;
  return checked({ from: from.at, to, step, form, overlap });
}

/** With a `format` the start may be any date. */
function startOf(from: Exact, format: string | undefined, now: number): WrittenDate | undefined {
  if (format === undefined) return readWrittenDate(String(from), isNumber(from));
  const at = readAnyDate(String(from), now);
  return at === undefined ? undefined : { at, form: formNamed(format) };
}

function numbersOf(
  step: WindowStep,
  bounds: { readonly from: Exact; readonly to: Exact },
  overlap: number,
): WindowRange | RangeFault {
  const write = (at: number) => (isNumber(bounds.from) ? new ExactNumber(String(at)) : String(at));
  const [from, to] = [numberOf(bounds.from), numberOf(bounds.to)];
  if (typeof from !== 'number') return { key: 'from', message: 'expected an integer, because `step` is one' };
  if (typeof to !== 'number') return { key: 'to', message: 'expected an integer, because `step` is one' };
  return checked({ from, to, step, form: { resolution: 1, write }, overlap });
}

function checked(range: WindowRange): WindowRange | RangeFault {
  const { from, to, step, overlap } = range;
  if (to !== distant && countWindows(range) > mostWindows) {
    return { key: 'step', message: `more than ${mostWindows} windows: expected a longer step` };
  }
  if (-overlap >= step.size && step.unit !== 'month') {
    return { key: 'overlap', message: 'expected less than the step: the windows would be empty' };
  }
  return to > from ? range : { key: 'to', message: 'expected a later end than the start (`from`)' };
}

/** The start of window `index`; months keep the day, or have their last one. */
function startAt({ from, step }: WindowRange, index: number): number {
  if (step.unit !== 'month') return from + step.size * index;
  const at = new Date(from);
  const day = at.getUTCDate();
  const month = new Date(from);
  month.setUTCDate(1);
  month.setUTCMonth(at.getUTCMonth() + step.size * index);
  const last = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
  return month.setUTCDate(Math.min(day, last));
}

export function countWindows(range: WindowRange): number {
  const { from, to, step } = range;
  const size = step.unit === 'month' ? step.size * 28 * 86_400_000 : step.size;
  let count = Math.max(0, Math.ceil((to - from) / size));
  while (count > 0 && startAt(range, count - 1) >= to) count -= 1;
  return count;
}

/** The part of a range that is asked for, as the range counts; absent members: up to its bounds. */
export interface AskedPart {
  readonly from?: number;
  readonly to?: number;
  /** The first and the last window are cut there; otherwise they stay whole. */
  readonly cuts: boolean;
}

const whole: AskedPart = { cuts: false };

/** Yields the windows in order, or the last one first: those of a part of the range, of which one is left at least. */
export function* windowsIn(range: WindowRange, order: 'asc' | 'desc', part: AskedPart = whole): Iterable<Window> {
  const last = countWindows(range) - 1;
  const first = part.from === undefined ? 0 : windowAt(range, part.from, last);
  const end = part.to === undefined ? last : Math.max(first, windowAt(range, part.to - 1, last));
  for (let number = 0; number <= end - first; number += 1) {
    const index = order === 'asc' ? first + number : end - number;
    yield cutBy(part, { from: startAt(range, index), to: Math.min(startAt(range, index + 1), range.to) }, range);
  }
}

/** The number of the window that has a moment: the first one of those before, the last one of those after it. */
function windowAt(range: WindowRange, at: number, last: number): number {
  let [low, high] = [0, Math.max(0, last)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (startAt(range, middle) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A window begins and ends where values in its form can say so. */
function cutBy({ from, to, cuts }: AskedPart, window: Window, { form: { resolution } }: WindowRange): Window {
  if (!cuts) return window;
  const start = from === undefined ? window.from : Math.max(window.from, Math.floor(from / resolution) * resolution);
  const end = to === undefined ? window.to : Math.min(window.to, Math.ceil(to / resolution) * resolution);
  return { from: start < window.to ? start : window.from, to: end > start ? end : window.to };
}

/** The halves of a window; undefined: values in its form cannot divide it. */
export function halvesOf({ from, to }: Window, { form: { resolution } }: WindowRange): readonly Window[] | undefined {
  const middle = from + Math.floor((to - from) / 2 / resolution) * resolution;
  return middle <= from
    ? undefined
    : [
        { from, to: middle },
        { from: middle, to },
      ];
}

/** The values of a window, as they are sent. */
export function writeWindow({ from, to }: Window, range: WindowRange): { readonly from: Exact; readonly to: Exact } {
  const { form, overlap } = range;
  const start = overlap > 0 ? Math.max(range.from, from - overlap) : from;
  return { from: form.write(start), to: form.write(overlap < 0 ? Math.max(start, to + overlap) : to) };
}
