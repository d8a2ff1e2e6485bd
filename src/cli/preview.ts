/** `rxtract preview`: the first pages of each job on the terminal. It writes nothing. */
import type { Secrets } from '../core/model/secrets.js';
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import type { PreviewedPage } from '../tools/preview/preview-text.js';
import { printable } from '../tools/text/lines.js';
import type { ParsedArguments } from './arguments.js';
import type { Command } from './command.js';
import { exchangeOptions, logOption, proxyOption, setOption, strictOption } from './options.js';
import { loadEngine } from './run.js';
import { columnsOf } from './screen.js';

const details = `Examples
  rxtract preview config.json                       the first page of each job
  rxtract preview config.json --job users --pages 2
  rxtract preview config.json --record users.jsonl  keep the responses; then, as often as you like and without the API:
  rxtract preview config.json --replay users.jsonl --set config.jobs[0].dataField=items

For each page: the request, the head of its response, the items as a table, the fields with their types, and what the
pagination would request next. Nothing is written, and secrets are masked.
`;

export const preview: Command = {
  name: 'preview',
  summary: 'request the first pages and show them, without writing anything',
  options: {
    job: { value: 'NAME', about: 'only this job, with its children; may be repeated (default: all)' },
    pages: { value: 'N', about: 'pages of each job (default: 1)' },
    items: { value: 'N', about: 'items of each page in the table (default: 10)' },
    ...setOption,
    ...proxyOption,
    ...exchangeOptions,
    ...strictOption,
    ...logOption,
  },
  details: async () => details,
  async execute(args, shell, report) {
    const [maxPages, rows] = [countOf(args, 'pages', 1), countOf(args, 'items', 10)];
    const tools = await loadEngine(shell);
    const open = tools.readExchangeOptions(args);
    tools.warnOfPassword(args, report);
    const document = await tools.readDocument(args, shell, report.notice);
    const { pageLines } = await import('../tools/preview/preview-text.js'); // of no other command
    const options = { maxPages, ...defined({ proxy: args.last('proxy') }) };
    const page = (previewed: PreviewedPage, mask: Secrets['mask']) => {
      const clean: Secrets['mask'] = (text, end) => printable(text, (each, cut) => mask(each, cut ?? end));
      const lines = pageLines(previewed, { rows, width: columnsOf(shell, usualWidth), clean });
      shell.stdout.write(`${[...lines, ''].join('\n')}\n`);
    };
    return tools.showRun({ ...document, open, options, start: tools.previewRun, page }, { args, shell, report });
  },
};

/** Columns of a terminal whose width is not known. */
const usualWidth = 80;

function countOf(args: ParsedArguments, name: 'pages' | 'items', usual: number): number {
  const text = args.last(name);
  if (text === undefined) return usual;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value === 0) throw usageError(`--${name} is a whole number from 1 to 999999, found "${text}"`);
  return value;
}
