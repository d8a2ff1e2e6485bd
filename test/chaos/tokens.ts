/** Many jobs on one login whose tokens are short-lived and revoked at random, as the server sees them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { memory } from '../../sinks/index.js';
import { run } from '../../src/run/extract.js';
import { unchecked } from '../unchecked.js';
import type { Dice } from './dice.js';
import { listen } from './server.js';

export interface Storm {
  readonly jobs: number;
  /** Until then there are more pages; asked with the ms that have passed. */
  isOver(seen: Weathered, passed: number): boolean;
  /** For how long a token is taken, in seconds; the response states so. */
  readonly lifetime: number;
  /**
   * Ms for which the server takes it beyond that: a machine that is busy with other things shall not make a difference.
   */
  readonly grace: number;
}

export interface Weathered {
  readonly pages: number;
  readonly items: number;
  readonly logins: number;
  readonly revocations: number;
  readonly refusals: number;
  /** The most logins that the server had in hand at one moment. */
  readonly loginsAtOnce: number;
  /** Logins but for the first for which no token had been revoked or come near its end. */
  readonly needlessLogins: number;
}

/**
 * Tokens are renewed a tenth of their lifetime before they end; the clocks of two ends of a socket are read one after
 * the other.
 */
const marginOf = (lifetime: number): number => lifetime * 100 + 50;

/** Throws the error of a failed job. */
export async function weather({ jobs, isOver, lifetime, grace }: Storm, dice: Dice): Promise<Weathered> {
  const seen = { pages: 0, items: 0, logins: 0, revocations: 0, refusals: 0, loginsAtOnce: 0, needlessLogins: 0 };
  const margin = marginOf(lifetime);
  let loggingIn = 0;
  let token: { readonly text: string; readonly until: number } | undefined;
  const start = Date.now();
  // By pages, at least two for each job: if an API revokes tokens faster than it responds, no request succeeds.
  const untilRevoked = () => dice.between(2 * jobs, 4 * jobs);
  let left = untilRevoked();

  const login = (response: ServerResponse) => {
    loggingIn += 1;
    seen.loginsAtOnce = Math.max(seen.loginsAtOnce, loggingIn);
    if (token !== undefined && Date.now() < token.until - margin) seen.needlessLogins += 1;
    seen.logins += 1;
    const text = `token-${seen.logins}`;
    setTimeout(
      () => {
        loggingIn -= 1;
        token = { text, until: Date.now() + lifetime * 1000 };
        answer(response, 200, { token: text, lifetime });
      },
      dice.between(0, 20),
    );
  };
  const page = (request: IncomingMessage, response: ServerResponse) => {
    const now = Date.now();
    if (left <= 0) {
      left = untilRevoked();
      seen.revocations += 1;
      token = undefined;
    }
    if (token === undefined || request.headers['x-token'] !== token.text || now >= token.until + grace) {
      seen.refusals += 1;
      return answer(response, 401, { error: 'who are you?' });
    }
    left -= 1;
    const rows = isOver(seen, now - start) ? [] : [{ page: seen.pages }];
    seen.pages += 1;
    seen.items += rows.length;
    return void setTimeout(() => answer(response, 200, rows), dice.between(5, 60));
  };

  const server = createServer((request, response) => {
    if (request.url === '/login') login(response);
    else page(request, response);
  });
  const baseUrl = `${await listen(server)}/`;
  try {
    const to = memory();
    await run(unchecked(configuration(baseUrl, jobs)), { to, concurrency: jobs });
    if (to.items().length !== seen.items) throw new Error(`${seen.items} items given, ${to.items().length} taken`);
    return seen;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function configuration(baseUrl: string, jobs: number): object {
  return {
    api: {
      baseUrl,
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login', method: 'POST' },
        apiRequest: { headers: { 'X-Token': { response: 'token' } } },
        expires: { response: 'lifetime', relative: true },
      },
      pagination: { method: 'pagenum', limit: 1 },
    },
    config: { jobs: Array.from({ length: jobs }, (_, index) => ({ endpoint: `list-${index}` })) },
  };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
