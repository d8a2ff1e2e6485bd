/** The contract of authentication types. */
import type { Observable } from 'rxjs';
import type { Exact, ExactObject } from '../core/json/exact.js';
import type { Headers, HttpRequest, PageRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';

/** What a login gave. `expiresAt` in epoch ms; Infinity: never. */
export interface Credentials {
  readonly headers: Headers;
  readonly query: ExactObject;
  readonly expiresAt: number;
  /**
   * To be called when others have replaced them and the last request with them is over: the secrets of the login may be
   * forgotten.
   */
  readonly release?: () => void;
  /** Makes the secrets of the login known to another store as well, until what it returns is called. */
  readonly conceal?: (secrets: Pick<Secrets, 'scope'>) => () => void;
}

/** The reply to a login request, its body whole. Status is below 400, or one that the login takes. */
export interface LoginReply {
  readonly status: number;
  readonly body: Uint8Array;
}

/** The login request before encoding: only what `loginRequest` says, expressions evaluated. */
export type LoginRequest = PageRequest;

/** An authentication type at work. */
export interface Authenticator {
  /** Endpoints that the configuration names for this type; the origins of absolute ones are trusted. */
  readonly endpoints: readonly string[];
  /** Absent: all that a request needs is in the configuration. */
  readonly login?: Login;
  /**
   * Puts credentials on a request: asked anew for each attempt and each hop. Pure but for clock and nonce. Throws
   * ERR_FUNCTION.
   */
  authorize(request: HttpRequest, credentials: Credentials): HttpRequest;
}

/** One that logs in. */
export interface LoginAuthenticator extends Authenticator {
  readonly login: Login;
}

/**
 * Answers by which credentials are refused: of these statuses, all of them errors, or of any status with this text at
 * the beginning.
 */
export interface RejectionRule {
  readonly statuses: ReadonlySet<number>;
  readonly text?: string;
}

/** By what logins are known to be the same. It holds secrets. */
export interface LoginSharing {
  /** Iterations share the login: `api.authentication.shared`. */
  readonly isShared: boolean;
  /** The request as it is sent first. */
  readonly request: LoginRequest;
  /** All else that the credentials depend on. */
  readonly others: Exact;
}

/** How credentials are got. `obtain` is cold: each subscription logs in once. */
export interface Login {
  /** `each request`: never shared, and login and request are one critical section. */
  readonly renewal: 'once' | 'on expiry' | 'each request';
  /** Statuses of 400 and more whose replies `obtain` reads itself; where they are tried again, the last one. */
  readonly takes?: ReadonlySet<number>;
  /** Absent: its credentials are never shared with another client. */
  readonly sharing?: LoginSharing;
  /** How the API says that it refuses what `obtain` gave; absent: by 401. */
  readonly refusal?: RejectionRule;
  obtain(login: (request: LoginRequest) => Observable<LoginReply>): Observable<Credentials>;
}
