/** `rxtract doctor`: checks everything that a run needs, step by step. */
import type { Command } from './command.js';
import { itemErrorOption, proxyOption, setOption, strictOption } from './options.js';
import { loadEngine } from './run.js';

const details = `Examples
  rxtract doctor config.json                       configuration, connection, login, first page of each job, disk
  rxtract doctor config.json --job users --proxy env
  rxtract doctor config.json --to postgres://localhost/shop --state st
                                                   and the destination, and the folder of the state
  rxtract doctor config.json --json                one JSON object, for programs

Each step has a verdict (ok, warning, failed, skipped), its time, and what to do. What depends on a failed step is
skipped. The login and one page of each job are requested, each once; nothing else is sent, and nothing is written.
The exit code is 1 if a step failed, with --strict also after a warning.
`;

export const doctor: Command = {
  name: 'doctor',
  summary: 'check connection, login, first pages, disk and destinations, step by step',
  options: {
    to: { value: '[NAME=]URI', about: 'check this sink, as in run; may be repeated (default: ndjson:out)' },
    ...itemErrorOption,
    job: { value: 'NAME', about: 'request the first page of this job only; may be repeated (default: all)' },
    state: { value: 'PATH', about: 'check the folder of the state too' },
    ...proxyOption,
    timeout: { value: 'SECONDS', about: 'a step that takes longer fails (default: 30)' },
    json: { about: 'print the steps as one JSON object' },
    ...setOption,
    ...strictOption,
  },
  details: async () => details,
  async execute(args, shell, report) {
    await loadEngine(shell);
    const { runDoctor } = await import('./checks.js');
    return runDoctor(args, shell, report);
  },
};
