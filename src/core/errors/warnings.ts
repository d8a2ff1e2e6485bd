import type { Notice } from '../model/notice.js';
import { didYouMean } from '../util/suggest.js';
import { ExtractError } from './errors.js';

interface Explained {
  /** A phrase. */
  readonly tells: string;
  /** A sentence. */
  readonly remedy: string;
}

/** In the order of the table in docs/01-configuration.md. */
export const warnings = {
  'unknown-key': {
    tells: 'a key of the configuration means nothing, and is not used',
    remedy: 'Write the name that the message offers, or leave the key out.',
  },
  'no-type': {
    tells: 'an `authentication` has no `type`: requests go out without credentials',
    remedy: 'Give it a `type`, or leave `authentication` out.',
  },
  'no-method': {
    tells: 'a `pagination` has no `method`: each job is one request',
    remedy: 'Give it a `method`, or leave `pagination` out.',
  },
  deprecated: {
    tells: 'an old form, name or place, which still works',
    remedy: 'Write the one that the message names.',
  },
  'duplicate-key': {
    tells: 'a member is written twice in one object; the last one counts',
    remedy: 'Remove one of them.',
  },
  'identical-job': {
    tells: 'a job, or a child, is written twice; it runs once',
    remedy: 'Remove one of them, or give each an `id` of its own: then both run.',
  },
  'never-walked': {
    tells: 'a child job has no placeholders, and so no request of its own for any item',
    remedy: 'Give it `placeholders`.',
  },
  'not-a-child': {
    tells: '`placeholders` or a `recursionFilter` of a job that has no parent',
    remedy: 'Move the job into `children` of another, or leave the keys out.',
  },
  'broken-value': {
    tells: 'a value of `--set` looks like JSON and is none: it is taken as a text',
    remedy: 'Mend the JSON; mind that the shell takes quotes away.',
  },
  'empty-secret': {
    tells: 'a variable of the environment, or an attribute where a secret is expected, is empty',
    remedy: 'Give it its value; allow it where an empty one is meant.',
  },
  'masked-name': {
    tells: 'a job is named by a value of the environment, and so its name is masked wherever it would show',
    remedy: 'Give the job a `dataType` of its own.',
  },
  'missing-package': {
    tells: 'a package that the run will need, `ssh2` for an `sshProxy`, is not installed where `validate` was run',
    remedy: 'Where the configuration is run, install it beside rxtract: `npm install ssh2`.',
  },
  'filter-space': {
    tells: 'a space stands beside an operator of a `recursionFilter`, and counts as part of what is compared',
    remedy: 'Remove the space, or allow it where values have one.',
  },
  'filter-parenthesis': {
    tells: 'a `)` stands at a value of a `recursionFilter`, and counts as part of it',
    remedy: 'Remove it: filters have no parentheses.',
  },
  'not-filled': {
    tells: 'a placeholder stands where none fills it, and is sent as it is',
    remedy: 'List it in `placeholders` of the child job, and write it into the endpoint.',
  },
  'not-evaluated': {
    tells: 'what looks like an expression stands where none is evaluated, and is sent as it is',
    remedy: 'Move it to a place where expressions are evaluated, such as `params` of a job.',
  },
  'not-a-reference': {
    tells: 'what is a reference but for a misspelt `attr` or `function`, and is sent as it is',
    remedy: 'Write the name that the message offers; a reference is an object of one key.',
  },
  'no-body': {
    tells: 'a response has no body, and so no items',
    remedy: 'Look at the endpoint and its parameters; where an empty answer is to be expected, allow it.',
  },
  'no-list': {
    tells: 'a response has no list at its top level, and so no items',
    remedy: 'Set `dataField` of the job to the path of the list; the message names lists that it found further down.',
  },
  'no-data': {
    tells: 'a response has nothing at `dataField`, and so no items',
    remedy: 'Compare `dataField` with a response; the message names the nearest path.',
  },
  'not-replaced': {
    tells: 'no page of a run had anything at `dataField`, not even an empty list: the earlier output stays as it was',
    remedy:
      'Compare `dataField` with a response. If the API leaves out an empty list, `--replace-empty` (in code `replaceEmpty`) replaces the output.',
  },
  'compound-cursor': {
    tells: 'the value at `responseParam` is an object or a list; it is sent as it stands',
    remedy: 'Lengthen `responseParam` to the value within, unless the API takes the whole.',
  },
  'missing-response-param': {
    tells: 'the first page has no value at `responseParam`: pagination ends there',
    remedy: 'Compare `responseParam` with a response. Where a job may have a single page without it, allow it.',
  },
  'limit-not-a-number': {
    tells: 'a parameter of a job that is its page size is no number: only an empty page ends its pagination',
    remedy: 'Make it a number, or leave it to `limit` of the pagination.',
  },
  'mappings-not-used': {
    tells: '`config.mappings` describe tables, and have no effect on items',
    remedy: 'Leave them out, or allow it where a configuration is shared.',
  },
  'broken-state': {
    tells: 'the `in/state.json` of a data folder cannot be used; the run goes without one, as the first run does',
    remedy: 'Mend the file, or remove it to begin afresh.',
  },
  'missing-next-link': {
    tells: 'the first page has no link at `urlKey`, but one at a name that is nearly the same',
    remedy: 'Set `urlKey` to the path that the message names.',
  },
  'missing-more-field': {
    tells: 'the first page has no flag at `moreField`, but a name that is nearly the same: its pagination ends there',
    remedy: 'Correct `moreField`; the message offers the nearest name.',
  },
  'scroller-not-used': {
    tells: 'a job has a `scroller`, and the pagination is not `multiple`',
    remedy: 'Leave it out, or list methods in a `multiple`.',
  },
  'expired-at-login': {
    tells: 'credentials had expired when they came',
    remedy: 'Look at `expires`, and at the clocks of both machines.',
  },
  'missing-expiry': {
    tells: 'a reply to a login has no value at `expires.response`; there is no other login then',
    remedy: 'Compare `expires.response` with a reply.',
  },
  'sequential-login': {
    tells: '`expires: 0` goes with one request at a time, whatever the concurrency',
    remedy: 'Leave the concurrency at 1, or give credentials a lifetime.',
  },
  'foreign-origin': {
    tells: 'a request goes to an origin that the configuration does not name, without credentials',
    remedy: 'List the origin in `api.http.credentialOrigins` if it may have them.',
  },
  'no-time': {
    tells: 'a time-out is 0 or no number; the default stays',
    remedy: 'Write a number of seconds above 0.',
  },
  'no-object': {
    tells: 'headers, required headers or a `retryConfig` are no object and no list, and are not used',
    remedy: 'Write an object.',
  },
  'total-mismatch': {
    tells: 'the API tells of another number of items than came',
    remedy:
      'Look at the pagination and its limit. Where the figure is no total, name the true one by `totalKey`, or allow it.',
  },
  'no-total': {
    tells: 'the first page has no whole number at `totalKey`',
    remedy: 'Compare `totalKey` with a response.',
  },
  'next-page-ignored': {
    tells: 'the first page says that another follows, and the job ended there',
    remedy: 'Set `api.pagination`, or that of the job, or its keys, to the place that the message names.',
  },
  'same-page': {
    tells: 'the second page is the same as the first: the API may not know the parameter that counts',
    remedy:
      'Look up what the API calls it, and set `pageParam` or `offsetParam`; also where it counts from (`firstPage`).',
  },
  'cursor-ignored': {
    tells: 'the second page is the same as the first, and names a next page too: the API may not know the cursor',
    remedy:
      'Look up what the API calls the parameter (`queryParam`, `param`), which value it takes (`responseParam`, `urlKey`), and whether it wants it in the query or in the body (`method`).',
  },
  'repeated-items': {
    tells: 'a page has the items of a page before it, though what stands around them differs',
    remedy:
      'Look whether the API goes on at all: it may give its last page for ever, or know no such parameter. Where such pages are right, set `allowRepeatedItems`.',
  },
  'round-end': {
    tells: 'a job ended at a number of items at which APIs often cut',
    remedy: 'Ask the API for its total, or for smaller parts; allow it where you know that it was all.',
  },
  'empty-page': {
    tells: 'a page without items stands amid others that have some',
    remedy: 'Ask the API whether it lost items there; allow it where pages may be empty.',
  },
  'tls-verified': {
    tells: '`NODE_TLS_REJECT_UNAUTHORIZED` is 0, which has no effect: certificates are verified',
    remedy: 'Give the authority to `api.caCertificate`, and unset the variable.',
  },
  'password-in-arguments': {
    tells: 'the password of a proxy stands in the arguments of the command, which the list of processes shows',
    remedy: `Put it into a variable of the environment: --proxy 'http://user:\${NAME}@host:port', in single quotes.`,
  },
  'at-least-once': {
    tells: 'a run goes on into a sink that cannot be cut back: items may come a second time',
    remedy: 'Write to `ndjson`, or let the reader pass by what it has; then allow it.',
  },
  'bound-reached': {
    tells: 'a bound of the run ended a job before its own end: items may be missing',
    remedy: 'Raise `--max-pages`, `--max-items` or `--max-duration`; allow it where the bound is what you want.',
  },
  'cache-not-used': {
    tells: 'the configuration has `cache`, and there is no folder to keep answers in',
    remedy: 'Give one: `--cache-dir`, in code `cacheFolder`.',
  },
  'cache-broken': {
    tells: 'a kept answer is not as it was written; it is asked for anew',
    remedy: 'Look at the disk, where it comes again.',
  },
  'cache-not-written': {
    tells: 'the folder for kept answers cannot be written; they are not kept',
    remedy: 'Make it writable for this user, or name another.',
  },
} as const satisfies Readonly<Record<string, Explained>>;

/** The codes of all warnings, so that one that is allowed by a misspelt name is noticed. */
export const warningCodes: readonly string[] = Object.keys(warnings);

/** Refuses a name that no warning has. Throws ERR_USAGE. */
export function checkAllowed(codes: readonly string[]): void {
  const unknown = codes.find((code) => !warningCodes.includes(code));
  if (unknown === undefined) return;
  throw new ExtractError('ERR_USAGE', `allow: no warning is called "${unknown}"${didYouMean(unknown, warningCodes)}`);
}

/** Makes a warning that the user allows a notice for debugging; all else stays as it is. */
export const allowing =
  (codes: readonly string[]) =>
  (notice: Notice): Notice =>
    notice.level === 'warning' && codes.includes(notice.code) ? { ...notice, level: 'debug' } : notice;
