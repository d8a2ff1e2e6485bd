import type { CapturePath, Page } from '../core/model/page.js';
import type { Paginator, Stop } from './types.js';

/** A condition at work: pure. */
export interface StopRule {
  /** Paths whose values `ends` reads from `page.envelope`. */
  readonly captures?: readonly CapturePath[];
  /** `ends` reads `page.volume`. */
  readonly volume?: true;
  /** Why the walk ends after this page; undefined: as far as this rule goes, it may go on. */
  ends(page: Page): Stop | undefined;
}

/** Asks the rules in their order, then the scroller. Holds for every scroller that it may be exchanged for, too. */
export function withStops(scroller: Paginator, rules: readonly StopRule[]): Paginator {
  if (rules.length === 0) return scroller;
  const captures = [...scroller.captures, ...rules.flatMap(({ captures = [] }) => captures)];
  const measures = scroller.volume === true || rules.some(({ volume }) => volume === true);
  const { named } = scroller;
  return {
    ...scroller,
    captures: distinct(captures),
    ...(measures ? { volume: true } : {}),
    ...(named === undefined
      ? {}
      : { named: new Map([...named].map(([name, each]) => [name, withStops(each, rules)])) }),
    next: (job, page) => firstEnd(rules, page) ?? scroller.next(job, page),
  };
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
