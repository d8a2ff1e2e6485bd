/** Checks the documents: links resolve, configurations are valid, examples run, snippets compile. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJsonc } from '../../src/config/document.js';
import { fillFromEnv } from '../../src/config/env.js';
import { inspect } from '../../src/config/parse-config.js';
import { fillSecrets } from '../../src/config/secret-sources.js';
import { type Exact, isArray, isObject, stringifyExact } from '../../src/core/json/exact.js';
import { resolveUrl } from '../../src/core/url/url.js';
import { commandHere, node } from '../blackbox/command.js';
import { items, json, startApi } from '../loopback/api.js';
import { anchorsIn } from '../rules/anchors.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const pages: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'examples/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true })
    .map((path) => `docs/${String(path).replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
    .sort(),
];

interface Snippet {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** The paragraph that leads to it. */
  readonly lead: string;
}

/** The fenced blocks of a page. */
function snippetsOf(page: string): readonly Snippet[] {
  const text = read(page);
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language = '', 2: code = '' }) => {
    const before = text.slice(0, index);
    const lead =
      before
        .trimEnd()
        .split(/\n\s*\n/)
        .at(-1) ?? '';
    return { page, line: before.split('\n').length, language, code, lead };
  });
}

const prose = (page: string): string => read(page).replace(/^```[\s\S]*?^```$/gm, '');
const placeOf = ({ page, line }: Snippet): string => `${page}:${line}`;

const linksOf = (page: string): readonly string[] =>
  [
    ...prose(page)
      .replace(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

function faultOfLink(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(root, page) : resolve(root, dirname(page), path);
  if (!existsSync(target)) return `${page}: ${link}: there is no such file`;
  if (anchor === undefined) return undefined;
  return anchorsIn(read(target.slice(root.length))).has(anchor)
    ? undefined
    : `${page}: ${link}: there is no such heading`;
}

test('every link leads to a file, every anchor to a heading', () => {
  const links = pages.flatMap((page) => linksOf(page).map((link) => [page, link] as const));
  assert.ok(links.length > 100, `${links.length} links`);
  assert.equal(
    links.map(([page, link]) => faultOfLink(page, link)).filter((fault) => fault !== undefined),
    [],
  );
});

/**
 * Paths of the repository that pages name as code. Pages of the package name sources so: a link to one would lead
 * nowhere there.
 */
const pathsIn = (page: string): readonly string[] =>
  [...prose(page).matchAll(/`((?:src|operators|sinks|test|bench|docs)\/[\w./-]*)`/g)].map(([, path = '']) => path);

test('every path of the repository that a page names is there', () => {
  const named = pages.flatMap((page) => pathsIn(page).map((path) => `${page}: ${path}`));
  assert.ok(named.length > 50, `${named.length} paths`);
  assert.equal(
    named.filter((each) => !existsSync(join(root, each.slice(each.indexOf(': ') + 2)))),
    [],
  );
});

test('the badges match the package', () => {
  const { version, engines, license, types, exports } = JSON.parse(read('package.json'));
  const shown = [
    ...read('README.md').matchAll(/!\[[^\]]*\]\(https:\/\/img\.shields\.io\/badge\/([^)]*)-informational\)/g),
  ];
  assert.equal(
    shown.map(([, badge = '']) => decodeURIComponent(badge)),
    [`version-${version}`, `node-${engines.node}`, 'types-included', `licence-${license}`],
  );
  assert.ok(existsSync(join(root, types ?? exports['.'].types)), 'the package is not built: npm run build');
});

const snippets = pages.flatMap(snippetsOf);
const documents = snippets
  .filter(({ language }) => language === 'json' || language === 'jsonc')
  .map((snippet) => ({ ...snippet, value: parseJsonc(snippet.code, placeOf(snippet)) }));
const isConfiguration = ({ value }: { readonly value: Exact }): boolean =>
  isObject(value) && value.has('api') && value.has('config');

/** The variables that the pages name. */
const environment = { API_KEY: 'k-0123456789', TEAM: 'red', SAMPLE_PASSWORD: 'correct horse' };

test('every configuration is valid, without a warning', () => {
  const found = documents.filter(isConfiguration);
  assert.ok(found.length > 10, `${found.length} configurations`);
  for (const snippet of found) {
    const filled = fillFromEnv(snippet.value, environment).document;
    const { problems, notices } = inspect(fillSecrets(filled, { sources: 'stand in' }).document);
    assert.equal([...problems, ...notices], [], placeOf(snippet));
  }
});

test('a snippet with the name of an example is that example, or a part of it', () => {
  const named = documents.filter(({ lead }) => /\((?:\.\.\/)?examples\/[^)]+\/config\.json\)/.test(lead));
  assert.ok(named.length > 8, `${named.length} snippets`);
  for (const snippet of named) {
    const [, path = ''] = /\((?:\.\.\/)?(examples\/[^)]+\/config\.json)\)/.exec(snippet.lead) ?? [];
    const texts = partsOf(parseJsonc(read(path), path)).map(stringifyExact);
    assert.ok(texts.includes(stringifyExact(snippet.value)), `${placeOf(snippet)} is no part of ${path}`);
  }
});

