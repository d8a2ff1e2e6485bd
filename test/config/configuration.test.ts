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

/** A program that passes a value to `run`, and the beginning of each line of the compiler's message. */
interface Wrong {
  readonly what: string;
  /** An object literal in a `const`, passed to `run`. */
  readonly value: string;
  readonly lines: readonly string[];
  said?: string;
}

const api = (more: string): string => `{ api: { baseUrl: '/', ${more} }, config: { jobs: [{ endpoint: 'a' }] } }`;
const oneJob = (job: string): string => `{ api: { baseUrl: '/' }, config: { jobs: [${job}] } }`;
const noForm = /^Argument of type '.*' is not assignable to parameter of type 'ConfigurationForm'/;
const incompatible = (keys: string) => `The types of '${keys}' are incompatible between these types.`;

/** Mistakes in a variable without a type: the second line names the key. */
const mistakes: readonly Wrong[] = [
  {
    what: 'a method without its literal type',
    value: api("pagination: { method: 'pagenum', limit: 100 }"),
    lines: [incompatible('api.pagination.method'), `Type 'string' is not assignable to type '"cursor" | `],
  },
  {
    what: 'a method without its literal type and without keys',
    value: api("pagination: { method: 'link-header' }"),
    lines: [incompatible('api.pagination.method'), `Type 'string' is not assignable to type '"cursor" | `],
  },
  {
    what: 'a method that does not exist',
    value: `${api("pagination: { method: 'pagenumm', limit: 100 }")} as const`,
    lines: [incompatible('api.pagination.method'), `Type '"pagenumm"' is not assignable to type '"cursor" | `],
  },
  {
    what: 'a misspelt key for the method',
    value: api("pagination: { metod: 'pagenum' }"),
    lines: [incompatible('api.pagination'), "Property 'method' is missing in type '{ metod: string; }'"],
  },
  {
    what: 'an authentication type without its literal type',
    value: api("authentication: { type: 'bearer', token: { attr: '#token' } }"),
    lines: [incompatible('api.authentication.type'), `Type 'string' is not assignable to type '"api-key" | `],
  },
  {
    what: 'the same under `parameters`',
    value: `{ parameters: ${api("authentication: { type: 'basic' }")} }`,
    lines: [
      incompatible('parameters.api.authentication.type'),
      `Type 'string' is not assignable to type '"api-key" | `,
    ],
  },
  {
    what: 'a base URL of another type',
    value: "{ api: { baseUrl: 5 }, config: { jobs: [{ endpoint: 'a' }] } }",
    lines: [incompatible('api.baseUrl'), "Type 'number' is not assignable to type 'string | "],
  },
  {
    what: 'a misspelt endpoint',
    value: oneJob("{ endpont: 'a' }"),
    lines: [
      incompatible('config.jobs'),
      "Type '{ endpont: string; }[]'",
      "Type '{ endpont: string; }' is not assignable",
    ],
  },
  {
    what: 'the pagination of a child job',
    value: oneJob("{ endpoint: 'a', children: [{ endpoint: 'b', pagination: { method: 'offset', limit: 5 } }] }"),
    lines: [incompatible('config.jobs')],
  },
];

/** Mistakes beyond the form: the message is about the common form of a configuration. */
const deeper: readonly Wrong[] = [
  {
    what: 'jobs that are missing',
    value: "{ api: { baseUrl: '/' }, config: { jobz: [{ endpoint: 'a' }] } }",
    lines: ["Property 'jobs' is missing in type '{ jobz: "],
  },
  {
    what: 'a key of the method that is missing',
    value: `${api("pagination: { method: 'offset' }")} as const`,
    lines: [incompatible('api.pagination'), "Property 'limit' is missing", "required in type 'OffsetPagination'"],
  },
];

/** Programs that compile, among them some that only generic code has. */
const programs = `import { extract, parseConfiguration, parseDocument, run, type Configuration } from 'rxtract';
const plain = { api: { baseUrl: '/' }, config: { jobs: [{ endpoint: 'a', dataField: 'b' }] } };
const typed = { ...plain, api: { ...plain.api, pagination: { method: 'pagenum' } } } satisfies Configuration;
export const wrapped = async <Value extends Configuration>(value: Value) => [await run(value), extract(value)];
export const passed: Parameters<typeof run>[0] = typed;
export const assigned: (value: Configuration) => unknown = run;
export const either = (isRead: boolean) => run(isRead ? typed : parseDocument('{}', 'a.json'));
export const cases = [run(plain), run(typed), run({ ...plain, aws: null }), run(parseConfiguration(plain))];
// @ts-expect-error: \`config\` is under \`parameters\`, or beside \`api\`
export const twice = run({ parameters: plain, config: plain.config });
export const named = run<{ readonly id: number }>(plain, { to: (batch) => batch.values().map(({ id }) => id) });
`;

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
    const wrong = [...mistakes, ...deeper];
    const passed = wrong.map(({ value }, index) => `const c${index} = ${value}; run(c${index}); extract(c${index});`);
    writeFileSync(join(directory, 'wrong.ts'), ["import { extract, run } from 'rxtract';", ...passed].join('\n'));
    writeFileSync(join(directory, 'programs.ts'), programs);
    const said = compile(directory);
    for (const [, file, line = '', message = ''] of said.matchAll(messages)) {
      const found = (file === 'cases' ? cases : wrong)[Number(line) - 2];
      if (found !== undefined) found.said = `${found.said ?? ''}${message}\n`;
    }
    if (/^(?!cases\.ts|wrong\.ts| )./m.test(said)) throw new Error(said);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

const messages = /^(cases|wrong)\.ts\((\d+),\d+\): (.*(?:\n .*)*)/gm;
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

/** The messages about `run` and about `extract`, in lines without their indentation and codes. */
const messagesOf = ({ said = '' }: Wrong): readonly (readonly string[])[] =>
  said
    .split(/^error TS\d+: /m)
    .slice(1)
    .map((message) => message.trim().split(/\n\s*/));

for (const wrong of mistakes) {
  test(`a variable without a type: the message names the key at once: ${wrong.what}`, () => {
    assert.is(messagesOf(wrong).length, 2, wrong.said);
    for (const [first = '', ...others] of messagesOf(wrong)) {
      assert.match(first, noForm);
      wrong.lines.forEach((line, index) => {
        assert.ok(others[index]?.startsWith(line), `${line}\n${wrong.said}`);
      });
    }
  });
}

for (const wrong of deeper) {
  test(`a variable without a type: the message is about the common form: ${wrong.what}`, () => {
    assert.is(messagesOf(wrong).length, 2, wrong.said);
    for (const lines of messagesOf(wrong)) {
      for (const part of wrong.lines) assert.ok(lines.join('\n').includes(part), `${part}\n${wrong.said}`);
      assert.not.match(lines.join('\n'), /iterations|'parameters'/);
    }
  });
}

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
