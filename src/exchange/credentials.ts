/** The credential stream of an API: what every request waits for before it goes out. */
import { asyncScheduler, catchError, concatMap, defer, type Observable, tap, throwError } from 'rxjs';
import { inTurn } from '../../operators/in-turn.js';
import { renewing } from '../../operators/renewing.js';
import { ExtractError } from '../errors.js';
import { emptyObject } from '../exact.js';
import { noHeaders } from '../request/headers.js';
import type { Authentication, Credentials, LoginReply, LoginRequest } from '../types.js';

export interface CredentialStream {
  /** Runs one request with credentials that are valid when it starts; they are empty where nobody logs in. */
  spend<T>(request: (credentials: Credentials) => Observable<T>, onWait?: OnWait): Observable<T>;
}

/** What a request goes out with where there is no login. */
const noCredentials: Credentials = { headers: noHeaders, query: emptyObject, expiresAt: Number.POSITIVE_INFINITY };

/** Hears what a request is about to wait for: its turn to log in, or the login. */
type OnWait = (what: 'turn' | 'login') => void;

/**
 * Shares one login among all requests until it expires or is refused, one login under way at most.
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
  return shared(obtain);
}

/** So often one request is asked again: who refuses every token refuses for another reason. */
const mostReplays = 5;

/** So often because its credentials had expired by the time they were refused: they live no longer than a request takes. */
const mostLate = 20;

/** One login for all, and another when the API refuses what it gave, though it has not expired yet. */
function shared(obtain: Observable<Credentials>): CredentialStream {
  const { value, invalidate } = renewing(obtain);
  const refusals = createRefusals(invalidate);
  return {
    spend<T>(request: (credentials: Credentials) => Observable<T>, onWait?: OnWait) {
      const attempt = (replays: number, late: number): Observable<T> =>
        telling(onWait, 'login', value).pipe(
          concatMap((credentials) =>
            request(credentials).pipe(
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

interface Refusals {
  accept(credentials: Credentials): void;
  /** Unless it is for good, the request is worth asking again, and what was refused serves nobody any more. */
  refuse(credentials: Credentials): 'late' | 'early' | 'for good';
}

/**
 * What was accepted before has been revoked; what many were refused with is renewed once. Credentials that are refused as soon as they
 * are used, twice running, are worth no third login; those that have expired meanwhile prove nothing.
 */
function createRefusals(invalidate: (stale: Credentials) => void): Refusals {
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
