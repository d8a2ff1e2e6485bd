/** Runs a program of Python over a list of values: independent readers and writers of the formats. */
import { spawnSync } from 'node:child_process';
import { numbersFrom } from '../random-csv.js';

/** Why modules of Python cannot be used here; undefined: they can. */
export const missingOf = (modules: string): string | undefined =>
  spawnSync('python3', ['-c', `import ${modules}`]).status === 0 ? undefined : `${modules} of python3`;

/** Calls the function `each` of the program for each value, in one process. Values and results are JSON. */
export function inPython(program: string, values: readonly unknown[]): readonly unknown[] {
  const whole = `import sys, json\n${program}\nfor line in sys.stdin:\n    print(json.dumps(each(json.loads(line))))\n`;
  const input = values.map((value) => `${asciiOf(value)}\n`).join('');
  const { stdout, stderr, status } = spawnSync('python3', ['-c', whole], { input, maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(stderr.toString());
  return stdout
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));
}

/** Lines are those of JSON, whatever characters a text has. */
const asciiOf = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Sizes of chunks for a body: each border, and a random one. */
export const sizesFor = (seed: number, length: number): readonly number[] => [1, 2 + numbersFrom(seed)(length + 1)];

export const randomSeed = (): number => Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));

export const seedsFrom = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => first + at);
