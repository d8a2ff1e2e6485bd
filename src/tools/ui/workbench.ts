/** What the page can do with a configuration: each route is a command, run in this process. */

import { checkResult, logLines } from './check-text.js';
import type { ConfigFile } from './config-file.js';
import { createHiddenSecrets } from './hidden-secrets.js';
import { textAt } from './page-input.js';
import type { CheckResult, ConfigView } from './page-messages.js';
import type { PageRoute } from './page-server.js';

/** A command to its end. */
export interface RanCommand {
  readonly exit: number;
  readonly output: string;
  /** Lines of `--log json`. */
  readonly log: string;
}

export interface WorkbenchOptions {
  readonly file: ConfigFile;
  /** The JSON Schema of configurations. */
  readonly schema: object;
  /** Options for each command with a configuration. */
  readonly bounds: readonly string[];
  /** Runs a command with `--log json`. */
  run(name: string, words: readonly string[], stdin: string, signal: AbortSignal): Promise<RanCommand>;
  /** What hides the secrets of a configuration in any text; of one that is not valid, it hides none. */
  maskOf(text: string): (text: string) => string;
}

export type PageRoutes = ReadonlyMap<string, PageRoute>;

/** The routes of a page that builds a configuration. */
export function createWorkbench({ file, schema, bounds, run, maskOf }: WorkbenchOptions): PageRoutes {
  const secrets = createHiddenSecrets();
  const view = async (): Promise<ConfigView> => {
    const { text, version } = await file.read();
    return { path: file.path, text: secrets.hide(text, maskOf(text)), version };
  };
  return new Map<string, PageRoute>([
    ['/api/schema', async () => schema],
    ['/api/file', view],
    [
      '/api/save',
      async (input) => {
        await file.write(secrets.restore(textAt(input, 'text')), textAt(input, 'version'));
        return view();
      },
    ],
    [
      '/api/check',
      async (input, signal): Promise<CheckResult> => {
        const text = textAt(input, 'text');
        const { exit, log } = await run('validate', ['-', ...bounds], secrets.restore(text), signal);
        return checkResult(exit, logLines(log), text);
      },
    ],
  ]);
}
