/** Starts the generated API in a process of its own. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ExtractError } from '../../core/errors/errors.js';
import type { ApiShape } from './shape.js';

export interface StartedServer {
  readonly origin: string;
  /** Ends the process. It ends with this one too. */
  stop(): void;
}

/** Resolves when the server accepts connections. `port` 0: any free one. Throws ERR_USAGE if it cannot listen there. */
export async function startServer(shape: ApiShape, port = 0): Promise<StartedServer> {
  const entry = fileURLToPath(new URL('./server-process.js', import.meta.url));
  const child = fork(entry, [JSON.stringify(shape), String(port)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let printed = '';
  child.stderr?.on('data', (text) => {
    printed = `${printed}${text}`.slice(-2000);
  });
  return new Promise((resolve, reject) => {
    child.once('message', (message) => {
      const { origin } = message as { readonly origin: string }; // server-process.ts sends it
      resolve({ origin, stop: () => void (child.connected && child.disconnect()) });
    });
    child.once('exit', () => reject(notStarted(port, printed)));
  });
}

function notStarted(port: number, printed: string): ExtractError {
  const [, reason = 'it ended at once'] = /Error: (.*)/.exec(printed) ?? [];
  return new ExtractError('ERR_USAGE', `the generated API cannot listen on port ${port}: ${reason}`);
}
