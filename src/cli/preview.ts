/** `rxtract preview`: the first pages of each job on the terminal. It writes nothing. */
import type { Command } from './command.js';
import { exchangeOptions, logOption, proxyOption, setOption, strictOption } from './options.js';
import { loadEngine } from './run.js';

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
    const { showPreview } = await loadEngine(shell);
    return showPreview(args, shell, report);
  },
};
