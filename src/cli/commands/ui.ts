/** `rxtract ui`: a page on this machine, in which a configuration is built, tried and run. */
import { once } from 'node:events';
import { flagsOf } from '../../core/options/flags.js';
import type { OptionRows } from '../../core/options/kind.js';
import { whole } from '../../core/options/kinds.js';
import { usageError } from '../../core/util/check-value.js';
import { commandRows } from '../../run/run-options.js';
import { type ParsedArguments, readFlags } from '../arguments.js';
import type { Command } from '../command.js';
import { loadEngine } from '../run.js';
import { runCommand } from '../run-command.js';
import { proxyRows } from '../run-flags.js';
import type { Shell } from '../shell.js';

const details = `Examples
  rxtract ui                     build a configuration in config.json, from the address of an API
  rxtract ui config.json         edit, try and run this configuration
  rxtract ui config.json --port 8000

It prints the address of the page, with a token that opens it, and opens a browser if it runs in a terminal. The page is
for this machine alone, and loads nothing from elsewhere. It writes CONFIG, when you save it, and no secret leaves this
process. Ctrl-C ends it.
`;

const uiRows = {
  port: { kind: whole(1024, 65_535), summary: 'the port of the page', otherwise: 'a free one' },
  ...commandRows,
  ...proxyRows,
} satisfies OptionRows;

/** `commands`: those that the page runs. */
export const uiOf = (commands: () => readonly Command[]): Command => ({
  name: 'ui',
  summary: 'build, try and run a configuration on a page of this machine',
  argument: '[CONFIG]',
  options: flagsOf(uiRows),
  details: async () => details,
  async execute(args, shell, report) {
    const { port = 0 } = readFlags(args, uiRows);
    const path = configPath(args);
    const tools = await loadEngine(shell);
    tools.warnOfPassword(args, report);
    const ui = await import('../ui-tools.js');
    const schema = JSON.parse(tools.schemaText());
    return tools.executeInterruptible(shell, async (signal) => {
      const files = await ui.pageFiles();
      const routes = ui.createWorkbench({
        file: ui.configFile(path),
        schema,
        bounds: boundsOf(args),
        run: (name, words, stdin, ended) =>
          ran(commands(), { shell, name, words, stdin, signal: AbortSignal.any([signal, ended]) }),
        maskOf: (text) => ui.maskOf(text, shell.env),
      });
      const page = (token: string) => ui.servedPage(files, { title: `${path} - rxtract`, mode: 'build', token });
      const server = await ui.servePage({ port, page, routes, mask: report.mask });
      shell.stdout.write(`${server.address}\n`);
      if (shell.isInteractive) ui.openBrowser(ui.browserCommand(process.platform, server.addressOnce()));
      if (!signal.aborted) await once(signal, 'abort');
      await server.close();
      return { isReported: true };
    });
  },
});

function configPath({ positionals: [path = 'config.json', extra] }: ParsedArguments): string {
  if (path === '-') throw usageError('the page saves the configuration: CONFIG is the path of a file');
  if (extra !== undefined) throw usageError(`expected one CONFIG, found "${extra}" too`);
  return path;
}

/** The options that hold for each command with a configuration. */
const boundsOf = (args: ParsedArguments): readonly string[] => [
  ...(args.has('no-commands') ? ['--no-commands'] : []),
  ...args.list('host').map((host) => `--host=${host}`),
];

interface RunCall {
  readonly shell: Shell;
  readonly name: string;
  readonly words: readonly string[];
  readonly stdin: string;
  readonly signal: AbortSignal;
}

async function ran(commands: readonly Command[], call: RunCall) {
  const printed = { output: '', log: '' };
  const exit = await runCommand(commands, {
    ...call,
    words: [...call.words, '--log', 'json'],
    onOutput: (text) => {
      printed.output += text;
    },
    onLog: (text) => {
      printed.log += text;
    },
  });
  return { exit, ...printed };
}
