/** The packages that requests to an object store need, in a file of their own so that they are loaded late. */
import { asyncScheduler } from 'rxjs';
import { Agent } from 'undici';
import type { LoadedTls } from '../servers/tls.js';

export interface Connections {
  readonly agent: Agent;
  /** The time in epoch ms. */
  readonly now: () => number;
}

/** In ms. */
const silence = 60_000;

/** Opens no connection before the first request. */
export function createConnections(tls: LoadedTls): Connections {
  const agent = new Agent({ headersTimeout: silence, bodyTimeout: silence, connect: { timeout: 10_000, ...tls } });
  return { agent, now: () => asyncScheduler.now() };
}
