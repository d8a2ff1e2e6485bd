/** `rxtract ui`: a page on this machine, in which a configuration is built, tried and run. */
import { once } from 'node:events';
import { flagsOf } from '../../core/options/flags.js';
import type { OptionRows } from '../../core/options/kind.js';
import { whole } from '../../core/options/kinds.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import { commandRows } from '../../run/run-options.js';
import { type ParsedArguments, readFlags } from '../arguments.js';
import type { Command, CommandResult } from '../command.js';
import type { Report } from '../report.js';
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
    return tools.executeInterruptible(shell, (signal) => serve({ path, port, args, shell, report, commands }, signal));
  },
});

interface Served {
  readonly path: string;
  readonly port: number;
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
  commands(): readonly Command[];
}

async function serve(served: Served, signal: AbortSignal): Promise<CommandResult> {
  const { path, port, shell, report } = served;
  const ui = await import('../ui-tools.js');
  const files = await ui.pageFiles();
  const { routes, feed } = pageRoutesOf(ui, served, signal);
  const page = (token: string) => ui.servedPage(files, { title: `${path} - rxtract`, mode: 'build', token });
  const server = await ui.servePage({ port, page, routes, mask: report.mask });
  shell.stdout.write(`${server.address}\n`);
  if (shell.isInteractive) ui.openBrowser(ui.browserCommand(process.platform, server.addressOnce()));
  if (!signal.aborted) await once(signal, 'abort');
  feed.close();
  await server.close();
  return { isReported: true };
}

type UiTools = typeof import('../ui-tools.js');

function pageRoutesOf(ui: UiTools, { path, args, shell, commands }: Served, signal: AbortSignal) {
  const { commands: mayRun, hosts, proxy } = readFlags(args, uiRows);
  const bounds = [...(mayRun ? [] : ['--no-commands']), ...(hosts ?? []).map((host) => `--host=${host}`)];
  const ways = proxy === undefined ? [] : [`--proxy=${proxy}`];
  // Secrets that a request of the page contained: the configuration names them, until they are variables.
  const variables = new Map<string, string>();
  const shellNow = (): Shell => ({ ...shell, env: { ...Object.fromEntries(variables), ...shell.env } });
  const workbench = ui.createWorkbench({
    file: ui.configFile(path),
    schema: JSON.parse(ui.schemaText()),
    bounds,
    ways,
    run: (call) =>
      runCommand(commands(), {
        ...call,
        shell: shellNow(),
        log: 'json',
        signal: AbortSignal.any([signal, call.signal]),
      }),
    maskOf: (text) => ui.maskOf(text, shellNow().env),
  });
  const keep = (given: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(given)) if (shell.env[name] === undefined) variables.set(name, value);
  };
  const find = ui.findRoutes({ env: () => shellNow().env, keep, ...defined({ proxy, hosts }) });
  const runs = ui.createPageRuns({ label: path, shell: shellNow, signal, load: () => import('../engine.js') });
  const run = ui.runRoutes(runs, path, [...bounds, ...ways]);
  return { routes: new Map([...workbench, ...find, ...run]), feed: runs.feed };
}

function configPath({ positionals: [path = 'config.json', extra] }: ParsedArguments): string {
  if (path === '-') throw usageError('the page saves the configuration: CONFIG is the path of a file');
  if (extra !== undefined) throw usageError(`expected one CONFIG, found "${extra}" too`);
  return path;
}
