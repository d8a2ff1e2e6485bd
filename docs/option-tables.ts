/**
 * Tables of options in chapters, made of their rows: `<!-- options: NAME -->`, until the next comment. `<!-- log events
 * -->` has those of the members of events, `<!-- metrics -->` that of metrics.
 */
import { readFileSync } from 'node:fs';
import { benchRows } from '../src/cli/bench.js';
import { commands } from '../src/cli/commands.js';
import { flagsOf, isRepeatable, valueName } from '../src/core/options/flags.js';
import type { OptionRow, OptionRows } from '../src/core/options/kind.js';
import { flag } from '../src/core/options/kinds.js';
import { writtenDefault } from '../src/core/options/object-kinds.js';
import { labelName, type MetricRow, metricRows, prometheusName } from '../src/run/metrics/metric-rows.js';
import { extractRows, ownRows } from '../src/run/run-options.js';
import { measureRows } from '../src/tools/bench/settings.js';
import { logEvents, memberPaths } from '../src/tools/log/events.js';
import { caseRows } from '../src/tools/test/case-file.js';

const part = /^<!-- options: (.+?) -->\n[\s\S]*?^<!-- end of options -->$/gm;

/** A chapter with its tables written anew. */
export function chapterWithTables(path: string): string {
  const page = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  const withEvents = page.replace(eventsPart, () =>
    ['<!-- log events -->', ...eventTables(path), '', '<!-- end of log events -->'].join('\n'),
  );
  const withMetrics = withEvents.replace(metricsPart, () =>
    ['<!-- metrics -->', ...metricsTable(path), '', '<!-- end of metrics -->'].join('\n'),
  );
  return withMetrics.replace(part, (_, name: string) =>
    [`<!-- options: ${name} -->`, tableOf(name, path), '<!-- end of options -->'].join('\n'),
  );
}

const eventsPart = /^<!-- log events -->\n[\s\S]*?^<!-- end of log events -->$/m;

function eventTables(path: string): readonly string[] {
  return Object.entries(logEvents).flatMap(([event, { summary, rows }]) => {
    const lines = memberPaths(rows).map(([member, row]) => {
      const name = `\`${member}\`${row.optional === true ? ', where it applies' : ''}`;
      return `| ${name} | ${inCell(row.summary, path)} |`;
    });
    return ['', `**\`${event}\`**: ${summary}.`, '', '| Member | What it is |', '|---|---|', ...lines];
  });
}

const metricsPart = /^<!-- metrics -->\n[\s\S]*?^<!-- end of metrics -->$/m;

function metricsTable(path: string): readonly string[] {
  const lines = Object.values<MetricRow>(metricRows).map((row) => {
    const labels = row.attributes.map((attribute) => `\`${labelName(attribute)}\``).join(', ');
    const cells = [`\`${prometheusName(row)}\``, row.kind, labels, inCell(row.summary, path)];
    return `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');
  });
  return ['', '| Metric | Kind | Labels | What it is |', '|---|---|---|---|', ...lines];
}

function tableOf(name: string, path: string): string {
  const { head, cell, rows, isFlag = false } = tables.get(name) ?? forCommand(name);
  const lines = Object.entries(rows).map(([option, row]) => {
    const cells = [cell(option, row), meaningOf(row, isFlag), defaultOf(row)];
    return `| ${cells.map((text) => inCell(text, path)).join(' | ')} |`.replaceAll('|  |', '| |');
  });
  return ['', `| ${head} | Meaning | Default |`, '|---|---|---|', ...lines, ''].join('\n');
}

interface OptionTable {
  readonly head: string;
  readonly rows: OptionRows;
  /** A flag may be given several times, in code there is a list. */
  readonly isFlag?: boolean;
  cell(name: string, row: OptionRow): string;
}

const named = (name: string): string => `\`${name}\``;

const flagCell = (option: string, row: OptionRow): string => {
  const value = valueName(row);
  return named(`--${option}${value === undefined ? '' : ` ${value}`}`);
};

/** The options of a measurement, without those of its runs. */
const benchOnly = flagsOf({ ...measureRows, to: benchRows.to });

const tables: ReadonlyMap<string, OptionTable> = new Map<string, OptionTable>([
  ['run and extract', { head: 'Of `run` and `extract`', rows: extractRows, cell: named }],
  ['only run', { head: 'Only of `run`', rows: ownRows, cell: named }],
  ['bench alone', { head: 'Option', rows: benchOnly, isFlag: true, cell: flagCell }],
  ['case.json', { head: 'Member of `case.json`', rows: caseRows, cell: named }],
]);

function forCommand(name: string): OptionTable {
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  return { head: 'Option', rows: command.options, isFlag: true, cell: flagCell };
}

function meaningOf(row: OptionRow, isFlag: boolean): string {
  const repeated = isFlag && isRepeatable(row) ? '; may be repeated' : '';
  const { summary, details } = row;
  return details === undefined ? `${summary}${repeated}` : `${summary}${repeated}. ${details}`;
}

function defaultOf(row: OptionRow): string {
  const { kind, otherwise, default: value } = row;
  if (otherwise !== undefined || value === undefined || kind === flag) return otherwise ?? '';
  return named(writtenDefault(row) ?? '');
}

/** Links to headings of the same page have no path. */
const inCell = (text: string, path: string): string =>
  text.replaceAll('|', '\\|').replaceAll(`](${path.replace('docs/', '')}#`, '](#');
