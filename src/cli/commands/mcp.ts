/** `rxtract mcp`: tools for assistants, on standard input and output. */
import { Readable } from 'node:stream';
import { flagsOf } from '../../core/options/flags.js';
import type { OptionRows } from '../../core/options/kind.js';
import { flag } from '../../core/options/kinds.js';
import { usageError } from '../../core/util/check-value.js';
import { commandRows } from '../../run/run-options.js';
import { readFlags } from '../arguments.js';
import type { Command } from '../command.js';
import { loadEngine } from '../run.js';
import { printedByCommand } from '../run-command.js';
import { proxyRows } from '../run-flags.js';

const details = `Examples
  rxtract mcp                                        tools that send no request
  rxtract mcp config.json                            requests to the hosts of this configuration alone
  rxtract mcp --host api.example.com                 requests to this host alone
  rxtract mcp --host api.example.com --write         init, preview, shape and test may write files

Tools: init, validate, plan, preview, shape, test. They read files of the current folder, run no program, and answer
without secrets. Requests go to the named hosts alone, redirects and logins included.
`;

const mcpRows = {
  hosts: { ...commandRows.hosts, otherwise: 'those of CONFIG' },
  write: { kind: flag, summary: 'let tools write files in the current folder', otherwise: 'nothing is written' },
  ...proxyRows,
} satisfies OptionRows;

/** `commands`: those that the tools are. */
export const mcpOf = (commands: () => readonly Command[]): Command => ({
  name: 'mcp',
  summary: 'serve tools for assistants, by the Model Context Protocol',
  takesNothing: true,
  argument: '[CONFIG...]',
  options: flagsOf(mcpRows),
  details: async () => details,
  async execute(args, shell, report) {
    const { hosts: given = [], write, proxy } = readFlags(args, mcpRows);
    const tools = await loadEngine(shell);
    tools.warnOfPassword(args, report);
    const run = (name: string, words: readonly string[], stdin: string, signal: AbortSignal) =>
      printedByCommand(commands(), { shell, name, words, stdin, signal });
    const hosts = new Set(given);
    const never = new AbortController().signal;
    for (const path of args.positionals) {
      const planned = await run('plan', [path, '--json', '--no-commands'], '', never);
      if (planned.exit !== 0) {
        shell.stderr.write(planned.text);
        return { failure: usageError(`${path} cannot be planned`), isReported: true };
      }
      for (const host of hostsIn(planned.text)) hosts.add(host);
    }
    const { serveTools } = await import('../../tools/mcp/serve-tools.js'); // the SDK is large
    return tools.executeInterruptible(shell, async (signal) => {
      await serveTools(
        {
          folder: process.cwd(),
          hosts: [...hosts],
          mayWrite: write === true,
          proxy,
          run,
          commands: commands(),
          input: Readable.from(shell.stdin(), { objectMode: false }),
          output: shell.stdout,
          mask: report.mask,
        },
        signal,
      );
      return { isReported: true };
    });
  },
});

/** The origins of the requests of a plan. */
export const hostsIn = (plan: string): ReadonlySet<string> =>
  new Set(
    [...plan.matchAll(/"(?:url|baseUrl)":"(https?:\/\/)(?:[^"/?#]*@)?([^"/?#]+)/g)].map(
      ([, scheme, host]) => `${scheme}${host}`,
    ),
  );
