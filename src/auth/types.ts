/** The contract of authentication types. */
import type { Observable } from 'rxjs';
import type { Exact, ExactObject } from '../core/json/exact.js';
import type { Notify } from '../core/model/notice.js';
import type { Headers, HttpRequest, PageRequest } from '../core/model/request.js';
import type { RequestsWatch } from '../core/model/request-watch.js';
import type { Secrets } from '../core/model/secrets.js';
import type { RefreshTokens, TokenStore } from './refresh-tokens.js';

/** The result of a login. `expiresAt` in epoch ms; Infinity: never. */
export interface Credentials {
  readonly headers: Headers;
  readonly query: ExactObject;
  readonly expiresAt: number;
  /**
   * Called when the credentials were replaced and the last request with them has ended: their secrets may be forgotten.
   */
  readonly release?: () => void;
  /** Adds the secrets of the login to another store too, until the returned function is called. */
  readonly conceal?: (secrets: Pick<Secrets, 'scope'>) => () => void;
  /** Another broker has logged in. */
  readonly isOfOther?: true;
}

/** The response to a login request with its complete body. Its status is below 400, or one of `takes`. */
export interface LoginReply {
  readonly status: number;
  readonly body: Uint8Array;
}

/** The login request before encoding: `loginRequest` with its expressions evaluated. */
export interface LoginRequest extends PageRequest {
  /** Follows the requests of the login; absent: nothing does. */
  readonly watch?: RequestsWatch;
}

/** An authentication type with its options. */
export interface Authenticator {
  /** Endpoints that the configuration names for this type; the origins of absolute ones are trusted. */
  readonly endpoints: readonly string[];
  /** Absent: the configuration contains everything that a request needs. */
  readonly login?: Login;
  /**
   * Adds credentials to a request; called for each attempt and each hop. Pure except for clock and nonce. Throws
   * ERR_FUNCTION.
   */
  authorize(request: HttpRequest, credentials: Credentials): HttpRequest;
}

/** A type that logs in. */
export interface LoginAuthenticator extends Authenticator {
  readonly login: Login;
}

/**
 * Responses that reject credentials: those with one of these error statuses, or with this text at the start, whatever
 * their status.
 */
export interface RejectionRule {
  readonly statuses: ReadonlySet<number>;
  readonly text?: string;
}

/** Identifies equal logins. Contains secrets. */
export interface LoginSharing {
  /** Iterations share the login: `api.authentication.shared`. */
  readonly isShared: boolean;
  /** The first request. */
  readonly request: LoginRequest;
  /** Everything else that the credentials depend on. */
  readonly others: Exact;
}

/** A login before its first request: the request, and the names of what it adds to others, each with its path. */
export interface LoginOutline {
  readonly request: LoginRequest;
  /** The path of the request in the document. */
  readonly path: string;
  /** It is written there, with `params` and `headers`; absent: the type makes it. */
  readonly isWritten?: true;
  readonly headers: ReadonlyMap<string, string>;
  readonly query: ReadonlyMap<string, string>;
}

/** How to get credentials. `obtain` is cold: each subscription logs in once. */
export interface Login {
  /** `each request`: never shared; login and request form one critical section. */
  readonly renewal: 'once' | 'on expiry' | 'each request';
  /** Error statuses whose responses `obtain` reads itself, after retries. */
  readonly takes?: ReadonlySet<number>;
  /** Absent: credentials are never shared with another client. */
  readonly sharing?: LoginSharing;
  /** How the API rejects credentials; absent: with 401. */
  readonly refusal?: RejectionRule;
  /** What is known of it before its first request; absent: nothing. */
  readonly outline?: LoginOutline;
  /** How a user gives the first refresh token; absent: nothing keeps it. */
  readonly consent?: Consent;
  obtain(login: (request: LoginRequest) => Observable<LoginReply>): Observable<Credentials>;
}

/** How a user gives the first refresh token of one client. */
export interface Consent {
  /** Absolute, or relative to the base URL; absent: the configuration names none. */
  readonly authorizationEndpoint?: string | undefined;
  readonly deviceEndpoint?: string | undefined;
  /** The parameters of an authorization request: the client, and what it asks for. */
  readonly params: ReadonlyMap<string, string>;
  deviceRequest(endpoint: string): LoginRequest;
  /** The members of a response of the device endpoint. Throws ERR_LOGIN. */
  readDevice(reply: LoginReply): DeviceCode;
  /** Exchanges what the user has approved: `grant` has the grant type and its parameters. */
  tokenRequest(grant: ReadonlyMap<string, string>): LoginRequest;
  /** Why there is no token yet; undefined: the reply is final. */
  pending(reply: LoginReply): 'authorization_pending' | 'slow_down' | undefined;
  /** Stores the refresh token of a reply; emits when it is on the disk. Throws ERR_LOGIN if the reply has none. */
  keep(reply: LoginReply): Observable<void>;
  readonly secrets: Secrets;
}

/** What the user of a device is shown, and what the device sends meanwhile. Times in seconds. */
export interface DeviceCode {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly address: string;
  readonly interval: number;
}

export interface AuthContext {
  /** The `config` section, for `attr` references. */
  readonly attr: ExactObject;
  /** The `authorization` section of the document; empty if absent. docs/reference/authentication.md#oauth10. */
  readonly authorization: ExactObject;
  /** Returns 16 hexadecimal digits, new on each call. */
  readonly nonce: () => string;
  /** The current time for functions in a login request, in epoch ms; absent: the time of the call. */
  readonly preparedAt?: number;
  /** Shared by all iterations. */
  readonly refreshTokens: RefreshTokens;
  /** Opens the store at a path; absent: refresh tokens are kept in `refreshTokens`, as in a replay. */
  readonly tokenStore?: (path: string) => TokenStore;
  /** Keeps the refresh tokens of options without a `tokenStore`; absent: `refreshTokens` does. */
  readonly sharedTokens?: TokenStore;
  readonly secrets: Secrets;
  readonly notify: Notify;
}
