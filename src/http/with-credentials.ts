/** The credential stream of an API: every request waits for valid credentials. */
import {
  asyncScheduler,
  catchError,
  concatMap,
  defer,
  finalize,
  identity,
  NEVER,
  type Observable,
  tap,
  throwError,
} from 'rxjs';
import { inTurn } from '../../operators/in-turn.js';
import { renewing } from '../../operators/renewing.js';
import type { Authenticator, Credentials, LoginReply, LoginRequest } from '../auth/types.js';
import { ExtractError } from '../core/errors/errors.js';
import { emptyObject } from '../core/json/exact.js';
import type { Secrets } from '../core/model/secrets.js';
import { noHeaders } from '../core/url/headers.js';

export interface CredentialProvider {
  /** Runs one request with credentials that are valid when it starts; empty ones without a login. */
  use<T>(request: (credentials: Credentials) => Observable<T>, onWait?: OnWait): Observable<T>;
  /** Ends the use: the provider may forget the secrets of a login that is not shared. */
  end(): void;
}

/** One login, shared by all clients that hold it. */
export interface CredentialHolder {
  /** As `CredentialProvider.use`; without valid credentials the client logs in with `obtain`. */
  use<T>(
    obtain: Observable<Credentials>,
    request: (credentials: Credentials) => Observable<T>,
    onWait?: OnWait,
  ): Observable<T>;
  end(): void;
}

/** A login that a client shares with others. */
export interface SharedLogin {
  /** Called with the first request. */
  readonly holder: () => CredentialHolder;
  /** The secret store of the client: it receives the secrets of a login that another client made. */
  readonly secrets: Pick<Secrets, 'scope'>;
}

/** The credentials of a request without a login. */
const noCredentials: Credentials = { headers: noHeaders, query: emptyObject, expiresAt: Number.POSITIVE_INFINITY };

/** Called before a request waits: for its turn to log in, or for the login. */
type OnWait = (what: 'turn' | 'login') => void;

/**
 * Shares one login among all requests until it expires or is rejected, with at most one login at a time. With `renewal:
 * 'each request'` nothing is shared: each request logs in first, and such pairs take turns. docs/02-login.md#expiry,
 * docs/02-login.md#a-login-before-every-request.
 */
export function createCredentials(
  { login }: Pick<Authenticator, 'login'>,
  send: (request: LoginRequest) => Observable<LoginReply>,
  sharedLogin?: SharedLogin,
): CredentialProvider {
  const end = () => {};
  if (login === undefined) return { use: (request) => request(noCredentials), end };

  const obtain = login.obtain(send);
  if (login.renewal === 'each request') {
    const turn = inTurn();
    return {
      use: (request, onWait) => {
        const once = (credentials: Credentials) => request(credentials).pipe(finalize(() => credentials.release?.()));
        const piece = telling(onWait, 'login', obtain.pipe(concatMap(once)));
        return telling(onWait, 'turn', turn(piece));
      },
      end,
    };
  }
  if (sharedLogin !== undefined) return joined(obtain, sharedLogin);
  const own = createCredentialHolder();
  return { use: (request, onWait) => own.use(obtain, request, onWait), end: own.end };
}

/** A client of a shared login. Its own store masks the secrets of the login while it uses the credentials. */
function joined(obtain: Observable<Credentials>, { holder, secrets }: SharedLogin): CredentialProvider {
  let shared: CredentialHolder | undefined;
  const closers = new Map<Credentials, () => void>();
  const inUse = createInUse((credentials) => {
    closers.get(credentials)?.();
    closers.delete(credentials);
  });
  return {
    use<T>(request: (credentials: Credentials) => Observable<T>, onWait?: OnWait) {
      shared ??= holder();
      const knowing = (credentials: Credentials) => {
        if (credentials.conceal !== undefined && !closers.has(credentials)) {
          closers.set(credentials, credentials.conceal(secrets));
        }
        inUse.replaceBy(credentials);
        return inUse.during(credentials, request);
      };
      return shared.use(obtain, knowing, onWait);
    },
    end: () => inUse.replaceBy(undefined),
  };
}

