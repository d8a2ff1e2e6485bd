/** The table of error codes. The reference page of errors is generated from it. */

interface ErrorText {
  readonly cause: string;
  readonly remedy: string;
}

export const errorCodes = {
  ERR_CONFIG: {
    cause: 'The configuration breaks a rule of the language. All problems are listed at once.',
    remedy: 'Fix the listed keys. `rxtract help configuration` documents each one. No request has been sent.',
  },
  ERR_CONFIG_SYNTAX: {
    cause: 'The configuration file is missing, not readable or not valid JSON (comments are allowed).',
    remedy: 'Check the path, or fix the file at the line and column in the message.',
  },
  ERR_DATA_FOLDER: {
    cause: 'The data folder has no `config.json`, or the file is not readable or not valid JSON. The exit code is 2.',
    remedy: 'Check the path of the folder, or fix the file at the line and column in the message.',
  },
  ERR_USAGE: {
    cause: 'An argument of the command, or an option in code, is unknown or not valid.',
    remedy: 'See `rxtract --help`.',
  },
  ERR_INIT: {
    cause: 'The command `rxtract init` cannot make a configuration from what the API has answered.',
    remedy: 'The message says what to try. Nothing was written. `rxtract init --help` shows what init can read.',
  },
  ERR_FUNCTION: {
    cause: 'A function expression failed: its arguments are wrong, or a reference has no value.',
    remedy:
      'Check the arguments (`rxtract help functions`), and that each referenced key or path exists and is not null.',
  },
  ERR_SHAPE: {
    cause: 'An item differs from the shape of `--shape` (in code `shape`), and `--on-drift` is `fail`.',
    remedy:
      'The message names the member and the item. If the change is right, run once with `--on-drift evolve`, or write the shape anew with `rxtract shape`. With `drop` or `dead-letter` such items are left out. The page has not been committed.',
  },
  ERR_INCREMENTAL: {
    cause:
      'The value of `incremental` cannot be followed: no item has it, values are of different kinds, it goes backwards, or a look-back cannot be subtracted from it.',
    remedy:
      'Check `path` (or `response`, `header`) of `incremental`; set `compare` for mixed values; remove `"order": "asc"` if the API does not sort. What is remembered has not changed.',
  },
  ERR_REQUEST: {
    cause: 'A request is not valid: its URL is not http or https, or a header contains a forbidden character.',
    remedy: 'Check the endpoint, the next link or the header in the message.',
  },
  ERR_STATUS: {
    cause: 'The API responded with a status of 400 or more. Retries were not allowed, or did not help.',
    remedy:
      '401, 403: check the credentials. 404: check the `endpoint`, and that `baseUrl` ends with a slash. 429, 5xx: raise `api.retryConfig.maxRetries`, or run later. The message shows the start of the response.',
  },
  ERR_TRANSPORT: {
    cause: 'The connection failed: host not found, refused, reset, timed out, or TLS failed.',
    remedy:
      'Check the URL and the network. `api.retryConfig` sets which failures are retried. Proxies of the environment (such as HTTPS_PROXY) are used with `--proxy env` only.',
  },
  ERR_PROXY: {
    cause:
      'The proxy of `--proxy` (in code `proxy`) is not reachable, rejects the user, or does not connect to the host.',
    remedy:
      'Check its URL, its type (http, https, socks5), user and password. Ask its administrator whether it allows this host and port. With `--proxy env`, requests to the hosts in `NO_PROXY` use no proxy.',
  },
  ERR_TUNNEL: {
    cause: 'The SSH tunnel of `sshProxy` could not be opened, or its server refuses to forward.',
    remedy:
      'Check `host`, `port`, `user` and key, for example with `ssh -p PORT USER@HOST`. The server must allow forwarding (AllowTcpForwarding, PermitOpen). If the host key differs, find out why before you change `hostFingerprint`.',
  },
  ERR_BODY_CUT: {
    cause: 'The response body was incomplete in every attempt that `api.retryConfig` allows.',
    remedy:
      'Run again later. If only large pages fail, request smaller ones. Such failures are retried only if `curl.codes` of `api.retryConfig` lists 18.',
  },
  ERR_PAGE_CHANGED: {
    cause:
      'A page was requested again and had changed: its first items differ from those already written, and the sink cannot roll back; or, after a crash, a sink has another version of the page, which leads elsewhere.',
    remedy:
      'Use a sink that can roll back (ndjson), or make the API sort its items and omit values that change with each request. After a crash, --on-changed-page again sends the page again.',
  },
  ERR_REPORT: {
    cause:
      'A report of `await` failed, was not done in time, lacks a value that its requests need, or expired after a part of it was written.',
    remedy:
      'Read the message. If the report takes longer, raise `timeout` of `poll`. With `--state` and `--resume` the same report is polled again; a run without `--resume` creates a new one.',
  },
  ERR_RESPONSE: {
    cause: 'A rule of `responseRules` says that a response is a failure. The message begins with the path of the rule.',
    remedy:
      'Read the text of the API in the message. If the rule fits more responses than it should, add keys to its `when`.',
  },
  ERR_JSON: {
    cause: 'The response body is not valid JSON. The message gives the byte offset.',
    remedy:
      'Check that the endpoint returns JSON, or request it with an `Accept` header. If the message shows the start of the body, the response is of another type.',
  },
  ERR_UTF8: {
    cause: 'The response body is not valid UTF-8. The message gives the byte offset.',
    remedy: 'Request UTF-8 from the API.',
  },
  ERR_DECODE: {
    cause:
      'A body cannot be decoded as `response.decode` says: it is truncated, or is not base64, gzip, ZIP or brotli. The message of a ZIP archive names the file.',
    remedy:
      'Compare `decode` and `members` with what the API sends. `Content-Encoding` is undone before, and needs no step.',
  },
  ERR_COLUMNS: {
    cause:
      'Items are arrays, and the list at `response.columns` does not name their values: it is missing, has a name twice, more or fewer names than an item has values, or others than the page before it.',
    remedy: 'Compare `response.columns` and `dataField` of the job with a response, as `rxtract preview` shows it.',
  },
  ERR_CSV: {
    cause:
      'A CSV file is not valid: a row with more or fewer cells than the header, a quote that is never closed, a name twice in the header, or a NUL. The message gives line and cell.',
    remedy:
      'Compare the line with `response` of the job: `delimiter`, `quote`, `header`, `names` and `encoding` say how the file is written.',
  },
  ERR_XML: {
    cause:
      'An XML document is not well-formed, has a document type definition or an entity beyond the five, or another root than `response.element` says. The message gives line and element.',
    remedy:
      'Set `"response": { "format": "xml", "element": PATH }` in the job; the path begins with the root element. If the document is an error of the API, fix the request.',
  },
  ERR_DEPTH: {
    cause: 'The response body is nested deeper than 512 levels.',
    remedy: 'This limit is fixed. Request a flatter document from the API.',
  },
  ERR_BODY_SIZE: {
    cause:
      'A response body exceeds the size limit, or decompresses to more than 64 MiB and 1,000 times its compressed size.',
    remedy:
      'Request smaller pages, or raise `--max-body-bytes` (in code `maxBodyBytes`). If a response is really that repetitive, request it uncompressed with `api.http.acceptEncoding: false`.',
  },
  ERR_ITEM_SIZE: {
    cause: 'An item exceeds the size limit of an item.',
    remedy: 'Set `dataField` to a path with smaller items, or raise `--max-item-bytes` (in code `maxItemBytes`).',
  },
  ERR_DATA_FIELD: {
    cause: 'The list of items is ambiguous: the response has several top-level arrays, or is a single scalar.',
    remedy: 'Set `dataField` to the path of the items.',
  },
  ERR_FILTER: {
    cause:
      'An item does not fit a filter of its job: `responseFilter` has `[]` where the item has no list, or `recursionFilter` compares a list or an object.',
    remedy: 'Compare the path in the message with an item of the response.',
  },
  ERR_PLACEHOLDER: {
    cause: 'A placeholder of a child job has no value in an item of its parents, or a value that a URL cannot contain.',
    remedy:
      'Compare the path of the placeholder with an item of the parent job at its level. `recursionFilter` can skip items without a value.',
  },
  ERR_LOGIN: {
    cause: 'The login response does not fit `format`, `apiRequest` or `expires`, or, with `oauth2`, contains no token.',
    remedy:
      'Compare the paths in `apiRequest` and `expires.response`, or the keys of `oauth2`, with the response that the message describes.',
  },
  ERR_TOKEN_STORE: {
    cause:
      'The file or server in `api.authentication.tokenStore` cannot be read, locked or written, or is something else; or `RXTRACT_KEY` does not fit.',
    remedy:
      'Fix the cause in the message. Use a path on a local disk that survives the run, and that only this configuration uses. No token was used up, unless the message says that a new one could not be written: then log in again with `rxtract login`.',
  },
  ERR_REDIRECT: {
    cause: 'A response redirects more than 5 times, or to a URL that cannot be followed.',
    remedy: 'Use the final URL in the configuration.',
  },
  ERR_ORIGIN: {
    cause: 'A request would have sent credentials to an origin that the configuration does not list.',
    remedy: 'If the origin may receive credentials, list it in `api.http.credentialOrigins`.',
  },
  ERR_HOST: {
    cause:
      'A next link, a redirect or a placeholder leads to a URL that `image_parameters.allowed_hosts` does not list, or a request to a host that is not given with `--host`.',
    remedy: 'If requests may go there, list it in `image_parameters.allowed_hosts`, or give it with `--host` too.',
  },
  ERR_PRIVATE_HOST: {
    cause:
      'A next link, a redirect or a placeholder leads to a private host, such as `localhost` or 10.0.0.1, that the configuration does not name; or the name of a host has a private address.',
    remedy:
      'If requests may go there, list the host in `image_parameters.allowed_hosts`, together with all other hosts of the run. Hosts of `baseUrl` and of absolute endpoints need no entry for this.',
  },
  ERR_PAGINATION: {
    cause:
      'A response lacks what the pagination method reads: an id is not a number, a link is not a string, or the last item has no key.',
    remedy: 'Compare the paths of `api.pagination` with a response of the API.',
  },
  ERR_LOOP: {
    cause:
      'Pagination loop: the API served a sequence of pages, or of their items, twice; or ten pages in a row had the same items; or a page of `keyset` leads to its own key.',
    remedy:
      'Check the pagination: the message names the pages or the parameter. If items may repeat, set `allowRepeatedItems` in the job or its pagination.',
  },
  ERR_SINK: {
    cause: 'The sink could not write, store or publish its data.',
    remedy: 'Fix the cause in the message and run again. With `--state` and `--resume` the run continues there.',
  },
  ERR_ROLLBACK: {
    cause: 'A page had to be rolled back, but its sink cannot roll back.',
    remedy: 'Use a sink that can roll back (ndjson), or set `dataField`.',
  },
  ERR_STRICT: {
    cause: 'A warning occurred with --strict.',
    remedy: 'Fix its cause (`rxtract help warnings` lists all codes), or run with `--allow CODE` or without --strict.',
  },
  ERR_MIN_ITEMS: {
    cause: 'A data type has fewer items than `--min-items` (in code `minItems`) requires. Nothing was published.',
    remedy:
      'Check what the API gives. Earlier outputs are as they were; a sink that delivers at once, such as a queue or `stdout:`, has the items of this run. With `--state`, `--resume` starts a new run, and `--resume-only` with a lower number publishes the items of this one.',
  },
  ERR_STATE: {
    cause:
      'The state in `--state`, or the board of `--on`, cannot be written or read, or another process has what this one writes.',
    remedy:
      'If another run uses the state, wait for that run, or give each run its own `--state`. Otherwise fix the cause in the message, such as a full disk, a missing permission or a server that cannot be reached, and continue with `--resume`; workers of a board continue without it.',
  },
  ERR_TASKS: {
    cause: 'Tasks of a run that workers share have failed five times, or have ended 20 processes.',
    remedy:
      'The message has the last errors. Repair their cause, and let workers take these tasks again with `rxtract retry`: each continues where it failed. A configuration that you change is a new run. Nothing was published.',
  },
  ERR_TABLE: {
    cause: 'Items do not fit a table: values of two kinds in one column, or two tables of one name.',
    remedy:
      'The message names the member. Keep it as JSON text with `responseFilter` or `forceType`, map its members, or give the table another name. Nothing was published.',
  },
  ERR_RESUME: {
    cause:
      'The run cannot resume: its configuration, window, sinks or version changed, or its output was modified since.',
    remedy:
      'Restore what the message names, or start a new run without `--resume`. Secrets, retries, time-outs and rates may differ.',
  },
  ERR_RECORDING: {
    cause:
      'A recording (`--record`, `--replay`) cannot be written or read, or ends before the response that a replay needs.',
    remedy:
      'Fix the cause in the message, such as a full disk or another file of that name. If the recorded run ended early, record again.',
  },
  ERR_REPLAY: {
    cause: 'A replay (`--replay`) sends a request that differs from all recorded ones that are left.',
    remedy: 'The message shows the differences. Undo the change to the configuration or its options, or record again.',
  },
  ERR_TEST: {
    cause:
      'A case of `rxtract test` failed: items, counts or requests differ from the expected ones, or its run failed.',
    remedy:
      'The report shows the differences. Undo the change to the configuration. If the run succeeds and the new items are right, write them with `rxtract test DIR --update`.',
  },
  ERR_CERTIFICATE: {
    cause: 'Something is not as the certificate of a run says: `rxtract verify` found it.',
    remedy:
      'The lines of the report name each difference. Restore the files, or pull again. After changes on purpose, a new run with `--certificate` certifies what it writes.',
  },
  ERR_REHEARSAL: {
    cause: 'With a fault of `rxtract rehearse`, a run wrote other items than without it, or had no end.',
    remedy:
      'Each line names the fault, and the key of the configuration that helps, if one does. Set it, and rehearse this fault again with `--only`.',
  },
  ERR_DOCTOR: {
    cause: 'A step of `rxtract doctor` failed: a run would fail there too.',
    remedy: 'Each failed step says what to do. Begin with the first: later ones often depend on it.',
  },
  ERR_ABORTED: {
    cause: 'The run was interrupted.',
    remedy: 'Run again. If the run has a `--state`, add `--resume` to continue it.',
  },
  ERR_INTERNAL: {
    cause: 'An internal error of rxtract.',
    remedy: 'Please report it with its message.',
  },
} satisfies Record<string, ErrorText>;

export type ErrorCode = keyof typeof errorCodes;
