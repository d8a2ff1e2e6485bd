/** The one error class and the table of its codes; the reference is generated from that table. */

interface ErrorText {
  readonly cause: string;
  readonly remedy: string;
}

export const errorCodes = {
  ERR_CONFIG: {
    cause: 'The configuration breaks a rule of the language; every fault found is listed at once.',
    remedy:
      'Mend the paths that the message names; `rxtract help configuration` tells every key. Nothing has been requested yet.',
  },
  ERR_CONFIG_SYNTAX: {
    cause: 'The configuration file is missing, unreadable or no JSON (comments are allowed).',
    remedy: 'Check the path, or mend the file at the line and column that the message names.',
  },
  ERR_DATA_FOLDER: {
    cause: 'The data folder has no `config.json`, or one that cannot be read or is no JSON. The exit code is 2.',
    remedy: 'Check the path of the folder, or mend the file at the line and column that the message names.',
  },
  ERR_USAGE: {
    cause: 'The command line or the options of a call name something that does not exist.',
    remedy: 'See `rxtract --help`.',
  },
  ERR_FUNCTION: {
    cause: 'A function expression failed: wrong arguments, or a reference that names nothing.',
    remedy:
      'Check the arguments of the function (`rxtract help functions`), and that the key or path it refers to exists and is not null.',
  },
  ERR_REQUEST: {
    cause:
      'No request can be made: its address is no http or https address, or a header holds what no header may hold.',
    remedy: 'Check the endpoint, the next link or the header that the message names.',
  },
  ERR_STATUS: {
    cause: 'The API answered with a status of 400 or more, and retrying was not allowed or did not help.',
    remedy:
      'For 401 and 403 check the credentials; for 404 the `endpoint`, and that `baseUrl` ends with a slash; for 429 and 5xx raise `api.retryConfig.maxRetries` or run later. The message shows the start of the answer.',
  },
  ERR_TRANSPORT: {
    cause: 'The connection failed: no address, refused, reset, timed out, or TLS could not be agreed.',
    remedy:
      'Check the address and the network; `api.retryConfig` says which failures are tried again. Proxies that the environment names (HTTPS_PROXY and its like) are used with `--proxy env` only.',
  },
  ERR_PROXY: {
    cause:
      'The proxy of `--proxy` (in code `proxy`) cannot be reached, does not know its user, or does not connect to the host.',
    remedy:
      'Check its address, its kind (http, https, socks5), its user and password; ask who runs it whether it may connect to this host and port. With `--proxy env`, `NO_PROXY` lists hosts that are asked directly.',
  },
  ERR_TUNNEL: {
    cause: 'The SSH tunnel of `sshProxy` could not be opened, or its server does not forward.',
    remedy:
      'Check `host`, `port`, `user` and key, also with `ssh -p PORT USER@HOST`; the server must allow forwarding (AllowTcpForwarding, PermitOpen). For a host key that differs find out who answers before `hostFingerprint` is changed.',
  },
  ERR_BODY_CUT: {
    cause: 'The body ended before it was complete, in every attempt that `api.retryConfig` allowed.',
    remedy:
      'Run again later; where it is always the large pages that break, ask for smaller ones. `curl.codes` of `api.retryConfig` must list 18 for another attempt.',
  },
  ERR_PAGE_CHANGED: {
    cause:
      'A page that broke off came again with other items than those that the sink had taken of it and cannot give back.',
    remedy:
      'Use a sink that can take back (ndjson), or have the API sort its items and leave out what changes with each request.',
  },
  ERR_JSON: {
    cause: 'The body is no valid JSON; the message gives the byte offset.',
    remedy: 'Ask the API for JSON; where the message shows the start of the body, it is a page of another kind.',
  },
  ERR_UTF8: {
    cause: 'The body holds bytes that are no UTF-8; the message gives the byte offset.',
    remedy: 'Ask the API for UTF-8.',
  },
  ERR_DEPTH: {
    cause: 'The body nests deeper than 512 levels.',
    remedy: 'No setting lifts this limit; ask the API for a flatter document.',
  },
  ERR_BODY_SIZE: {
    cause:
      'A body is larger than the cap on a body, or has grown to more than 64 MiB and 1,000 times its compressed size.',
    remedy:
      'Ask for smaller pages; `--max-body-bytes`, in code `maxBodyBytes`, is the cap. Where an answer truly says so little, have it sent uncompressed: a header `Accept-Encoding: identity` asks for that.',
  },
  ERR_ITEM_SIZE: {
    cause: 'One item is larger than the cap on an item.',
    remedy:
      'Choose a `dataField` that leads to smaller items; `--max-item-bytes`, in code `maxItemBytes`, raises the cap.',
  },
  ERR_DATA_FIELD: {
    cause: 'No single list of items can be told: several top-level arrays, or a body that is a bare scalar.',
    remedy: 'Set `dataField` to the path of the items.',
  },
  ERR_FILTER: {
    cause:
      'An item does not fit a filter of its job: no list where `responseFilter` has `[]`, or a list or an object that `recursionFilter` would compare.',
    remedy: 'Compare the path that the message names with an item of the response.',
  },
  ERR_PLACEHOLDER: {
    cause: 'A placeholder of a child job has no value in an item of its parents, or none that an address can hold.',
    remedy:
      'Compare the path of the placeholder with an item of the parent job that its level names; `recursionFilter` can leave out items without a value.',
  },
  ERR_LOGIN: {
    cause:
      'The reply to the login request is not what `format`, `apiRequest` or `expires` expect; with `oauth2`, it holds no token.',
    remedy:
      'Compare the paths in `apiRequest` and `expires.response`, or the keys of `oauth2`, with what the message says of the reply.',
  },
  ERR_REDIRECT: {
    cause: 'More than 5 redirects, or one that cannot be followed.',
    remedy: 'Use the final address in the configuration.',
  },
  ERR_ORIGIN: {
    cause: 'Credentials would have had to cross to an origin that the configuration does not name.',
    remedy: 'If that origin may have them, list it in `api.http.credentialOrigins`.',
  },
  ERR_HOST: {
    cause:
      'A next link, a redirect or a placeholder leads to an address that `image_parameters.allowed_hosts` does not list.',
    remedy: 'If requests may go there, list it in `image_parameters.allowed_hosts`.',
  },
  ERR_PAGINATION: {
    cause:
      'A response does not hold what the pagination method reads in it: an id that is no number, a link that is no text, a last item without its key.',
    remedy: 'Compare the paths of `api.pagination` with a response of the API.',
  },
  ERR_LOOP: {
    cause:
      'The API goes round in a circle: a sequence of pages, or of their items, was served a second time in full, or ten pages in a row had the items of the page before them, or a page of `keyset` leads to the key that it was asked for with.',
    remedy:
      'Check the pagination; the message names the pages or the parameter. Where items may come again, set `allowRepeatedItems` in the job or its pagination.',
  },
  ERR_SINK: {
    cause: 'The sink could not take, keep or publish what it was given.',
    remedy:
      'Mend what the message names (a full disk, a missing permission, a closed pipe) and run again; with `--state` and `--resume` it goes on there.',
  },
  ERR_ROLLBACK: {
    cause: 'A page had to be taken back, but its sink cannot take anything back.',
    remedy: 'Use a sink that can (ndjson), or an API whose pages are unambiguous.',
  },
  ERR_STRICT: {
    cause: 'A warning came up under --strict.',
    remedy: 'Mend its cause (`rxtract help warnings` tells every code), run with `--allow CODE`, or without --strict.',
  },
  ERR_STATE: {
    cause: 'What a run keeps in `--state` cannot be kept or read, or another run is using it.',
    remedy:
      'Where another run has it, wait for that or give each its own `--state`. Else mend what the message names, as a full disk or a missing permission, and go on with `--resume`.',
  },
  ERR_RESUME: {
    cause:
      'A run cannot go on where it was broken off: its configuration, window, sinks or version are others, or its output was changed meanwhile.',
    remedy:
      'Bring back what the message names, or start afresh: run without `--resume`. Secrets, retries, time-outs and rates may differ.',
  },
  ERR_ABORTED: {
    cause: 'The run was interrupted.',
    remedy: 'Run again; where it keeps a state (`--state`), with `--resume`.',
  },
  ERR_INTERNAL: {
    cause: 'A fault of rxtract itself.',
    remedy: 'Please report it with the message.',
  },
} satisfies Record<string, ErrorText>;

