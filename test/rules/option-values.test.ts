/** Whole numbers, sizes and times of options are read in `src/core/options/`, and a default is written once. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sources } from './sources.js';

const shipped = ['src', 'operators', 'sinks']
  .flatMap((directory) => sources(directory, /\.ts$/))
  .filter(({ path }) => !/^src\/(core\/options|generated)\/|\/assembly\/|^src\/config\/configuration\.ts$/.test(path));

/** Who reads numbers in texts that are no options. The lists must only shrink. */
const numberReaders: Readonly<Record<string, readonly string[]>> = {
  'texts of responses, of their headers and of servers': [
    'sinks/servers/retry-after.ts',
    'src/auth/expiry.ts',
    'src/http/rate-limit-headers.ts',
    'src/http/retry-policy.ts',
    'src/pagination/page-size.ts',
    'src/pagination/truncation/declared-total.ts',
    'src/pagination/truncation/walk-evidence.ts',
    'src/pagination/zendesk-response-url.ts',
  ],
  'values of items': [
    'sinks/tables/column-kinds.ts',
    'sinks/tables/number-forms.ts',
    'src/core/json/number-text.ts',
    'src/core/secrets/credential-names.ts',
    'src/core/secrets/looks-secret.ts',
    'src/checkpoint/secret-refs.ts',
    'src/tools/preview/fields.ts',
  ],
  'indexes in paths and names': [
    'sinks/files/parts.ts',
    'src/config/children/placeholders.ts',
    'src/core/json/exact.ts',
    'src/core/url/body-path.ts',
    'src/language/expression/reference.ts',
    'src/page/json-lines/place-of.ts',
    'src/page/formats/xml-items.ts',
    'src/page/scanner/states.ts',
  ],
  'numbers as PHP reads them': ['src/config/children/condition.ts', 'src/language/expression/convert.ts'],
  'what an API or a description of one says to `init`': [
    'src/tools/doctor/api-findings.ts',
    'src/tools/init/body-paging.ts',
    'src/tools/init/evidence.ts',
    'src/tools/init/find-key.ts',
    'src/tools/init/find-paging.ts',
    'src/tools/init/first-look.ts',
    'src/tools/init/openapi-values.ts',
    'src/tools/init/rate-headers.ts',
    'src/tools/init/variable-names.ts',
  ],
  'a rate, such as 100/1m': ['src/config/rates.ts'],
  'a field of a schedule': ['src/tools/schedule/cron.ts'],
  'a moment, such as 2026-01-31T00:00:00Z': ['src/tools/test/case-file.ts', 'src/language/date/formed-date.ts'],
  'what a message expects': ['src/language/read.ts'],
};

/** Who checks whole numbers that are no options. */
const checkers: Readonly<Record<string, readonly string[]>> = {
  'what a state stores': ['sinks/files/parts.ts', 'sinks/files/resume-file.ts'],
  'a value of an item': ['src/pagination/cursor.ts'],
  'the terminal': ['src/cli/shell.ts'],
  'a moment, such as 2026-01-31T00:00:00Z': ['src/tools/test/case-file.ts'],
};

const pathsWith = (pattern: RegExp): readonly string[] =>
  shipped.filter(({ content }) => pattern.test(withoutComments(content))).map(({ path }) => path);

const withoutComments = (content: string): string => content.replace(/\/\*.*?\*\/|\/\/ .*?$/gms, '');

const listed = (places: Readonly<Record<string, readonly string[]>>) => Object.values(places).flat().sort();

const differences = (found: readonly string[], known: readonly string[]) => ({
  new: found.filter((path) => !known.includes(path)),
  gone: known.filter((path) => !found.includes(path)),
});

const none = { new: [], gone: [] };