test('every configuration of the recipes is that of an example, which runs', () => {
  const recipes = documents.filter(({ page }) => page === 'docs/10-recipes.md');
  assert.ok(recipes.length > 5, `${recipes.length} recipes`);
  for (const { lead, value, ...place } of recipes) {
    const [, path] = /\(\.\.\/(examples\/[^)]+\/config\.json)\)/.exec(lead) ?? [];
    assert.ok(path !== undefined, `${place.page}:${place.line}`);
    assert.is(stringifyExact(value), stringifyExact(parseJsonc(read(path), path)), path);
  }
});

function partsOf(value: Exact): readonly Exact[] {
  const members = isObject(value) ? [...value.values()] : isArray(value) ? value : [];
  return [value, ...members.flatMap(partsOf)];
}

const configurationPage = 'docs/01-configuration.md';

/** The rows of the table that begins with this head, as the texts of their code spans. */
function rowsBelow(page: string, head: string): readonly (readonly string[])[] {
  const [, table = ''] = read(page).split(`${head}\n`);
  const [rows = ''] = table.split('\n\n');
  return rows
    .split('\n')
    .slice(1)
    .map((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));
}

test('endpoints resolve as in the table', () => {
  const rows = rowsBelow(configurationPage, '| `baseUrl` | endpoint | request |');
  assert.ok(rows.length > 10, `${rows.length} rows`);
  for (const [baseUrl = '', endpoint = '', request = ''] of rows) {
    assert.is(resolveUrl(baseUrl, endpoint), request, `${baseUrl} and ${endpoint}`);
  }
});

const modules = ['README.md', 'docs/08-in-code.md']
  .flatMap(snippetsOf)
  .filter(({ language }) => language === 'ts')
  .map((snippet, index) => ({ ...snippet, file: /^\/\/ ([\w-]+\.ts)\n/.exec(snippet.code)?.[1] ?? `${index}.ts` }));

/** A project that has the built package installed, as a user's would. */
async function inProject<T>(use: (directory: string) => T | Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'rxtract-docs-'));
  try {
    mkdirSync(join(directory, 'node_modules'));
    symlinkSync(root, join(directory, 'node_modules/rxtract'), 'dir');
    for (const name of ['rxjs', 'undici', '@types']) {
      symlinkSync(join(root, 'node_modules', name), join(directory, 'node_modules', name), 'dir');
    }
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    for (const { file, code } of modules) writeFileSync(join(directory, file), code);
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The output of a program of ours; where it fails, in the error. */
function run(directory: string, ...words: readonly string[]): string {
  try {
    return execFileSync(process.execPath, words, { cwd: directory, encoding: 'utf8', stdio: 'pipe' });
  } catch (thrown) {
    const { stdout, stderr } = thrown as { stdout?: string; stderr?: string }; // what execFileSync throws
    throw new Error(`${stdout ?? ''}${stderr ?? ''}` || String(thrown));
  }
}

test('every snippet of code compiles against the built package', async () => {
  assert.ok(existsSync(join(root, 'dist/src/index.d.ts')), 'the package is not built: npm run build');
  assert.ok(modules.length > 10, `${modules.length} snippets`);
  await inProject((directory) => {
    const { compilerOptions } = JSON.parse(read('tsconfig.json'));
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    assert.is(run(directory, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.', '--pretty', 'false'), '');
  });
});

test('the snippet that needs no network runs', async () => {
  const [mocked, ...others] = modules.filter(({ code }) => code.includes('MockAgent'));
  assert.ok(mocked !== undefined && others.length === 0);
  await inProject((directory) => {
    assert.is(run(directory, '--import', import.meta.resolve('tsx'), mocked?.file ?? ''), '');
  });
});

test('the example of README runs a configuration that init has written, with a secret in a variable', async () => {
  const [example, ...others] = modules.filter(({ page }) => page === 'README.md');
  assert.ok(example !== undefined && others.length === 0);
  const api = await startApi(({ target, headers }) => {
    const page = Number(new URL(target, 'http://h').searchParams.get('page') ?? 1);
    const isAllowed = headers.some(([name, value]) => name.toLowerCase() === 'authorization' && value === 'Bearer t0p');
    return isAllowed ? json(page < 3 ? items(page * 20, 20) : []) : { status: 401 };
  });
  const env = { API_TOKEN: 't0p' };
  try {
    await inProject(async (directory) => {
      const out = join(directory, 'config.json');
      const header = `Authorization: Bearer \${API_TOKEN}`;
      const words = ['init', `${api.origin}/users?per_page=20`, '--header', header, '--yes', '--out', out];
      assert.is((await commandHere(words, { env })).exit, 0);
      const ended = await node(['--import', import.meta.resolve('tsx'), example.file], { cwd: directory, env });
      assert.is(ended.exit, 0, ended.stderr);
      assert.is(readFileSync(join(directory, 'out/users.ndjson'), 'utf8').split('\n').length, 41);
      assert.match(ended.stdout, /users 1 20\n/);
    });
  } finally {
    await api.close();
  }
});

test.run();
