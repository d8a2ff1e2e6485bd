/** `rxtract preview`: the first pages of each job on the terminal. It writes nothing. */

import type { Secrets } from '../core/model/secrets.js';
import { flagsOf } from '../core/options/flags.js';
import type { OptionRows } from '../core/options/kind.js';
import { flag, whole } from '../core/options/kinds.js';
import { defined } from '../core/util/defined.js';
import type { PreviewedPage } from '../tools/preview/preview-text.js';
import { printable } from '../tools/text/lines.js';
import { readFlags } from './arguments.js';
import type { Command } from './command.js';
import { loadEngine } from './run.js';
import { pageRows, readingRows } from './run-flags.js';
import { columnsOf } from './shell.js';

const details = `Examples
  rxtract preview config.json                       the first page of each job
  rxtract preview config.json --job users --pages 2
  rxtract preview config.json --record users.jsonl  keep the responses; then, as often as you like and without the API:
  rxtract preview config.json --replay users.jsonl --set config.jobs[0].dataField=items

For each page: the request, the head of its response, the items as a table, the fields with their types, and what the
pagination would request next. Nothing is written, and secrets are masked.
`;

const previewRows = {
  ...pageRows,
  items: { kind: whole(1, 999_999), default: 10, summary: 'items of each page in the table' },
  json: { kind: flag, summary: 'print each page as an object of JSON, with the sources of all values, on a line' },
  ...readingRows,
} satisfies OptionRows;

export const preview: Command = {
  name: 'preview',
  summary: 'request the first pages and show them, without writing anything',
  options: flagsOf(previewRows),
  details: async () => details,
  async execute(args, shell, report) {
    const { pages: maxPages, items: rows, proxy, maxItemBytes } = readFlags(args, previewRows);
    const tools = await loadEngine(shell);
    const open = tools.readExchangeOptions(args);
    tools.warnOfPassword(args, report);
    const document = await tools.readDocument(args, shell, report.notice);
    const { pageLines } = await import('../tools/preview/preview-text.js'); // of no other command
    const { previewData } = await import('../tools/preview/preview-data.js');
    const options = { maxPages, maxItemBytes, ...defined({ proxy }) };
    const page = (previewed: PreviewedPage, mask: Secrets['mask']) => {
      if (args.has('json')) return void shell.stdout.write(`${JSON.stringify(previewData(previewed, rows, mask))}\n`);
      const clean: Secrets['mask'] = (text, end) => printable(text, (each, cut) => mask(each, cut ?? end));
      const lines = pageLines(previewed, { rows, width: columnsOf(shell, usualWidth), clean });
      shell.stdout.write(`${[...lines, ''].join('\n')}\n`);
    };
    return tools.showRun({ ...document, open, options, start: tools.previewRun, page }, { args, shell, report });
  },
};

/** Columns of a terminal whose width is not known. */
const usualWidth = 80;