/** A regular expression that begins with digits, after a sign or blanks. */
const numberText = /\/\^(?:@\?|\\s\*|\[[-+ \\tnrvf]*\][*?]?|[-+]\??|0\*|\(\??:?)*(?:\\d(?!\\d)|\[1-9\]\\d)/;

/** Powers of units, or their names in a regular expression. */
const unitText = /\[kmg\]|\[KMG\]|[kmg]i\?b|ms\|s\b|\(\?:s\|m|\[smhd\]/i;

test('numbers in texts are read by kinds of options; others say what they read', () => {
  assert.equal(differences(pathsWith(numberText), listed(numberReaders)), none);
});

test('sizes and times with units are read in one file; rates have units of their own', () => {
  assert.equal(pathsWith(unitText), ['src/config/rates.ts']);
});

test('whole numbers of callers are checked by kinds', () => {
  assert.equal(differences(pathsWith(/\b(?:isSafeInteger|isInteger)\(/), listed(checkers)), none);
});

test('no message about a whole number is written by hand', () => {
  assert.equal(pathsWith(/expected (?:a )?whole number|a whole number (?:of \w+ )?from \d/), []);
});

interface Row {
  readonly name: string;
  readonly value: string;
}

/** The defaults in tables of options that are a text or a number. */
const defaults: readonly Row[] = [...shipped, ...sources('src/core/options', /\.ts$/)]
  .filter(({ content }) => content.includes('OptionRows'))
  .flatMap(({ content }) => [
    ...content.matchAll(/^ +(\w+): \{(?:(?!^ +\w+: \{).)*?\bdefault: ('[^']*'|[\d_ *]+)(?=[,\n ]|$)/gms),
  ])
  .map(([, name = '', value = '']) => ({ name, value: value.trim() }));

/** Fallbacks of something else that has the name and the value of an option. */
const otherFallbacks: Readonly<Record<string, string>> = {
  'sinks/decorators/transforms.ts: { concurrency = 1': 'of items at once, in code',
  "src/core/json/exact.ts: export function splitPath(path: string, delimiter = '.'": 'paths that no option describes',
  'src/run/ahead/ahead-window.ts: const wanted = Math.ceil((this.#latency ?? 0': 'a measured time',
  "src/run/walk/page-repeats.ts: const textOf = ({ endpoint, method = 'GET'": 'a request without a method',
  'src/tools/init/prober.ts: async run(draft, pages = 1': 'pages of a trial',
  'src/tools/init/trials.ts: pages = 1': 'pages of a trial',
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Lines that restate a default where the option is used: `{ limit = 10 }`, `limit ?? 10`. */
function restated({ name, value }: Row): readonly string[] {
  const pattern = new RegExp(
    `^(?! *(?:const|let|export const) ${name} =).*\\b${name}(?:: [\\w.]+)?(?: =| \\?\\?) ${escaped(value)}(?=[,; })\\]]|$)`,
    'gm',
  );
  return shipped.flatMap(({ path, content }) =>
    [...content.matchAll(pattern)].map(([line]) => `${path}: ${line.trim()}`),
  );
}

test('a default is in its row, not again where the option is used', () => {
  assert.ok(defaults.length > 50, `${defaults.length} rows`);
  const found = new Set(defaults.flatMap(restated));
  assert.equal([...found].sort(), Object.keys(otherFallbacks).sort());
});

/** The summary and the default of each row. */
const summaries = [...shipped, ...sources('src/core/options', /\.ts$/)]
  .filter(({ content }) => content.includes('OptionRows'))
  .flatMap(({ content }) => content.match(/^ +\w+: \{(?:(?!^ +\w+: \{).)*?\}/gms) ?? [])
  .map((row) => ({
    summary: /summary:\s*(['"`])(.*?)\1/.exec(row)?.[2] ?? '',
    value: /default: '?([\w./]+)/.exec(row.replace(/summary:\s*(['"`]).*?\1/, ''))?.[1],
  }));

const repeats = ({ summary, value }: (typeof summaries)[number]): boolean =>
  value !== undefined && new RegExp(`\\bdefault\\W+${escaped(value)}|${escaped(value)}\\W+by default`).test(summary);

test('a summary does not repeat the default: help and reference add it', () => {
  assert.ok(summaries.filter(({ value }) => value !== undefined).length > 50);
  assert.equal(summaries.filter(repeats), []);
});

test('what is forbidden is found', () => {
  assert.ok(['/^\\d+$/', '/^-?\\d+$/', '/^[+-]?\\d+\\.\\d+$/'].every((text) => numberText.test(text)));
  assert.ok(['/^v\\d+/', '/^\\d\\d:\\d\\d/'].every((text) => !numberText.test(text)));
  assert.ok(['([kmg])', '(ms|s|m|h)'].every((text) => unitText.test(text)));
  assert.ok(repeats({ summary: 'most items (default: 10)', value: '10' }));
  assert.ok(!repeats({ summary: 'most items', value: '10' }));
});

test.run();
