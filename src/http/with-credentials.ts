/** The credential stream of an API: what every request waits for before it goes out. */
import { asyncScheduler, catchError, concatMap, defer, finalize, type Observable, tap, throwError } from 'rxjs';
import { inTurn } from '../../operators/in-turn.js';
import { renewing } from '../../operators/renewing.js';
import type { Authenticator, Credentials, LoginReply, LoginRequest } from '../auth/types.js';
import { ExtractError } from '../core/errors/errors.js';
import { emptyObject } from '../core/json/exact.js';
import { noHeaders } from '../core/url/headers.js';

export interface CredentialProvider {
  /** Runs one request with credentials that are valid when it starts; they are empty where nobody logs in. */
  use<T>(request: (credentials: Credentials) => Observable<T>, onWait?: OnWait): Observable<T>;
}

/** What a request goes out with where there is no login. */
const noCredentials: Credentials = { headers: noHeaders, query: emptyObject, expiresAt: Number.POSITIVE_INFINITY };

/** Hears what a request is about to wait for: its turn to log in, or the login. */
type OnWait = (what: 'turn' | 'login') => void;

/**
 * Shares one login among all requests until it expires or is refused, one login under way at most. With `renewal: 'each
 * request'` nothing is shared: login and request are one piece, and pieces take turns. docs/03-login.md#expiry,
 * docs/03-login.md#a-login-before-every-request.
 */
export function createCredentials(
  { login }: Pick<Authenticator, 'login'>,
  send: (request: LoginRequest) => Observable<LoginReply>,
): CredentialProvider {
  if (login === undefined) return { use: (request) => request(noCredentials) };

  const obtain = login.obtain(send);
  if (login.renewal === 'each request') {
    const turn = inTurn();
    return {
      use: (request, onWait) => {
        const once = (credentials: Credentials) => request(credentials).pipe(finalize(() => credentials.release?.()));
        const piece = telling(onWait, 'login', obtain.pipe(concatMap(once)));
        return telling(onWait, 'turn', turn(piece));
      },
    };
  }
  return shared(obtain);
}

interface InUse {
  /** These are the latest now. */
  replaceBy(credentials: Credentials): void;
  /** The request goes out with them. */
  during<T>(credentials: Credentials, request: (credentials: Credentials) => Observable<T>): Observable<T>;
}

/** Releases credentials when others have replaced them and the last request with them is over. */
function createInUse(): InUse {
  const requests = new Map<Credentials, number>();
  let latest: Credentials | undefined;
  const release = (credentials: Credentials | undefined) => {
    if (credentials !== undefined && credentials !== latest && !requests.has(credentials)) credentials.release?.();
  };
  const count = (credentials: Credentials, more: 1 | -1) => {
    const left = (requests.get(credentials) ?? 0) + more;
    if (left > 0) requests.set(credentials, left);
    else requests.delete(credentials);
  };
  return {
    replaceBy(credentials) {
      const last = latest;
      latest = credentials;
      release(last);
    },
    during: (credentials, request) =>
      defer(() => {
        count(credentials, 1);
        return request(credentials).pipe(
          finalize(() => {
            count(credentials, -1);
            release(credentials);
          }),
        );
      }),
  };
}

/** So often one request is asked again: who refuses every token refuses for another reason. */
const mostReplays = 5;

/**
 * So often because its credentials had expired by the time they were refused: they live no longer than a request takes.
 */
const mostLate = 20;

/** One login for all, and another when the API refuses what it gave, though it has not expired yet. */
function shared(obtain: Observable<Credentials>): CredentialProvider {
  const inUse = createInUse();
  const { value, invalidate } = renewing(obtain.pipe(tap(inUse.replaceBy)));
  const refusals = createRefusals(invalidate);
  return {
    use<T>(request: (credentials: Credentials) => Observable<T>, onWait?: OnWait) {
      const attempt = (replays: number, late: number): Observable<T> =>
        telling(onWait, 'login', value).pipe(
          concatMap((credentials) =>
            inUse.during(credentials, request).pipe(
              tap(() => refusals.accept(credentials)),
              catchError((thrown) => {
                if (!isRefusal(thrown) || replays >= mostReplays || late >= mostLate) return throwError(() => thrown);
                const refused = refusals.refuse(credentials);
                if (refused === 'for good') return throwError(() => thrown);
                return refused === 'late' ? attempt(replays, late + 1) : attempt(replays + 1, late);
              }),
            ),
          ),
        );
      return attempt(0, 0);
    },
  };
}

interface RejectionPolicy {
  accept(credentials: Credentials): void;
  /** Unless it is for good, the request is worth asking again, and what was refused serves nobody any more. */
  refuse(credentials: Credentials): 'late' | 'early' | 'for good';
}

/**
 * What was accepted before has been revoked; what many were refused with is renewed once. Credentials that are refused
 * as soon as they are used, twice running, are worth no third login; those that have expired meanwhile prove nothing.
 */
function createRefusals(invalidate: (stale: Credentials) => void): RejectionPolicy {
  const accepted = new WeakSet<Credentials>();
  const refused = new WeakSet<Credentials>();
  let atFirstUse = 0;
  return {
    accept(credentials) {
      accepted.add(credentials);
      atFirstUse = 0;
    },
    refuse(credentials) {
      const isLate = asyncScheduler.now() >= credentials.expiresAt;
      const isKnown = isLate || accepted.has(credentials) || refused.has(credentials);
      refused.add(credentials);
      if (!isKnown) atFirstUse += 1;
      if (!isKnown && atFirstUse > 1) return 'for good';
      invalidate(credentials);
      return isLate ? 'late' : 'early';
    },
  };
}

const isRefusal = (thrown: unknown): boolean => thrown instanceof ExtractError && thrown.where.refused === true;

const telling = <T>(onWait: OnWait | undefined, what: 'turn' | 'login', source: Observable<T>): Observable<T> =>
  defer(() => {
    onWait?.(what);
    return source;
  });