/** Ends the message for whoever lacks the package. */
export const installSsh2 = 'npm install ssh2';

/** Ends the message of an answer that asked to be left alone for longer than the configuration waits. */
export const longerThanAllowed = 'that `api.retryConfig.maxDelay` allows';
const waitRemedy =
  'Run again when that time is over, or raise `api.retryConfig.maxDelay` so that the run waits for it.';

/** The number that curl gives it. */
const timeOut = 28;
const timeOutRemedy =
  'See whether the API answers at all, say with curl. Where it is slow, raise the time that the message names, or ask for smaller pages.';

/** What to do about an error: more than its code says where its place tells more. */
export function remedyFor({ code, message, where, cause }: ExtractError): string {
  if (message.endsWith(longerThanAllowed)) return waitRemedy;
  if (code === 'ERR_TRANSPORT' && where.transport === timeOut) return timeOutRemedy;
  if (where.absentSince !== undefined && code === 'ERR_TRANSPORT') return absentRemedy;
  if (where.refused === true) return refusedRemedy;
  if (code === 'ERR_STATUS' && where.status !== undefined) return statusRemedy(where.status, where.login === true);
  if (code === 'ERR_TUNNEL' && message.endsWith(installSsh2)) return `Install it beside rxtract: \`${installSsh2}\`.`;
  const isUnread = code === 'ERR_CONFIG_SYNTAX' && cause instanceof Error && 'errno' in cause;
  return isUnread ? 'Check the path: it must lead to a file that may be read.' : errorCodes[code].remedy;
}

