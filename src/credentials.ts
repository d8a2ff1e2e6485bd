/** The credential stream of an API: what every request waits for before it goes out. */
import { concatMap, defer, type Observable } from 'rxjs';
import { inTurn } from '../operators/in-turn.js';
import { renewing } from '../operators/renewing.js';
import { emptyObject } from './exact.js';
import { noHeaders } from './headers.js';
import type { Authentication, Credentials, LoginReply, LoginRequest } from './types.js';

export interface CredentialStream {
  /** Runs one request with credentials that are valid when it starts; they are empty where nobody logs in. */
  spend<T>(request: (credentials: Credentials) => Observable<T>, onWait?: OnWait): Observable<T>;
}

/** What a request goes out with where there is no login. */
const noCredentials: Credentials = { headers: noHeaders, query: emptyObject, expiresAt: Number.POSITIVE_INFINITY };

/** Hears what a request is about to wait for: its turn to log in, or the login. */
type OnWait = (what: 'turn' | 'login') => void;

/**
 * Shares one login among all requests until it expires, one login under way at most.
 * With `renewal: 'each request'` nothing is shared: login and request are one piece, and pieces take turns. Seed 5.4, decisions 4 and 5.
 */
export function createCredentials(
  { login }: Pick<Authentication, 'login'>,
  send: (request: LoginRequest) => Observable<LoginReply>,
): CredentialStream {
  if (login === undefined) return { spend: (request) => request(noCredentials) };

  const obtain = login.obtain(send);
  if (login.renewal === 'each request') {
    const turn = inTurn();
    return {
      spend: (request, onWait) => {
        const piece = telling(onWait, 'login', obtain.pipe(concatMap(request)));
        return telling(onWait, 'turn', turn(piece));
      },
    };
  }
  const { value } = renewing(obtain);
  return { spend: (request, onWait) => telling(onWait, 'login', value.pipe(concatMap(request))) };
}

const telling = <T>(onWait: OnWait | undefined, what: 'turn' | 'login', source: Observable<T>): Observable<T> =>
  defer(() => {
    onWait?.(what);
    return source;
  });
