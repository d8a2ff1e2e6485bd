/** The reports of test cases: text for people, TAP 14 and JUnit XML for programs. */
import { writeFile } from 'node:fs/promises';
import { asyncScheduler } from 'rxjs';
import { ExtractError } from '../../core/errors/errors.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { counted, startTimer } from '../text/format.js';
import type { CaseProblem, CaseResult } from './case-result.js';

/** Writes one format. Each text ends with a line break, or is empty. */
export interface CaseFormat {
  /** Before the first result. */
  begin(count: number): string;
  result(result: CaseResult): string;
  /** After the last one. `ms`: how long all took. */
  end(results: readonly CaseResult[], ms: number): string;
}

export interface FormatOptions {
  readonly color: boolean;
  /** When the cases began, in epoch ms. */
  readonly startedAt: number;
}

export type FormatName = 'text' | 'tap' | 'junit';

/** Creates the format of that name. */
export function createFormat(name: FormatName, options: FormatOptions): CaseFormat {
  if (name === 'tap') return tapFormat();
  return name === 'junit' ? junitFormat(options) : textFormat(options);
}

export interface CaseReportOptions {
  readonly format: FormatName;
  /** The path of a file for the report; what is printed is then text. */
  readonly out: string | undefined;
  readonly color: boolean;
  print(text: string): void;
}

/** Reports cases while they run. `end` rejects with ERR_USAGE if the file cannot be written. */
export function createCaseReport({ format, out, color, print }: CaseReportOptions) {
  const [startedAt, elapsed] = [asyncScheduler.now(), startTimer()];
  const shown = createFormat(out === undefined ? format : 'text', { color, startedAt });
  const filed = createFormat(format, { color: false, startedAt });
  const file: string[] = [];
  const write = (textOf: (each: CaseFormat) => string) => {
    print(textOf(shown));
    if (out !== undefined) file.push(textOf(filed));
  };
  return {
    begin: (count: number) => write((each) => each.begin(count)),
    result: (result: CaseResult) => write((each) => each.result(result)),
    async end(results: readonly CaseResult[]): Promise<void> {
      const ms = elapsed();
      write((each) => each.end(results, ms));
      if (out !== undefined) await writeReport(out, file.join(''));
    },
  };
}

async function writeReport(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw new ExtractError('ERR_USAGE', `--out ${path}: cannot be written: ${describeSystemError(cause)}`, { cause });
  }
}

const [red, green, yellow] = [31, 32, 33] as const;

function textFormat({ color }: FormatOptions): CaseFormat {
  const paint = (text: string, code: number) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const sideOf = (line: string) => (line.startsWith('- ') ? green : line.startsWith('+ ') ? red : undefined);
  const problemLines = ({ title, lines }: CaseProblem) => [
    `  ${title}`,
    ...lines.map((line) => {
      const side = sideOf(line);
      return `    ${side === undefined ? line : paint(line, side)}`;
    }),
  ];
  return {
    begin: () => '',
    result(result) {
      const { name, outcome, problems, warnings, updates, reason } = result;
      const heads = { passed: paint('ok  ', green), failed: paint('FAIL', red), skipped: paint('skip', yellow) };
      const head = `${heads[outcome]}  ${name}  ${outcome === 'skipped' ? reason : costOf(result)}`;
      const lines = [...problems.flatMap(problemLines), ...warnings.map((each) => `  warning: ${each}`)];
      return linesOf([head, ...lines, ...updates.map((each) => `  ${each}`)]);
    },
    end(results, ms) {
      const of = (outcome: CaseResult['outcome']) => results.filter((each) => each.outcome === outcome).length;
      const [passed, failed, skipped] = [of('passed'), of('failed'), of('skipped')];
      const hasSides = results.some(({ problems }) => problems.some(({ lines }) => lines.some(isSide)));
      return linesOf([
        '',
        ...(hasSides ? ['- expected, + found'] : []),
        `${counted(results.length, 'case')}: ${passed} passed, ${failed} failed, ${skipped} skipped (${seconds(ms)} s)`,
      ]);
    },
  };
}

