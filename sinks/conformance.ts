/** The conformance kit: runs any sink through the rules that the engine relies on, and says which of them it keeps. */
import { setTimeout } from 'node:timers/promises';
import { type Bench, createBench, type Rule } from './conformance/bench.js';
import { rules } from './conformance/rules.js';
import { messageOf } from './conformance/watched.js';
import type { AnySink } from './legacy-sink.js';

export interface ConformanceCheck {
  /** The rule in plain words; stable. */
  readonly name: string;
  readonly outcome: 'pass' | 'fail' | 'skip';
  /** What was found instead, or why the rule does not apply. */
  readonly reason?: string;
}

export interface CheckOptions {
  /** Makes a sink whose destination takes nothing. Without it the two rules on waiting are skipped. */
  readonly stuck?: () => AnySink | Promise<AnySink>;
  /** Makes a sink whose destination refuses every write. Without it the rule on failed writes is skipped. */
  readonly failing?: () => AnySink | Promise<AnySink>;
  /**
   * Makes a sink over the same destination, which applies each commit and gives no answer: `commit` rejects. Without it
   * the rule on such commits is skipped.
   */
  readonly unanswered?: () => AnySink | Promise<AnySink>;
  /** Settles when a call has lasted too long, or when the signal aborts. Default: 5 seconds. */
  readonly tooLong?: (signal: AbortSignal) => Promise<unknown>;
}

/**
 * Checks a sink rule by rule; no rule depends on another. `make` gives a fresh sink for each rule, over one destination
 * that is empty at first: every rule writes data types of its own. `read` gives the items of a data type that can be
 * read by now, one JSON text each; none for an unknown one. After an abort it reads what the sink has left behind.
 * Never rejects.
 */
export function checkSink(
  make: () => AnySink | Promise<AnySink>,
  read: (dataType: string) => Promise<readonly string[]>,
  options: CheckOptions = {},
): Promise<readonly ConformanceCheck[]> {
  return checkRules(rules, make, read, options);
}

/** As `checkSink`, by some of the rules. */
export async function checkRules(
  chosen: readonly Rule[],
  make: () => AnySink | Promise<AnySink>,
  read: (dataType: string) => Promise<readonly string[]>,
  { stuck, failing, unanswered, tooLong = fiveSeconds }: CheckOptions = {},
): Promise<readonly ConformanceCheck[]> {
  const checks: ConformanceCheck[] = [];
  for (const [index, rule] of chosen.entries()) {
    const bench = createBench({ make, read, stuck, failing, unanswered, tooLong, dataType: `check-${index + 1}` });
    checks.push(await check(rule, bench));
    await bench.clear();
  }
  return checks;
}

async function check({ name, run }: Rule, bench: Bench): Promise<ConformanceCheck> {
  try {
    const skipped = await run(bench);
    bench.mustNotHaveFailed();
    return skipped === undefined ? { name, outcome: 'pass' } : { name, outcome: 'skip', reason: skipped };
  } catch (thrown) {
    return { name, outcome: 'fail', reason: messageOf(thrown) };
  }
}

const fiveSeconds = (signal: AbortSignal) => setTimeout(5000, undefined, { signal });