interface InUse {
  /** Sets the latest credentials; undefined: none. */
  replaceBy(credentials: Credentials | undefined): void;
  /** Runs the request with these credentials. */
  during<T>(credentials: Credentials, request: (credentials: Credentials) => Observable<T>): Observable<T>;
}

/** Releases credentials after others have replaced them and their last request has ended. */
function createInUse(onRelease: (credentials: Credentials) => void): InUse {
  const requests = new Map<Credentials, number>();
  let latest: Credentials | undefined;
  const release = (credentials: Credentials | undefined) => {
    if (credentials !== undefined && credentials !== latest && !requests.has(credentials)) onRelease(credentials);
  };
  const count = (credentials: Credentials, more: 1 | -1) => {
    const left = (requests.get(credentials) ?? 0) + more;
    if (left > 0) requests.set(credentials, left);
    else requests.delete(credentials);
  };
  return {
    replaceBy(credentials) {
      if (credentials === latest) return;
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

/** The maximum number of replays of one request: an API that rejects every token has another reason. */
const mostReplays = 5;

/** The maximum number of replays after an expiry: such credentials live no longer than a request takes. */
const mostLate = 20;

/** Replaces a login by that of another broker, if there is one. */
export type ShareLogin = (login: Observable<Credentials>) => Observable<Credentials>;

/**
 * Creates a holder: one login for all, and a new one when the API rejects credentials before their expiry. `share`:
 * shares its logins with other holders; absent: it has its own.
 */
export function createCredentialHolder(share: ShareLogin = identity): CredentialHolder {
  const inUse = createInUse((credentials) => credentials.release?.());
  const logins = createLogins(inUse.replaceBy, share);
  const refusals = createRefusals(logins.invalidate);
  return {
    use<T>(
      obtain: Observable<Credentials>,
      request: (credentials: Credentials) => Observable<T>,
      onWait?: OnWait,
    ): Observable<T> {
      const attempt = (replays: number, late: number): Observable<T> =>
        telling(onWait, 'login', logins.by(obtain)).pipe(
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
    end: () => inUse.replaceBy(undefined),
  };
}

/**
 * The logins of one holder. The client that needs a login first makes it, for all that wait. If that client leaves and
 * its login fails, the next one logs in.
 */
function createLogins(onLogin: (credentials: Credentials) => void, share: ShareLogin) {
  const waiting = new Map<Observable<Credentials>, number>();
  let next: Observable<Credentials> = NEVER;
  let isAbandoned = false;
  const count = (obtain: Observable<Credentials>, more: 1 | -1) => {
    const left = (waiting.get(obtain) ?? 0) + more;
    if (left > 0) waiting.set(obtain, left);
    else waiting.delete(obtain);
  };
  const { value, invalidate } = renewing(
    defer(() => {
      const maker = next;
      isAbandoned = false;
      const error = () => {
        isAbandoned = !waiting.has(maker);
      };
      return share(maker).pipe(tap({ next: onLogin, error }));
    }),
  );
  const by = (obtain: Observable<Credentials>): Observable<Credentials> =>
    defer(() => {
      next = obtain;
      count(obtain, 1);
      return value.pipe(finalize(() => count(obtain, -1)));
    }).pipe(catchError((thrown) => (isAbandoned ? by(obtain) : throwError(() => thrown))));
  return { by, invalidate };
}

interface RejectionPolicy {
  accept(credentials: Credentials): void;
  /** Invalidates rejected credentials and permits a replay, unless the rejection is final. */
  refuse(credentials: Credentials): 'late' | 'early' | 'for good';
}

/**
 * Decides on rejected credentials. Credentials that worked before have been revoked; many rejections of the same ones
 * cause one renewal. Two fresh logins rejected in a row are final. Credentials that have expired meanwhile do not
 * count, nor do those of other brokers, which may have been revoked since.
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
      const isKnown = isLate || credentials.isOfOther === true || accepted.has(credentials) || refused.has(credentials);
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
