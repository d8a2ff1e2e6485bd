/** The sink http and a receiver in a process of its own: the conformance kit, with restarts between any two calls. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { startServer, type TestServer } from '../support/servers.js';
import { mustKeepRules } from './lib.js';

const receiver = fileURLToPath(new URL('../support/receiver.mjs', import.meta.url));

const startReceiver = (): Promise<TestServer> =>
  startServer({
    command: ({ port, folder }) => ({ file: process.execPath, args: [receiver, String(port), folder] }),
  });

interface StoredRequest {
  readonly path: string;
  readonly body: string;
}

/** The lines that the receiver has got at a path. */
function linesAt({ folder }: TestServer, path: string): readonly string[] {
  const file = join(folder, 'requests.ndjson');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  const requests = lines.map((line): StoredRequest => JSON.parse(line));
  return requests.filter((each) => each.path === path).flatMap(({ body }) => body.split('\n').slice(0, -1));
}

for (const [path, options] of [
  ['all', ''],
  ['once', '#idempotent=true&items=2'],
] as const) {
  test(`keeps every rule of the kit: ${path}`, async () => {
    const server = await startReceiver();
    try {
      const uri = `http://127.0.0.1:${server.port}/${path}/{dataType}${options}`;
      const read = async (dataType: string) => linesAt(server, `/${path}/${dataType}`);
      await mustKeepRules(uri, read, false, undefined, server);
    } finally {
      await server.close();
    }
  });
}

test.run();