const isSide = (line: string): boolean => /^[-+] /.test(line);

const seconds = (ms: number): string => (ms / 1000).toFixed(ms < 100 ? 3 : 2);

const costOf = ({ requests, items, ms }: CaseResult): string =>
  `${counted(requests, 'request')}, ${counted(items, 'item')}, ${seconds(ms)} s`;

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** https://testanything.org/tap-version-14-specification.html */
function tapFormat(): CaseFormat {
  let number = 0;
  return {
    begin: (count) => linesOf(['TAP version 14', `1..${count}`]),
    result(result) {
      number += 1;
      const { outcome, name, reason, warnings } = result;
      const directive = outcome === 'skipped' ? ` # SKIP ${tapText(reason ?? '')}` : '';
      const point = `${outcome === 'failed' ? 'not ok' : 'ok'} ${number} - ${tapText(name)}${directive}`;
      const about = outcome === 'skipped' ? [] : diagnostic(result);
      return linesOf([point, ...about, ...warnings.map((each) => `# warning: ${each}`)]);
    },
    end: () => '',
  };
}

const tapText = (text: string): string => text.replace(/[\\#]/g, '\\$&');

/** A block of YAML 1.2, in which each text is written as JSON. */
function diagnostic({ problems, requests, items, ms }: CaseResult): readonly string[] {
  const [first] = problems;
  const block = [
    ...(first === undefined ? [] : [`message: ${JSON.stringify(first.title)}`, 'severity: fail']),
    ...['duration_ms', 'requests', 'items'].map((name, index) => `${name}: ${[ms.toFixed(3), requests, items][index]}`),
    ...(first === undefined ? [] : ['problems:', ...problems.flatMap(problemOf)]),
  ];
  return ['---', ...block, '...'].map((line) => `  ${line}`);
}

const problemOf = ({ title, lines }: CaseProblem): readonly string[] => [
  `  - title: ${JSON.stringify(title)}`,
  `    lines: [${lines.map((line) => JSON.stringify(line)).join(', ')}]`,
];

/** The elements and attributes that readers of JUnit's reports agree on. */
function junitFormat({ startedAt }: FormatOptions): CaseFormat {
  return {
    begin: () => '',
    result: () => '',
    end(results, ms) {
      const of = (outcome: CaseResult['outcome']) => results.filter((each) => each.outcome === outcome).length;
      const counts = `tests="${results.length}" failures="${of('failed')}" errors="0"`;
      const time = `time="${(ms / 1000).toFixed(3)}"`;
      const begun = new Date(startedAt).toISOString().slice(0, 19);
      return linesOf([
        '<?xml version="1.0" encoding="UTF-8"?>',
        `<testsuites name="rxtract" ${counts} ${time}>`,
        `  <testsuite name="rxtract" ${counts} skipped="${of('skipped')}" ${time} timestamp="${begun}">`,
        ...results.flatMap(testCase),
        '  </testsuite>',
        '</testsuites>',
      ]);
    },
  };
}

function testCase({ name, outcome, ms, problems, warnings, reason = '' }: CaseResult): readonly string[] {
  const folder = name.includes('/') ? name.slice(0, name.lastIndexOf('/')) : 'rxtract';
  const head = `    <testcase name="${xml(name)}" classname="${xml(folder.replaceAll('/', '.'))}" time="${(ms / 1000).toFixed(3)}"`;
  const text = problems.flatMap(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`)]).join('\n');
  const [first] = problems;
  const inside = [
    ...(outcome === 'skipped' ? [`      <skipped message="${xml(reason)}"/>`] : []),
    ...(first === undefined
      ? []
      : [`      <failure message="${xml(first.title)}" type="difference">${xml(text)}</failure>`]),
    ...(warnings.length === 0 ? [] : [`      <system-out>${xml(warnings.join('\n'))}</system-out>`]),
  ];
  return inside.length === 0 ? [`${head}/>`] : [`${head}>`, ...inside, '    </testcase>'];
}

const references: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML 1.0 has no form for control characters and lone surrogates. */
const xml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '?')
    .replace(/[&<>"]/g, (found) => references[found] ?? found);
