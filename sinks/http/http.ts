/** HTTP: requests with the items of a page as NDJSON or a JSON array, cut alike however often the page is sent. */

import { asExtractError, ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { GivenOptions, OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { bytes, flag, nonEmptyText, seconds, whole, word } from '../../src/core/options/kinds.js';
import { rawEncode } from '../../src/core/url/percent.js';
import { usageError } from '../../src/core/util/check-value.js';
import { version } from '../../src/core/util/version.js';
import { decodeText, mustBeEncoded, userInformation } from '../addresses/address.js';
import { headers } from '../addresses/kinds.js';
import { sinkInCode } from '../addresses/options.js';
import { hostText, readHost } from '../addresses/server-address.js';
import { type NameTemplate, readTemplate } from '../addresses/templates.js';
import { cut, follows, joined, partOf } from '../batch-parts.js';
import type { Sink } from '../contract.js';
import { type Counts, createTally } from '../counts.js';
import type { Destination, SinkEntry } from '../entry.js';
import { atItems, hasEnded, throwIfAborted } from '../errors.js';
import { createItemErrors, type ItemErrors } from '../item-errors.js';
import { idempotencyKey } from '../messages/message-id.js';
import { envelopeOptions, type MessageForm, readEnvelope } from '../messages/messages.js';
import { credentials } from '../servers/credentials.js';
import { mustNotHaveTls, readTls, tlsOptions } from '../servers/tls.js';
import { checkConnection, createReceiver, type ReceiverSettings, RefusedContent } from './http-client.js';

export const httpOptions = {
  url: {
    kind: nonEmptyText,
    summary: '`http://` or `https://`; path and query may have `{dataType}` and `{job}`, and `%7B` is a brace',
    required: true,
  },
  ...credentials,
  format: { kind: word('ndjson', 'json'), summary: 'the body: a line for each item, or one list', default: 'ndjson' },
  method: { kind: word('POST', 'PUT'), summary: 'the method of the requests', default: 'POST' },
  headers: { kind: headers, summary: 'a header of each request; may contain a variable of the environment' },
  items: { kind: whole(1, 999_999_999), summary: 'most items of a request', default: 1000 },
  bytes: {
    kind: bytes(),
    summary: 'most bytes of the items of a request, unless one item has more',
    default: 1_048_576,
  },
  idempotent: {
    kind: flag,
    summary: 'the receiver drops a request whose `Idempotency-Key` it has had: the guarantee is effectively once',
    default: false,
  },
  window: {
    kind: seconds(),
    summary: 'with `idempotent=true`: for how many seconds the receiver remembers keys',
    otherwise: 'for ever',
  },
  ...envelopeOptions,
  ...tlsOptions,
} as const satisfies OptionRows;

/** The options of `http`. */
export interface HttpSinkOptions extends GivenOptions<typeof httpOptions> {}

/**
 * Creates the sink of the address `https://...`: HTTP requests. Opens no connection before the run begins. Throws
 * ERR_USAGE for wrong options; see docs/reference/sinks/http.md.
 */
export function http({ url, ...values }: HttpSinkOptions): Sink {
  const [, scheme, rest] = /^(https?):(\/\/[^#]*)$/is.exec(url) ?? [];
  if (scheme === undefined || rest === undefined) {
    throw usageError('http: url: expected http:// or https://, a host and a path, without a fragment');
  }
  mustBeEncoded(scheme, rest);
  const userinfo = userInformation(rest);
  if (userinfo === undefined) return sinkInCode(scheme.toLowerCase(), httpEntry, { url, ...values });
  if (values.user !== undefined || values.password !== undefined) {
    throw usageError('http: give user and password in the url or as options, not both');
  }
  const [user, password] = userinfo.split(/:(.*)/s).map(decodeText);
  const bare = `${scheme}://${rest.slice(userinfo.length + 3)}`;
  return sinkInCode(scheme.toLowerCase(), httpEntry, { url: bare, user, password, ...values });
}

export const httpEntry: SinkEntry<typeof httpOptions> = {
  summary: 'requests with the items as NDJSON or a JSON array',
  address: {
    form: 'https://[USER:PASSWORD@]HOST[:PORT]/PATH#format=json',
    target: 'server',
    schemes: ['http', 'https'],
    optionsAfter: '#',
    parts: { url: 'url', user: 'user', password: 'password', headers: 'headers' },
  },
  options: httpOptions,
  code: "http({ url: 'https://example.com/items', format: 'json', headers: { 'X-Key': key } })",
  recovery: { usual: 'none', option: 'idempotent=true', withOption: 'ids' },
  rules: [
    'Options follow `#`, because `?` begins the query. Path and query may contain `{dataType}` and `{job}`.',
    'A page is cut into requests of `items` items and `bytes` bytes at the most, counted from its beginning, so a page that is sent again has the same requests. Each has a header `Idempotency-Key` of the page, the place, the count and the hash of the body.',
    'Receivers rarely remember keys, so the guarantee is at least once. With `idempotent=true` you state that yours does.',
    'The statuses 408, 425, 429, 500, 502, 503 and 504 and failed connections are tried again for a minute, after `Retry-After` if it is sent and at most 10 minutes. Any other status but 2xx ends the run; the error has the places of the items of its request. Redirects are not followed.',
    'The statuses 400, 413 and 422 refuse items. With `--on-item-error skip` or `dead-letter=URI` a request is divided in halves until the items are found. Without it the error has the places of the items of the request, because a resume would send items of halves twice; with `items=1` each item has a request of its own.',
    `USER and PASSWORD are sent as \`Authorization: Basic\`. Headers take secrets from the environment: \`header.Authorization=Bearer%20\${TOKEN}\`.`,
    'Before its first request to the API, a run opens a connection to the receiver and closes it. `rxtract validate --connect` sends `OPTIONS`.',
  ],
  example: 'https://example.com/items#format=json',
  create(options, destination) {
    const { idempotent, window: seconds } = options;
    if (seconds !== undefined && !idempotent) throw usageError('http: window needs idempotent=true');
    const sink = createHttpSink(settingsOf(options, destination));
    const window = seconds === undefined ? {} : { window: seconds * 1000 };
    return idempotent ? { ...sink, recovery: 'ids', ...window } : sink;
  },
};

interface HttpSettings extends ReceiverSettings {
  /** Up to the path. */
  readonly origin: string;
  readonly path: NameTemplate;
  readonly headers: Readonly<Record<string, string>>;
  readonly method: 'POST' | 'PUT';
  readonly isList: boolean;
  readonly mostItems: number;
  readonly mostBytes: number;
  readonly form: MessageForm;
  readonly shown: string;
}

function settingsOf(options: OptionsOf<typeof httpOptions>, destination: Destination): HttpSettings {
  const { url, user, password, format, method, items, bytes, envelope } = options;
  const { scheme, excerpt, shown } = destination;
  const [, host = '', path = '/'] = /^[^:]*:\/\/([^/?]*)(.*)$/s.exec(url) ?? [];
  const isList = format === 'json';
  const pair = `${user ?? ''}:${password ?? ''}`;
  const tls = readTls(options, destination);
  if (scheme !== 'https') mustNotHaveTls(tls, scheme, 'use https://');
  return {
    origin: `${scheme}://${hostText(readHost(host, scheme, scheme === 'https' ? 443 : 80))}`,
    path: readTemplate(path.startsWith('/') ? path : `/${path}`, {
      what: `${scheme}: the path`,
      escape: rawEncode,
      withoutItems: true,
      keepsEncoding: true,
    }),
    headers: {
      'user-agent': `rxtract/${version}`,
      'content-type': contentTypes[isList ? 'list' : 'lines'][envelope === 'cloudevents' ? 'events' : 'items'],
      ...(pair === ':' ? {} : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
      ...headersOf(options.headers ?? {}),
    },
    method,
    isList,
    mostItems: items,
    mostBytes: bytes,
    form: readEnvelope(options, destination),
    tls,
    excerpt,
    shown,
  };
}

const contentTypes = {
  lines: { items: 'application/x-ndjson', events: 'application/x-ndjson' },
  list: { items: 'application/json', events: 'application/cloudevents-batch+json' },
} as const;

const headersOf = (given: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw usageError(`http: "${name}" is not a name of a header`);
      if (/[\0\r\n]/.test(value)) throw usageError(`http: header.${name}: a header has no line breaks`);
      return [name.toLowerCase(), value];
    }),
  );

/** Items of one page that wait for their request, by data type. */
interface Waiting {
  readonly batches: Batch[];
  count: number;
  bytes: number;
}

function createHttpSink(settings: HttpSettings): Sink {
  const { origin, path, shown, form } = settings;
  const tally = createTally();
  const errors = createItemErrors('http');
  const requests = createRequests(settings, tally, errors);
  let isOver = false;
  const end = () => {
    isOver = true;
    requests.end();
  };
  const endAll = async () => {
    await requests.flushAll();
    end();
  };
  return {
    name: shown,
    async resume(earlier) {
      form.resume(earlier);
      await checkConnection(new URL(origin), settings.tls);
    },
    open(dataType, job, opening) {
      tally.open(dataType);
      form.open(job, opening);
      errors.open(opening);
    },
    async write(batch, signal) {
      if (isOver) throw hasEnded('http');
      throwIfAborted(signal);
      await requests.add(batch, signal);
    },
    prepare: ({ dataType }, signal) => requests.flush(dataType, signal),
    commit: ({ dataType }, signal) => requests.flush(dataType, signal),
    check: () => check(settings),
    close: endAll,
    leave: endAll,
    abort: end,
    summary: () => tally.summary((dataType) => `${origin}${path.summaryOf(dataType)}`),
  };
}

/** Gathers the items of a page to requests, and sends each that is full. */
function createRequests(settings: HttpSettings, tally: Counts, errors: ItemErrors) {
  const { origin, path, form, method } = settings;
  const receiver = createReceiver(settings);
  const waiting = new Map<string, Waiting>();
  const deliver = async (batch: Batch, signal: AbortSignal) => {
    const body = bodyOf(form.messagesOf(batch), settings);
    const headers = { ...settings.headers, 'idempotency-key': idempotencyKey(batch, body) };
    await receiver.deliver({ method, url: new URL(`${origin}${path.nameOf(batch)}`), headers, body }, signal);
    tally.add(batch);
  };
  /** Finds the refused items by halves, if the run leaves them out: in another run a resume would send some twice. */
  const deliverOrSplit = async (batch: Batch, signal: AbortSignal): Promise<void> => {
    try {
      await deliver(batch, signal);
    } catch (thrown) {
      if (!(thrown instanceof RefusedContent)) throw placed(thrown, batch);
      if (batch.count === 1) return errors.refuse({ batch, index: 0, reason: thrown.reason, cause: thrown });
      if (!errors.isHandled()) throw placed(thrown, batch).at({ remedy: findRemedy });
      const half = batch.count >> 1;
      await deliverOrSplit(partOf(batch, 0, half), signal);
      await deliverOrSplit(partOf(batch, half, batch.count), signal);
    }
  };
  const flush = async (dataType: string, signal: AbortSignal) => {
    const [first, ...rest] = waiting.get(dataType)?.batches ?? [];
    waiting.delete(dataType);
    if (first !== undefined) await deliverOrSplit(joined(first, rest), signal);
  };
  return {
    flush,
    async flushAll() {
      const { signal } = new AbortController();
      for (const dataType of [...waiting.keys()]) await flush(dataType, signal);
    },
    async add(batch: Batch, signal: AbortSignal) {
      const { dataType } = batch;
      const last = waiting.get(dataType)?.batches.at(-1);
      if (last !== undefined && !follows(batch, last)) await flush(dataType, signal);
      for (const piece of cut(batch, waiting.get(dataType), settings)) {
        if (piece.isFirst) await flush(dataType, signal);
        const page = waiting.get(dataType) ?? { batches: [], count: 0, bytes: 0 };
        page.batches.push(piece.batch);
        page.count += piece.batch.count;
        page.bytes += piece.batch.bytes.length;
        waiting.set(dataType, page);
      }
    },
    end: receiver.close,
  };
}

const findRemedy =
  '`--on-item-error skip` or `dead-letter=URI` (in code `onItemError`) finds such items and leaves them out; `items=1` of --to sends each in a request of its own.';

/** Adds the items of the request to a final error. An interruption stays as it is. */
function placed(thrown: unknown, batch: Batch): ExtractError {
  const error = asExtractError(thrown, 'ERR_SINK');
  return error.code === 'ERR_SINK' ? atItems(error, batch, 0, batch.count) : error;
}

function bodyOf(messages: readonly Uint8Array[], { isList }: HttpSettings): Uint8Array {
  const between = Buffer.from(isList ? ',' : '\n');
  const parts = messages.flatMap((message, index) => (index === 0 ? [message] : [between, message]));
  return isList ? Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]) : Buffer.concat([...parts, between]);
}

/** Sends OPTIONS, which changes nothing: any answer but a rejected credential is well. */
async function check(settings: HttpSettings): Promise<void> {
  const { origin, path, headers, tls } = settings;
  const receiver = createReceiver(settings);
  const url = new URL(`${origin}${path.isConstant ? path.text : '/'}`);
  await checkConnection(url, tls);
  try {
    const status = await receiver.statusOf({ method: 'OPTIONS', url, headers });
    if (status !== 401 && status !== 403) return;
    throw new ExtractError('ERR_SINK', `http: ${url.origin}${url.pathname} rejects the credentials (status ${status})`);
  } finally {
    receiver.close();
  }
}
