/** Logins that several brokers share, those of other processes too: one logs in, and all use its credentials. */
import { asyncScheduler, defer, map, type Observable, of } from 'rxjs';
import { inTurn, type Turn } from '../../operators/in-turn.js';
import type { TokenStore } from '../auth/refresh-tokens.js';
import type { Credentials } from '../auth/types.js';
import { emptyObject, isObject, stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Secrets } from '../core/model/secrets.js';

/** What one login has given. */
export interface LoginRecord {
  /** The credentials. The text is a secret. */
  readonly text: string;
  /** For how many ms from now the credentials are valid; Infinity: until the API rejects them. */
  readonly lifetime: number;
}

/** Credentials with the number of their login. */
export interface LoginGeneration extends LoginRecord {
  /** From 1 up; each login has a greater one than those before it. */
  readonly generation: number;
}

/** Where brokers share their logins. */
export interface LoginShare {
  /**
   * Emits valid credentials of a generation above `refused`, and completes. If there are none, it subscribes to
   * `login`, and keeps what that emits as the next generation. Of all brokers one logs in at a time for a key, and the
   * others wait for it. If the login fails, so does the result, and the next one logs in. `key` is a digest.
   */
  obtain(key: string, refused: number, login: Observable<LoginRecord>): Observable<LoginGeneration>;
  /** Keeps refresh tokens that replace others. Absent: each broker keeps its own. */
  readonly tokens?: TokenStore;
}

interface KeptLogin {
  readonly turn: Turn;
  latest?: LoginGeneration & { readonly expiresAt: number };
}

/** Creates a share for the brokers of this process. */
export function createLoginShare(): LoginShare {
  const logins = new Map<string, KeptLogin>();
  const loginAt = (key: string): KeptLogin => {
    const login = logins.get(key) ?? { turn: inTurn() };
    logins.set(key, login);
    return login;
  };
  return {
    obtain: (key, refused, login) => {
      const kept = loginAt(key);
      const latestOrNew = defer(() => {
        const { latest } = kept;
        const lifetime = latest === undefined ? 0 : latest.expiresAt - asyncScheduler.now();
        if (latest !== undefined && latest.generation > refused && lifetime > 0) return of({ ...latest, lifetime });
        const generation = Math.max(refused, latest?.generation ?? 0) + 1;
        return login.pipe(
          map((record) => {
            kept.latest = { ...record, generation, expiresAt: asyncScheduler.now() + record.lifetime };
            return kept.latest;
          }),
        );
      });
      return kept.turn(latestOrNew);
    },
  };
}

/** Makes the logins of a client those of a share. Each result is of a later generation than the one before it. */
export function sharedBy(share: LoginShare, key: string): (login: Observable<Credentials>) => Observable<Credentials> {
  let last = 0;
  return (login) =>
    defer(() => {
      let own: { readonly text: string; readonly credentials: Credentials } | undefined;
      const recorded = login.pipe(
        map((credentials) => {
          const text = textOf(credentials);
          own = { text, credentials };
          return { text, lifetime: credentials.expiresAt - asyncScheduler.now() };
        }),
      );
      return share.obtain(key, last, recorded).pipe(
        map((given) => {
          last = given.generation;
          if (own?.text === given.text) return own.credentials;
          own?.credentials.release?.(); // another process has logged in since
          return credentialsIn(given);
        }),
      );
    });
}

/** Writes credentials as JSON, with all secrets of their login. */
function textOf({ headers, query, conceal }: Credentials): string {
  const secrets: string[] = [];
  conceal?.({ scope: () => ({ add: (value) => void secrets.push(value), close: () => {} }) });
  return JSON.stringify({ headers: [...headers], query: stringifyExact(query), secrets });
}

function credentialsIn({ text, lifetime }: LoginGeneration): Credentials {
  const { headers, query, secrets } = JSON.parse(text);
  const parsed = parseExact(Buffer.from(query));
  return {
    headers: new Map(headers),
    query: isObject(parsed) ? parsed : emptyObject,
    expiresAt: asyncScheduler.now() + lifetime,
    isOfOther: true,
    conceal: (store) => concealIn(store, secrets),
  };
}

function concealIn(store: Pick<Secrets, 'scope'>, secrets: readonly string[]): () => void {
  const { add, close } = store.scope();
  for (const secret of secrets) add(secret);
  return close;
}
