/**
 * The long run: `npm run fuzz -- --cases 10000000 --seed 7 --target scanner --minutes 5 --record`. Each case has a seed
 * of its own, which is printed with a case that breaks a rule; `--seed` with that number and `--cases 1` runs it again.
 * Runs of different targets may go side by side: each replaces its own targets in the record. `lists` writes and joins
 * tables, of ten shapes a case, and runs only when it is named.
 */
import { parseArgs } from 'node:util';
import { keepRecord } from '../support/keep-record.js';
import { createRandom } from './random.js';
import { type Target, targets } from './targets.js';

export interface Fuzzed {
  readonly target: string;
  readonly seed: number;
  readonly cases: number;
  readonly seconds: number;
  /** The longest that one case took, in ms, and its seed. */
  readonly slowest: { readonly ms: number; readonly seed: number };
}

/** Runs cases with seeds from `seed` up; stops after the minutes. Rejects with the error of a case, with its seed. */
export async function fuzz(
  name: string,
  target: Target,
  seed: number,
  cases: number,
  minutes: number,
): Promise<Fuzzed> {
  const started = performance.now();
  const until = started + minutes * 60_000;
  let slowest = { ms: 0, seed };
  let done = 0;
  let last = started;
  while (done < cases && last < until) {
    const own = seed + done;
    try {
      const ending = target(createRandom(own));
      if (ending instanceof Promise) await ending;
    } catch (thrown) {
      throw new Error(`${name}, --seed ${own} --cases 1: ${thrown instanceof Error ? thrown.message : thrown}`, {
        cause: thrown,
      });
    }
    const now = performance.now();
    if (now - last > slowest.ms) slowest = { ms: now - last, seed: own };
    last = now;
    done += 1;
  }
  const rounded = { ms: Math.round(slowest.ms), seed: slowest.seed };
  return { target: name, seed, cases: done, seconds: Math.round((last - started) / 100) / 10, slowest: rounded };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '100000' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      minutes: { type: 'string', default: '1000000' },
      target: { type: 'string', multiple: true, default: Object.keys(targets).filter((name) => name !== 'lists') },
      record: { type: 'boolean', default: false },
    },
  });
  const results: Fuzzed[] = [];
  for (const name of values.target) {
    const target = targets[name];
    if (target === undefined) throw new Error(`no target "${name}": ${Object.keys(targets).join(', ')}`);
    const result = await fuzz(name, target, Number(values.seed), Number(values.cases), Number(values.minutes));
    console.log(JSON.stringify(result));
    results.push(result);
  }
  if (values.record !== true) return;
  keepRecord('fuzz', Object.fromEntries(results.map(({ target, ...result }) => [target, result])));
}

if (process.argv[1] === import.meta.filename) await main();
