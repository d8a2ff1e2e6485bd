/** The conformance kit: tests any sink against the rules that the engine relies on, and reports each result. */
import { setTimeout } from 'node:timers/promises';
import { type Bench, type CheckOptions, createBench, type Rule } from './conformance/bench.js';
import { rules } from './conformance/rules.js';
import { messageOf } from './conformance/watched.js';
import type { Sink } from './contract.js';

export interface ConformanceCheck {
  /** The rule in plain words; stable. */
  readonly name: string;
  readonly outcome: 'pass' | 'fail' | 'skip';
  /** The actual behaviour, or why the rule does not apply. */
  readonly reason?: string;
}

/**
 * Checks a sink rule by rule; the rules are independent. `make` returns a fresh sink for each rule, over one
 * destination that is empty at first; every rule writes its own data types. `read` returns the currently readable items
 * of a data type, one JSON text each; none for an unknown data type. After an abort it reads what the sink left. Never
 * rejects.
 */
export function checkSink(
  make: () => Sink | Promise<Sink>,
  read: (dataType: string) => Promise<readonly string[]>,
  options: CheckOptions = {},
): Promise<readonly ConformanceCheck[]> {
  return checkRules(rules, make, read, options);
}

/** As `checkSink`, with a selection of rules. */
export async function checkRules(
  chosen: readonly Rule[],
  make: () => Sink | Promise<Sink>,
  read: (dataType: string) => Promise<readonly string[]>,
  { tooLong = fiveSeconds, ...options }: CheckOptions = {},
): Promise<readonly ConformanceCheck[]> {
  const checks: ConformanceCheck[] = [];
  for (const [index, rule] of chosen.entries()) {
    const bench = createBench({ ...options, make, read, tooLong, dataType: `check-${index + 1}` });
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
