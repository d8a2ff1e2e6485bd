/** `rxtract shape`: the shape of the items of each data type, as JSON Schema or what follows from it. */
import { flagsOf } from '../core/options/flags.js';
import type { OptionRows } from '../core/options/kind.js';
import { file, flag, word } from '../core/options/kinds.js';
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { choiceRows } from '../run/run-options.js';
import type { ObservedRun } from '../tools/shape/observe-run.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import type { Command, CommandResult } from './command.js';
import type { Report } from './report.js';
import { loadEngine } from './run.js';
import { pageRows, readingRows } from './run-flags.js';
import type { Shell } from './shell.js';

const details = `Examples
  rxtract shape config.json > shape.json             from the first page of each job
  rxtract shape config.json --whole --out shape.json from all pages
  rxtract shape config.json --replay run.jsonl       from a recording, without the API
  rxtract run config.json --shape shape.json --on-drift fail
                                                     compare each item with it
  rxtract shape --from shape.json --as ts            types of TypeScript; also sql:postgres, sql:duckdb and dbt

Standard output has the shape alone. Nothing else is written, and secrets are masked.
`;

const shapeRows = {
  ...pageRows,
  whole: { kind: flag, excludes: ['pages'], summary: 'all pages; so it is with --replay' },
  out: { kind: file, summary: 'write to FILE, which is replaced', otherwise: 'standard output' },
  as: {
    kind: word('json', 'ts', 'sql:postgres', 'sql:duckdb', 'dbt'),
    default: 'json',
    summary: 'JSON Schema, types of TypeScript, tables in SQL, or the sources.yml of a dbt project',
  },
  from: { kind: file, excludes: ['replay', 'record'], summary: 'read the shape in FILE instead of CONFIG' },
  select: choiceRows.select,
  ...readingRows,
} satisfies OptionRows;

export const shape: Command = {
  name: 'shape',
  summary: 'print the shape of items: JSON Schema, types, tables',
  options: flagsOf(shapeRows),
  details: async () => details,
  async execute(args, shell, report) {
    const { as, from, out } = readFlags(args, shapeRows);
    await loadEngine(shell);
    const tools = await import('./checks.js');
    const write = async (document: Parameters<typeof tools.shapeAs>[0]) => {
      const text = tools.shapeAs(document, as);
      if (out === undefined) shell.stdout.write(text);
      else await tools.writeWhole(out, text);
    };
    if (from === undefined) return observe(args, tools, { shell, report, write });
    if (args.positionals.length > 0) throw usageError('--from takes the place of CONFIG: leave one of them out');
    await write(await tools.readShapeFile(from));
    return {};
  },
};

interface Observing {
  readonly shell: Shell;
  readonly report: Report;
  write(document: ReturnType<ObservedRun['document']>): Promise<void>;
}

async function observe(
  args: ParsedArguments,
  tools: typeof import('./checks.js'),
  { shell, report, write }: Observing,
): Promise<CommandResult> {
  const { pages, whole: isWhole, proxy, maxItemBytes, select, replay } = readFlags(args, shapeRows);
  const open = tools.readExchangeOptions(args);
  tools.warnOfPassword(args, report);
  const source = await tools.readDocument(args, shell, report.notice);
  const isAll = isWhole === true || (replay !== undefined && !args.has('pages'));
  const options = { maxItemBytes, ...defined({ proxy, select, maxPages: isAll ? undefined : pages }) };
  let observed: ObservedRun | undefined;
  const start = (...given: Parameters<typeof tools.observeRun>) => {
    observed = tools.observeRun(...given);
    return observed;
  };
  const result = await tools.showRun({ ...source, open, options, start, page: () => {} }, { args, shell, report });
  if (result.failure !== undefined || observed === undefined) return result;
  await write(observed.document());
  return result;
}
