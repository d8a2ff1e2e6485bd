/** Conditions that end a walk besides its paginator. */
import type { CapturePath, Page } from '../core/model/page.js';
import type { PageBefore, Paginator, Remainder, Stop } from './types.js';

/** A condition with its options: pure. */
export interface StopRule {
  /** Paths whose values `ends` reads from `page.envelope`. */
  readonly captures?: readonly CapturePath[];
  /** `ends` reads `page.volume`. */
  readonly volume?: true;
  /** Returns why the walk ends after this page; undefined: this rule does not end it. */
  ends(page: Page): Stop | undefined;
  /** What it leaves after a page; absent: it does not know. */
  left?(before: PageBefore): Remainder;
}

/**
 * Applies the rules in order, then the paginator. Also applies to every named paginator. A rule needs the whole page:
 * nothing is known early.
 */
export function withStops(paginator: Paginator, rules: readonly StopRule[]): Paginator {
  if (rules.length === 0) return paginator;
  const captures = [...paginator.captures, ...rules.flatMap(({ captures = [] }) => captures)];
  const measures = paginator.volume === true || rules.some(({ volume }) => volume === true);
  const { named, early: _, ...rest } = paginator;
  const knowing = [...rules, paginator].filter(({ left }) => left !== undefined);
  return {
    ...rest,
    ...(knowing.length === 0 ? {} : { left: (before) => leastLeft(knowing, before) }),
    captures: distinct(captures),
    ...(measures ? { volume: true } : {}),
    ...(named === undefined
      ? {}
      : { named: new Map([...named].map(([name, each]) => [name, withStops(each, rules)])) }),
    next: (job, page) => firstEnd(rules, page) ?? paginator.next(job, page),
  };
}

function leastLeft(knowing: readonly Pick<StopRule, 'left'>[], before: PageBefore): Remainder {
  const all = knowing.map((each) => each.left?.(before) ?? {});
  const least = (key: keyof Remainder) => Math.min(...all.map((each) => each[key] ?? Number.POSITIVE_INFINITY));
  return { pages: least('pages'), items: least('items') };
}

function firstEnd(rules: readonly StopRule[], page: Page): Stop | undefined {
  for (const rule of rules) {
    const end = rule.ends(page);
    if (end !== undefined) return end;
  }
  return undefined;
}

const distinct = (captures: readonly CapturePath[]): readonly CapturePath[] => [
  ...new Map(captures.map((capture) => [capture.text, capture])).values(),
];
