/** Refresh tokens at the server of a state: a record of its own, encrypted, which one process has at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { settingOf } from '../../../sinks/addresses/environment.js';
import type { SinkContext } from '../../../sinks/entry.js';
import type { ExtractError } from '../../core/errors/errors.js';
import { keyVariable } from './sealed-text.js';
import { readKey, seal, unseal } from './sealed-tokens.js';
import { type ServerStoreOptions, serverStore } from './server-store.js';
import { stateServerAt } from './state-address.js';
import { entriesOf, type TokenPlace, textOfTokens } from './token-file.js';

/** Its processes are short: they show more often that they are alive. */
const quick: ServerStoreOptions = {
  watch: () => sleep(3000),
  regularly(work) {
    const timer = setInterval(work, 1000).unref();
    return () => clearInterval(timer);
  },
};

/** The tokens within the state of an address. Throws ERR_USAGE for a wrong address. */
export function tokensAt(address: string, context: SinkContext, options: ServerStoreOptions = quick): TokenPlace {
  const connect = stateServerAt(address, context, 'tokens');
  const server = connect();
  const { name } = server;
  server.end();
  return {
    name,
    async open(onInUse: (error: ExtractError) => Promise<void>) {
      const text = settingOf(context.env ?? {}, keyVariable);
      if (text !== undefined) context.hide?.(text);
      const key = readKey(text);
      const store = await serverStore(connect, { ...options, onInUse }).open();
      return {
        read() {
          const [record] = store.records;
          return record === undefined ? new Map() : entriesOf(unseal(JSON.parse(record).sealed, key, name), name);
        },
        write: (entries) => store.replace([JSON.stringify({ sealed: seal(textOfTokens(entries), key) })]),
        release: () => store.close(),
      };
    },
  };
}
