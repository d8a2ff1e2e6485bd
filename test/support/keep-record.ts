/** The records of runs that take too long for every day: the last one of each kind, in `bench/results/`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../rules/sources.js';

/** Replaces the runs of these names in `bench/results/<name>.json`, with Node version and date; others stay. */
export function keepRecord(name: string, runs: Readonly<Record<string, object>>): void {
  const file = join(root, 'bench', 'results', `${name}.json`);
  const kept: Readonly<Record<string, object>> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const about = { node: process.version, date: new Date().toISOString().slice(0, 10) };
  const now = Object.entries(runs).map(([kind, run]) => [kind, { ...about, ...run }] as const);
  writeFileSync(file, `${JSON.stringify({ ...kept, ...Object.fromEntries(now) }, null, 2)}\n`);
}
