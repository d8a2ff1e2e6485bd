/** The table of warnings. The reference page of warnings is generated from it. */
import type { Notice } from '../model/notice.js';
import { didYouMean } from '../util/suggest.js';
import { ExtractError } from './errors.js';

interface Explained {
  /** A phrase. */
  readonly meaning: string;
  /** A sentence. */
  readonly remedy: string;
}

/** In the order of the table in docs/01-configuration.md. */
export const warnings = {
  'unknown-key': {
    meaning: 'a key of the configuration is unknown, and is ignored',
    remedy: 'Use the name that the message suggests, or remove the key.',
  },
  'no-type': {
    meaning: 'an `authentication` has no `type`: requests are sent without credentials',
    remedy: 'Add a `type`, or remove `authentication`.',
  },
  'no-method': {
    meaning: 'a `pagination` has no `method`: each job sends one request',
    remedy: 'Add a `method`, or remove `pagination`.',
  },
  deprecated: {
    meaning: 'an old form, name or place is used; it still works',
    remedy: 'Use the one in the message.',
  },
  'duplicate-key': {
    meaning: 'an object has the same key twice; the last one counts',
    remedy: 'Remove one of them.',
  },
  'identical-job': {
    meaning: 'two jobs, or two children, are identical; only one runs',
    remedy: 'Remove one of them, or give each its own `id` to run both.',
  },
  'never-walked': {
    meaning: 'a child job has no placeholders, so it sends no requests',
    remedy: 'Add `placeholders`.',
  },
  'not-a-child': {
    meaning: 'a job without a parent has `placeholders` or a `recursionFilter`',
    remedy: 'Move the job into `children` of another job, or remove the keys.',
  },
  'window-capped': {
    meaning: 'a window of a job has more items than the API gives, and cannot be smaller: items are missing',
    remedy: 'Divide the job further, by `each`, or use a `format` with finer values.',
  },
  'window-sum': {
    meaning: 'the parts of a window that was split do not have as many items as the API reported for the whole',
    remedy:
      'If the API includes the end of a window, set `overlap`, such as `-1s`. Data that changes during the run differs too.',
  },
  'broken-value': {
    meaning: 'a value of `--set` looks like JSON but is not valid; it is used as a string',
    remedy: 'Fix the JSON. Note that the shell removes quotes.',
  },
  'empty-secret': {
    meaning: 'an environment variable, or an attribute used as a secret, is empty',
    remedy: 'Set its value, or allow the warning if it is empty on purpose.',
  },
  'masked-name': {
    meaning: 'the name of a job comes from an environment variable, so it is masked everywhere',
    remedy: 'Set `dataType` of the job.',
  },
  'recording-masked': {
    meaning: 'a recording masks secrets in responses with items: a replay gives other items there',
    remedy: 'Allow the warning if those items do not matter in a replay.',
  },
  'metrics-not-pushed': {
    meaning: '`--metrics-push` could not send metrics; the run is not affected',
    remedy: 'Check the address of the collector and OTEL_EXPORTER_OTLP_HEADERS.',
  },
  'traces-not-exported': {
    meaning: 'traces could not be sent to the address in OTEL_EXPORTER_OTLP_ENDPOINT; the run is not affected',
    remedy: 'Check the address of the collector and OTEL_EXPORTER_OTLP_HEADERS, or set OTEL_TRACES_EXPORTER=none.',
  },
  'lineage-not-sent': {
    meaning: '`--lineage` could not send an event; the run is not affected',
    remedy: 'Check the address of the server and OPENLINEAGE_API_KEY.',
  },
  'missing-package': {
    meaning: 'a package that the run needs (`ssh2`, for `sshProxy`) is not installed on this machine',
    remedy: 'Install it next to rxtract on the machine that runs the configuration: `npm install ssh2`.',
  },
  'filter-space': {
    meaning: 'a `recursionFilter` has a space next to an operator; the space is part of the compared value',
    remedy: 'Remove the space, or allow the warning if values contain it.',
  },
  'filter-parenthesis': {
    meaning: 'a value of a `recursionFilter` has a `)`, which is part of the compared value',
    remedy: 'Remove it: filters do not support parentheses.',
  },
  'not-filled': {
    meaning: 'a placeholder is not filled in here; it is sent unchanged',
    remedy: 'List it in `placeholders` of the child job, and use it in `endpoint`.',
  },
  'not-evaluated': {
    meaning: 'a value looks like an expression, but expressions are not evaluated here; it is sent unchanged',
    remedy: 'Move it to where expressions are evaluated, such as `params` of a job.',
  },
  'not-a-reference': {
    meaning: 'a value looks like a reference with a misspelt `attr` or `function`; it is sent unchanged',
    remedy: 'Use the name that the message suggests. A reference is an object with one key.',
  },
  'no-body': {
    meaning: 'a response has no body, so it has no items; no response of a job has a CSV header',
    remedy: 'Check the endpoint and its parameters, or allow the warning if empty responses are expected.',
  },
  'no-list': {
    meaning: 'a response has no list at its top level, so it has no items',
    remedy: 'Set `dataField` of the job to the path of the list. The message names nested lists that it found.',
  },
  'no-data': {
    meaning:
      'a response has no value at `dataField`, so it has no items; of XML: no response of the job has the element at `response.element`',
    remedy: 'Set `dataField` or `response.element` to the path in the message, or compare it with a response.',
  },
  'error-in-body': {
    meaning:
      'a response with a successful status says that the request failed; without items it replaces no earlier output',
    remedy:
      'Read the message of the API in the warning. A rule of `responseRules` makes such a response an error, a retry, or the end of the job. Allow the warning if its items are complete.',
  },
  'not-replaced': {
    meaning:
      'no page of the run had a value at `dataField`, not even an empty list, or the element at `response.element`, or one said that its request failed; the earlier output is kept',
    remedy:
      'Compare `dataField` or `response.element` with a response. If the API omits empty lists, `--replace-empty` (in code `replaceEmpty`) replaces the output.',
  },
  emptied: {
    meaning: 'an output had items of an earlier run, and loses all of them, because this run has none',
    remedy:
      'Compare the response of the API with an earlier one. `--min-items 1` (in code `minItems`) makes it an error, and the earlier output stays. Allow the warning, or use `--replace-empty`, if no items are a usual answer.',
  },
  'value-not-kept': {
    meaning:
      'the value of `incremental` is a secret, which is never stored; the next run asks for the same items again',
    remedy: 'Use another value, or none: a session token of the API, for instance, means nothing to the next run.',
  },
  'value-not-sent': {
    meaning: 'no request of a job carries the value of its `incremental`, so each run asks for everything',
    remedy: 'Set `param` of `incremental`, or use its value in `params`, `headers` or the endpoint.',
  },
  'pages-not-kept': {
    meaning: 'a job with `revalidate` has more than 10,000 pages: the others are requested whole in the next run',
    remedy: 'Use larger pages, or none of it: those pages arrive as without `revalidate`.',
  },
  'recent-not-kept': {
    meaning:
      'more items than the next run can recognise have the last value of `incremental`, or are within its `lookback`; they may arrive again',
    remedy: 'Use a shorter `lookback` or a finer value, or a sink that replaces items by key (`mode=merge`).',
  },
  'other-params': {
    meaning:
      '`params` of a job with `incremental` have changed: older items that they now let through are not requested',
    remedy: 'Run once with `--full` (in code `full`), or allow the warning if the same items are meant.',
  },
  'only-new': {
    meaning:
      'a job with `incremental` asks only for what is new, and its output replaces that of the run before: earlier items are not in it',
    remedy:
      'Use `mode=append` (files, objects, tables), `mode=merge` (tables) or a queue. Allow the warning if the output is taken away after each run.',
  },
  'not-sent-again': {
    meaning:
      'requests that failed are not sent again: they have secrets that are never stored, are too many, or a new run forgets them and its jobs ask only for what is new',
    remedy:
      'Run with `--full` to request everything again. Before a new run of jobs that remember, run with `--retry-failed`.',
  },
  'select-unused': {
    meaning: 'no item had a member that `select` names, and another member has a similar name',
    remedy: 'Correct the name, or allow the warning.',
  },
  drift: {
    meaning: 'an item differs from its shape; the message names the first item with this difference',
    remedy:
      'Correct what reads the items, then run once with `--on-drift evolve` (in code `onDrift`), or write the shape anew with `rxtract shape`.',
  },
  'lone-surrogate': {
    meaning: 'a text has half of a surrogate pair, which UTF-8 cannot hold; a table has U+FFFD in its place',
    remedy: 'Correct the text in the API, or write NDJSON, which keeps the escape.',
  },
  'compound-cursor': {
    meaning: 'the value at `responseParam` is an object or a list; it is sent unchanged',
    remedy: 'Extend `responseParam` to the value inside, unless the API expects the whole object or list.',
  },
  'missing-response-param': {
    meaning: 'the first page has no value at `responseParam`, or no such `header`: pagination ends there',
    remedy:
      'Compare `responseParam` or `header` with a response. A job without pages, often a child, has the `pagination` `{ "method": "none" }`. Allow the warning if a job may have a single page.',
  },
  'limit-not-a-number': {
    meaning: 'the parameter for the page size is not a number: only an empty page ends the pagination',
    remedy: 'Make it a number, or remove it and set `limit` of the pagination.',
  },
  'mappings-not-used': {
    meaning: '`config.mappings` describes tables, and the output is another one',
    remedy: 'Write tables with `--to tables:DIR`, or allow the warning.',
  },
  'list-as-text': {
    meaning: 'a list is directly inside a list: tables have its JSON text',
    remedy: 'Allow the warning, or keep the outer list as text with `responseFilter`.',
  },
  'broken-state': {
    meaning: '`in/state.json` of the data folder is not usable; the run starts without a state, like a first run',
    remedy: 'Fix the file, or remove it to start over.',
  },
  'missing-next-link': {
    meaning: 'the first page has no link at `urlKey`, but one at a similar name',
    remedy: 'Set `urlKey` to the path in the message.',
  },
  'missing-more-field': {
    meaning: 'the first page has no flag at `moreField`, but a similar name: pagination ends there',
    remedy: 'Correct `moreField`. The message suggests the nearest name.',
  },
  'scroller-not-used': {
    meaning: 'a job has a `scroller`, but the pagination method is not `multiple`',
    remedy: 'Remove `scroller`, or use the method `multiple`.',
  },
  'expired-at-login': {
    meaning: 'new credentials had already expired when they arrived',
    remedy: 'Check `expires`, and the clocks of both machines.',
  },
  'missing-expiry': {
    meaning: 'a login response has no value at `expires.response`: the login is not renewed',
    remedy: 'Compare `expires.response` with a login response.',
  },
  'prefetch-not-used': {
    meaning: 'a job has `prefetch`, but its pages must be requested one after the other',
    remedy: 'Remove `prefetch` from its pagination, or give the job a pagination of its own.',
  },
  'sequential-login': {
    meaning: 'with `expires: 0` requests are sent one at a time, whatever the concurrency',
    remedy: 'Set the concurrency to 1, or set a lifetime in `expires`.',
  },
  'foreign-origin': {
    meaning: 'a request to an origin that the configuration does not list is sent without credentials',
    remedy: 'If the origin may receive credentials, list it in `api.http.credentialOrigins`.',
  },
  'no-time': {
    meaning: 'a time-out is 0 or not a number; the default applies',
    remedy: 'Use a number of seconds above 0.',
  },
  'no-object': {
    meaning: 'headers, required headers or a `retryConfig` is not an object; it is ignored',
    remedy: 'Use an object.',
  },
  'total-mismatch': {
    meaning: 'the number of items differs from the total that the API reports',
    remedy:
      'Check the pagination and its limit. If that number is not the total, set `totalKey`, or allow the warning.',
  },
  'no-total': {
    meaning: 'the first page has no whole number at `totalKey`',
    remedy: 'Compare `totalKey` with a response.',
  },
  'next-page-ignored': {
    meaning: 'the first page declares a next page, but the job ended there',
    remedy: 'Set `api.pagination`, or `pagination` of the job, to use the place in the message.',
  },
  'same-page': {
    meaning: 'the second page is identical to the first: the API may not know the paging parameter',
    remedy:
      'Look up its name in the documentation of the API and set `pageParam` or `offsetParam`. Check the first number too (`firstPage`).',
  },
  'cursor-ignored': {
    meaning: 'the second page is identical to the first and has a next page too: the API may not know the cursor',
    remedy:
      'Check the name of the parameter (`queryParam`, `param`), its value (`responseParam`, `urlKey`), and whether the API expects it in the query or in the body (`method`).',
  },
  'repeated-items': {
    meaning: 'a page has the same items as an earlier page, but another envelope',
    remedy:
      'Check whether the API advances: it may repeat its last page, or not know the parameter. If such pages are correct, set `allowRepeatedItems`.',
  },
  'shifted-page': {
    meaning:
      'items moved between two pages, because others were inserted or removed while the job ran: some may be missing or written twice',
    remedy:
      'Request the items in an order that does not change, such as by id, or from a cursor. With `offset` and `pagenum`, `repair` of the pagination requests pages with an overlap.',
  },
  'round-end': {
    meaning: 'a job ended at a round number of items, where APIs often truncate',
    remedy: 'Check the total of the API, or request smaller parts. Allow the warning if the number is complete.',
  },
  'empty-page': {
    meaning: 'a page has no items, but pages before and after it do',
    remedy: 'Check whether the API lost items there, or allow the warning if pages may be empty.',
  },
  'tls-verified': {
    meaning: '`NODE_TLS_REJECT_UNAUTHORIZED=0` has no effect: certificates are verified',
    remedy: 'Set `api.caCertificate` to the certificate authority, and unset the variable.',
  },
  'password-in-arguments': {
    meaning: 'a password of a proxy or of a sink is in the arguments of the command, where process lists show it',
    remedy: `Put it into an environment variable, as in --proxy 'http://user:\${NAME}@host:port', in single quotes.`,
  },
  'report-not-written': {
    meaning: 'the file of `--report` cannot be written at the end of a run',
    remedy:
      'Check the path, and the space that is left. What the run has delivered is published, or kept for a resume.',
  },
  'at-least-once': {
    meaning: 'a run resumes into a sink that cannot be truncated: items may be written twice',
    remedy: 'Write to `ndjson`. Or, if the reader skips items that it has, allow the warning.',
  },
  'window-passed': {
    meaning:
      'a resumed run writes to a sink that remembers ids, and it has forgotten those of the interrupted run by now',
    remedy: 'Resume within the time that the sink states, or remove items with equal ids in the destination.',
  },
  'data-field-not-used': {
    meaning: 'a job has a `dataField`, but the format in its `response` has no paths',
    remedy: 'Remove one of them.',
  },
  'changed-header': {
    meaning: 'the header of a CSV file lacks names of the page before it, or has new ones; each page has its own names',
    remedy: 'Check whether the columns are meant to change. To give them fixed names, set `response.names`.',
  },
  'cache-not-used': {
    meaning: 'the configuration has `cache`, but there is no folder for it',
    remedy: 'Set one with `--cache-dir` (in code `cacheFolder`).',
  },
  'cache-broken': {
    meaning: 'a cached response is damaged; it is requested again',
    remedy: 'Check the disk if this happens repeatedly.',
  },
  'cache-not-written': {
    meaning: 'the cache folder is not writable; responses are not cached',
    remedy: 'Make it writable for this user, or set another one.',
  },
} as const satisfies Readonly<Record<string, Explained>>;

/** The codes of all warnings. */
export const warningCodes: readonly string[] = Object.keys(warnings);

/** What to do about a warning. Undefined: it has no such code. */
export const remedyForWarning = (code: string): string | undefined =>
  Object.entries(warnings).find(([name]) => name === code)?.[1].remedy;

/** Codes of notices that were warnings once: commands and programs may still allow them. */
const former: readonly string[] = ['bound-reached'];

/** Checks that each code is that of a warning. Throws ERR_USAGE. */
export function checkAllowed(codes: readonly string[]): void {
  const unknown = codes.find((code) => !warningCodes.includes(code) && !former.includes(code));
  if (unknown === undefined) return;
  throw new ExtractError('ERR_USAGE', `allow: unknown warning "${unknown}"${didYouMean(unknown, warningCodes)}`);
}

/** Turns a warning that the user allows into a debug notice; other notices are unchanged. */
export const allowing =
  (codes: readonly string[]) =>
  (notice: Notice): Notice =>
    notice.level === 'warning' && codes.includes(notice.code) ? { ...notice, level: 'debug' } : notice;
