/** Whole runs through the tunnel of a true sshd: logins too, across a break, in one process that ends. */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MockAgent } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import type { Configuration } from '../../src/config/configuration.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Notice } from '../../src/core/model/notice.js';
import { extract, run } from '../../src/run/extract.js';
import { type Sshd, sshdMissing, startSshd } from '../loopback/sshd.js';
import { root } from '../rules/sources.js';
import { startClock } from '../support/virtual-clock.js';
import { unchecked } from '../unchecked.js';
import { testWhere } from '../where.js';

const when = testWhere(sshdMissing);

type Serve = (request: IncomingMessage, response: ServerResponse, sshd: Sshd) => void;

/** Starts an API behind an sshd, with a configuration of two pages. */
async function behind(serve: Serve, work: (configuration: Configuration, sshd: Sshd) => Promise<void>): Promise<void> {
  const sshd = await startSshd();
  const server = createServer((request, response) => serve(request, response, sshd));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const { path, privateKey, ...proxy } = sshd.proxy;
  const configuration = {
    parameters: {
      api: {
        baseUrl: `http://localhost:${port}/`,
        authentication: {
          type: 'login',
          loginRequest: { endpoint: 'login' },
          apiRequest: { headers: { 'X-Token': { response: 'token' } } },
        },
        pagination: { method: 'pagenum', limit: 2 },
      },
      config: { jobs: [{ endpoint: 'users', dataType: 'users' }] },
      [path]: { ...proxy, '#privateKey': privateKey },
    },
  };
  try {
    await work(unchecked(configuration), sshd);
  } finally {
    await sshd.stop();
    server.closeAllConnections();
    server.close();
  }
}

/** Three users on two pages, for clients that have logged in. */
function users({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  if (url === '/login') response.end('{"token":"token-of-the-login"}');
  else if (headers['x-token'] !== 'token-of-the-login') response.writeHead(401).end();
  else response.end(url.includes('page=1') ? '[{"id":1},{"id":2}]' : '[{"id":3}]');
}

/** Settles when the server has seen its connections end: never, should a run keep one. */
async function letGo({ connections }: Sshd): Promise<void> {
  for (const socket of connections) if (!socket.closed) await once(socket, 'close');
}

when('logins and pages go through one tunnel', async () => {
  await behind(users, async (configuration, sshd) => {
    const to = memory();
    const notices: Notice[] = [];
    await run(configuration, { to, notify: (notice) => notices.push(notice) });
    assert.equal(to.items('users'), [{ id: 1 }, { id: 2 }, { id: 3 }]);
    assert.is(sshd.connections.length, 1);
    assert.equal(
      notices.map(({ code }) => code),
      ['tunnel-host-key'],
    );
    await letGo(sshd);
  });
});

when('a tunnel that breaks within a page is opened again for its retry', async () => {
  const clock = startClock();
  let breaks = 1;
  const serve: Serve = (request, response, sshd) => {
    if (breaks === 0 || !request.url?.includes('page=2')) {
      users(request, response);
      return;
    }
    breaks -= 1;
    response.write('[{"id":');
    sshd.connections[0]?.destroy();
  };
  try {
    await behind(serve, async (configuration, sshd) => {
      const to = memory();
      const notices: Notice[] = [];
      const notify = (notice: Notice) => {
        notices.push(notice);
        clock.passSoon(1_000);
      };
      await run(configuration, { to, notify });
      assert.equal(to.items('users'), [{ id: 1 }, { id: 2 }, { id: 3 }]);
      assert.is(sshd.connections.length, 2);
      assert.equal(
        notices.map(({ code }) => code),
        ['tunnel-host-key', 'retry'],
      );
    });
  } finally {
    clock.stop();
  }
});

when('a run that is interrupted lets go of its tunnel', async () => {
  const controller = new AbortController();
  const serve: Serve = () => controller.abort();
  await behind(serve, async (configuration, sshd) => {
    const [{ status }] = await Promise.allSettled([run(configuration, { signal: controller.signal })]);
    assert.is(status, 'rejected');
    await letGo(sshd);
  });
});

when('the process of the command ends when its run does', async () => {
  await behind(users, async (configuration) => {
    const folder = mkdtempSync(join(tmpdir(), 'rxtract-tunnel-'));
    const config = join(folder, 'config.json');
    writeFileSync(config, JSON.stringify(configuration));
    const line = ['--import', 'tsx', join(root, 'src/cli/main.ts'), 'run', config, '--to', `ndjson:${folder}/out`];
    try {
      const { stderr } = await promisify(execFile)(process.execPath, line, { cwd: root, timeout: 120_000 });
      assert.is(readFileSync(join(folder, 'out/users.ndjson'), 'utf8'), '{"id":1}\n{"id":2}\n{"id":3}\n');
      assert.match(stderr, 'is not verified');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

test('a dispatcher of the caller cannot be used with it', () => {
  const configuration = {
    api: { baseUrl: 'https://api.example/' },
    config: { jobs: [{ endpoint: 'x' }] },
    sshProxy: { host: 'bastion', port: 22, user: 'me', '#privateKey': 'key' },
  };
  const attempt = () => extract(configuration, { dispatcher: new MockAgent() });
  assert.throws(
    attempt,
    (error: unknown) =>
      error instanceof ExtractError &&
      error.code === 'ERR_USAGE' &&
      error.message === 'dispatcher: cannot be used with sshProxy of the configuration',
  );
});

test.run();