const absentRemedy =
  'Check host and port of the address, and that the server runs. A server that starts later than 10 seconds after the run is waited for with an `api.retryConfig.maxRetries` of your own.';

const refusedRemedy = 'Check the credentials, and that they may read this.';

function statusRemedy(status: number, isLogin: boolean): string {
  const request = isLogin ? '`loginRequest` (with `oauth2` the `tokenEndpoint`)' : 'the job';
  if (isLogin && [400, 401, 403, 422].includes(status)) {
    return 'Check the credentials, and the names of the parameters and headers that `loginRequest` sends.';
  }
  if (status === 401 || status === 403) return refusedRemedy;
  if (status === 404 || status === 410) {
    return `Check the \`endpoint\` of ${request}, and \`baseUrl\`: without a slash at its end its last segment is replaced.`;
  }
  if (status === 408 || status === 429 || status >= 500) {
    return 'The API is busy or broken: run again later, or let `api.retryConfig` try more often (`maxRetries`, `http.codes`).';
  }
  return `Compare method, parameters and headers of ${request} with what the API expects; the message shows the start of its answer.`;
}

export type ErrorCode = keyof typeof errorCodes;

/**
 * One fault of a configuration. `path` is dotted from the document's root; the message never holds a secret's value.
 */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/**
 * Where a run-time error happened. `request` is already masked; `page` counts from 0; `offset` is in bytes of the
 * decoded body.
 */
export interface Where {
  readonly job?: string;
  /** Of the expression that failed, in the configuration; the message begins with it. */
  readonly path?: string;
  readonly page?: number;
  readonly request?: string;
  readonly offset?: number;
  readonly status?: number;
  /** The transport failure by the number curl gives it; `retryConfig.curl.codes` lists such numbers. */
  readonly transport?: number;
  /** Since when no connection to the origin was made, in epoch ms: it has not answered once in this run. */
  readonly absentSince?: number;
  /** Nothing of the request went out. */
  readonly unsent?: true;
  /** What the answer said about when to come again: the value of the configured retry header. */
  readonly retryAfter?: string;
  /** The answer says that the credentials of the request are not, or no longer, good. */
  readonly refused?: true;
  /** It was the request of a login. */
  readonly login?: true;
  /** Items of the failed page stay in the sink, because it cannot take them back. */
  readonly kept?: true;
  /** The request had its attempts: nothing above tries it again. */
  readonly final?: true;
}

export interface ExtractErrorOptions extends Where {
  readonly cause?: unknown;
  readonly problems?: readonly Problem[];
}

/** What every failure of rxtract is thrown as: a stable code, a masked message, and the place. */
export class ExtractError extends Error {
  override readonly name = 'ExtractError';
  readonly code: ErrorCode;
  readonly where: Where;
  readonly problems: readonly Problem[];

  constructor(code: ErrorCode, message: string, { cause, problems = [], ...where }: ExtractErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.where = where;
    this.problems = problems;
  }

  /** Copies the error with a place added; what it knew already stays. */
  at(where: Where): ExtractError {
    return new ExtractError(this.code, this.message, {
      ...where,
      ...this.where,
      problems: this.problems,
      cause: this.cause,
    });
  }
}

/** Turns whatever was thrown into an ExtractError; what is none becomes `code` with the thrown value as its cause. */
export function asExtractError(thrown: unknown, code: ErrorCode = 'ERR_INTERNAL'): ExtractError {
  if (thrown instanceof ExtractError) return thrown;
  return new ExtractError(code, thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}
