/** The type of configurations: what the compiler accepts and rejects. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Section, sections } from '../../src/config/sections.js';
import { fromPlain, stringifyExact } from '../../src/core/json/exact.js';
import type { ExpressionFunction } from '../../src/language/expression/function.js';
import { functions } from '../../src/language/expression/registry.js';
import { root, sources } from '../rules/sources.js';
import { parsed } from './schema/judge.js';
import { overlaid, places } from './schema/places.js';

/** A configuration on its own line, and the compiler's message about it. */
interface Case {
  readonly what: string;
  readonly literal: string;
  said?: string;
}

const least = { api: { baseUrl: 'https://api.example.com/' }, config: { jobs: [{ endpoint: 'users' }] } };
const written = (value: object): string => stringifyExact(fromPlain(value));
const withHeader = (value: object): string =>
  written({ ...least, api: { ...least.api, http: { headers: { 'X-A': value } } } });

const examples: readonly Case[] = sources('examples', /\/config\.json$|\/sample-\w+\.json$/).map(
  ({ path, content }) => ({ what: path, literal: stringifyExact(parsed(content)) }),
);

const documents: readonly Case[] = places().map(({ steps, document }) => ({
  what: `the example at ${steps.join('.')}`,
  literal: stringifyExact(document),
}));

const misspelt: readonly Case[] = places()
  .filter(({ isOpen }) => !isOpen)
  .flatMap(({ steps, fields, document }) =>
    Object.keys(fields).map((key) => ({
      what: [...steps, `${key}x`].join('/'),
      literal: stringifyExact(overlaid(document, steps, new Map([[`${key}x`, null]]))),
    })),
  );

const open: readonly Case[] = places()
  .filter(({ isOpen }) => isOpen)
  .map(({ steps, document }) => ({
    what: steps.join('.'),
    literal: stringifyExact(overlaid(document, steps, new Map([['mine', fromPlain([{ deep: 1 }])]]))),
  }));

const calls = Object.entries<ExpressionFunction>(functions)
  .filter(([, { only }]) => only === undefined)
  .flatMap(([name, { args }]) => {
    const isVariadic = args.some(({ variadic }) => variadic === true);
    const fewest = args.filter(({ optional, variadic }) => optional !== true && variadic !== true).length;
    const call = (count: number, called = name): Case => ({
      what: `${called} with ${count} arguments`,
      literal: withHeader({ function: called, args: Array(count).fill('x') }),
    });
    return [
      { ...call(fewest), isTaken: true },
      { ...call(fewest, `${name}x`), isTaken: false },
      ...(fewest > 0 ? [{ ...call(fewest - 1), isTaken: false }] : []),
      ...(isVariadic ? [] : [{ ...call(args.length + 1), isTaken: false }]),
    ];
  });

const cases: readonly Case[] = [...examples, ...documents, ...misspelt, ...open, ...calls];
const test = suite('the type of configurations');

test.before(() => {
  const directory = mkdtempSync(join(tmpdir(), 'rxtract-types-'));
  try {
    mkdirSync(join(directory, 'node_modules'));
    symlinkSync(root, join(directory, 'node_modules', 'rxtract'), 'dir');
    symlinkSync(join(root, 'node_modules', '@types'), join(directory, 'node_modules', '@types'), 'dir');
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
    const paths = { rxtract: [join(root, 'src', 'index.ts')] };
    const options = { ...compilerOptions, paths, declaration: false };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
    const lines = cases.map(({ literal }, index) => `export const c${index}: Configuration = ${literal};`);
    writeFileSync(join(directory, 'cases.ts'), ["import type { Configuration } from 'rxtract';", ...lines].join('\n'));
    const said = compile(directory);
    for (const [, line = '', message = ''] of said.matchAll(/^cases\.ts\((\d+),\d+\): (.*(?:\n .*)*)/gm)) {
      const found = cases[Number(line) - 2];
      if (found !== undefined) found.said = `${found.said ?? ''}${message}`;
    }
    if (/^(?!cases\.ts| )./m.test(said)) throw new Error(said);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

const keyOf = (path: string): string => path.split('/').at(-1) ?? '';

/** Returns the compiler's messages about a project. */
function compile(directory: string): string {
  const words = [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.', '--pretty', 'false'];
  try {
    return execFileSync(process.execPath, words, { cwd: directory, encoding: 'utf8', stdio: 'pipe', maxBuffer: 1e8 });
  } catch (thrown) {
    const { stdout } = thrown as { stdout?: string }; // what execFileSync throws
    return stdout ?? String(thrown);
  }
}

test('every example compiles', () => {
  assert.ok(examples.length > 40 && documents.length > 30);
  const refused = [...examples, ...documents].filter(({ said }) => said !== undefined);
  assert.equal(refused, []);
});

test('a misspelt key does not compile anywhere, and is named', () => {
  assert.ok(misspelt.length > 150, `${misspelt.length} keys`);
  const named = ({ what, said = '' }: Case) => /'"?([^'"]+)"?' does not exist/.exec(said)?.[1] === keyOf(what);
  assert.equal(
    misspelt.filter((each) => !named(each)),
    [],
  );
});

test('places for keys of your own take any', () => {
  assert.ok(open.length >= 3);
  for (const { what, said } of open) assert.is(said, undefined, `${what}: ${said}`);
});

test('a function is called by its name, with its number of arguments', () => {
  for (const { what, said, isTaken } of calls as readonly (Case & { isTaken: boolean })[]) {
    assert.is(said === undefined, isTaken, `${what}: ${said}`);
  }
});

test('every key has the description of the reference', () => {
  const text = readFileSync(join(root, 'src', 'config', 'configuration.ts'), 'utf8').replace(/\s*\n\s*\*?\s*/g, ' ');
  for (const { fields } of Object.values<Section>(sections)) {
    for (const { summary } of Object.values(fields)) assert.ok(text.includes(summary.slice(1)), summary);
  }
});

test.run();
