/** The connections of sinks that send HTTP requests, opened and loaded with the first one. */
import type { Agent } from 'undici';
import { loadTls, type TlsSettings } from './tls.js';

export interface HttpAgent {
  /** Rejects with ERR_SINK if a file of TLS cannot be read. */
  open(): Promise<Agent>;
  close(): void;
}

/** In ms. */
const silence = 60_000;

/** Opens no connection yet, and loads no package: help and the list of sinks load none. `sink`: for messages. */
export function createHttpAgent(tls: TlsSettings | undefined, sink: string): HttpAgent {
  let opened: Promise<Agent> | undefined;
  return {
    open() {
      opened ??= openAgent(tls, sink);
      return opened;
    },
    close: () => void opened?.then((agent) => agent.destroy()).catch(() => {}),
  };
}

async function openAgent(tls: TlsSettings | undefined, sink: string): Promise<Agent> {
  const [undici, files] = await Promise.all([import('undici'), tls === undefined ? {} : loadTls(tls, sink)]);
  return new undici.Agent({ headersTimeout: silence, bodyTimeout: silence, connect: { timeout: 10_000, ...files } });
}
