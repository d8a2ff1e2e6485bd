/**
 * Runs against a server that refuses any refresh token used twice, each killed without notice at a random moment: none
 * is locked out. The one moment that no client can protect, between the server's exchange and the file, is left out: a
 * kill that falls between its response and the next request is put off until that request, and counted; a token request
 * that a killed run had on its way does not reach the server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder } from '../sinks/lib.js';
import { createDice, type Dice } from './dice.js';
import { listen } from './server.js';

const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set CHAOS_SEED to repeat)`);

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const runs = 50;
const pages = 4;

interface Seen {
  exchanges: number;
  refused: number;
  kills: number;
  putOff: number;
}

/** The access token expires with each page, so that a run exchanges several refresh tokens. */
async function startServer(seen: Seen) {
  let refreshToken = 'refresh-0';
  let isUnprotected = false;
  let isKilled = false;
  let kill: (() => void) | undefined;
  const killNow = () => {
    seen.kills += 1;
    isKilled = true;
    kill?.();
    kill = undefined;
  };
  const answer = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const token = (given: string | null, response: ServerResponse) => {
    if (given !== refreshToken) {
      seen.refused += 1;
      return answer(response, 400, { error: 'invalid_grant' });
    }
    seen.exchanges += 1;
    refreshToken = `refresh-${seen.exchanges}`;
    isUnprotected = true;
    return answer(response, 200, { access_token: `a-${seen.exchanges}`, expires_in: 0, refresh_token: refreshToken });
  };
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/begin') return answer(response, 200, {});
    const body = await text(request);
    if (isKilled) return response.destroy();
    if (request.url === '/token') return token(new URLSearchParams(body).get('refresh_token'), response);
    isUnprotected = false;
    if (kill !== undefined) return killNow();
    const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'));
    return answer(response, 200, page > pages ? [] : [{ id: page }]);
  });
  const origin = await listen(server);
  return {
    origin,
    killSoon(by: () => void) {
      kill = by;
      if (isUnprotected) seen.putOff += 1;
      else killNow();
    },
    /** A connection of its own comes after all that the last run had opened: what that sent has been read then. */
    async begin() {
      await (await fetch(`${origin}/begin`, { headers: { connection: 'close' } })).text();
      kill = undefined;
      isUnprotected = false;
      isKilled = false;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const configOf = (origin: string, tokenStore: string) => ({
  api: {
    baseUrl: `${origin}/`,
    authentication: {
      type: 'oauth2',
      grant: 'refresh_token',
      tokenEndpoint: 'token',
      clientId: 'client-1',
      refreshToken: { attr: '#refreshToken' },
      tokenStore,
    },
    pagination: { method: 'pagenum', limit: 1 },
  },
  config: { '#refreshToken': 'refresh-0', jobs: [{ endpoint: 'orders' }] },
});

/** How long a run takes that nothing kills, and what it says. */
async function runOnce(args: readonly string[], during: (kill: () => void) => void) {
  const started = performance.now();
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  during(() => void child.kill('SIGKILL'));
  const stderr = await text(child.stderr);
  const [exit] = await ended;
  return { exit, stderr, took: performance.now() - started };
}

async function killAll(server: Awaited<ReturnType<typeof startServer>>, args: readonly string[], dice: Dice) {
  const { exit, stderr, took } = await runOnce(args, () => undefined);
  assert.is(exit, 0, stderr);
  for (let count = 0; count < runs; count++) {
    await server.begin();
    let timer: NodeJS.Timeout | undefined;
    const killed = await runOnce(args, (kill) => {
      timer = setTimeout(() => server.killSoon(kill), dice.between(0, Math.ceil(took)));
    });
    clearTimeout(timer);
    assert.ok(killed.exit === null || killed.exit === 0, killed.stderr);
  }
  await server.begin();
  return runOnce(args, () => undefined);
}

test(
  `${runs} runs are killed, and the next one has a token that the server takes`,
  inFolder(async (dir) => {
    const seen: Seen = { exchanges: 0, refused: 0, kills: 0, putOff: 0 };
    const server = await startServer(seen);
    try {
      const config = join(dir, 'config.json');
      writeFileSync(config, JSON.stringify(configOf(server.origin, join(dir, 'tokens.json'))));
      const last = await killAll(server, ['run', config, '--to', `ndjson:${dir}/out`], createDice(seed));
      assert.is(last.exit, 0, last.stderr);
      assert.is(seen.refused, 0);
      assert.ok(seen.kills > runs / 4, `${seen.kills} kills`);
      console.log(JSON.stringify(seen));
    } finally {
      server.close();
    }
  }),
);

test.run();
