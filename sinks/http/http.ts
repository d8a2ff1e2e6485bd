/** HTTP: requests with the items of a page as NDJSON or a JSON array, cut alike however often the page is sent. */

import { asExtractError, ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import { rawEncode } from '../../src/core/url/percent.js';
import { usageError } from '../../src/core/util/check-value.js';
import { version } from '../../src/core/util/version.js';
import { type AddressOptions, type SinkAddress, userInformation } from '../addresses/address.js';
import { addressWith, type ServerUser, userInformationOf } from '../addresses/address-of.js';
import { sinkFrom } from '../addresses/address-secrets.js';
import { countOption, flagOption, hostText, readServer, textOption, wordOption } from '../addresses/server-address.js';
import { type NameTemplate, readTemplate } from '../addresses/templates.js';
import { cut, follows, joined, partOf } from '../batch-parts.js';
import type { Sink } from '../contract.js';
import { type Counts, createTally } from '../counts.js';
import { atItems, hasEnded, throwIfAborted } from '../errors.js';
import { createItemErrors, type ItemErrors } from '../item-errors.js';
import { idempotencyKey } from '../messages/message-id.js';
import { type EnvelopeOptions, envelopeOptions, type MessageForm, readEnvelope } from '../messages/messages.js';
import { mustNotHaveTls, readTls, type TlsFiles, tlsOptions } from '../servers/tls.js';
import { checkConnection, createReceiver, type ReceiverSettings, RefusedContent } from './http-client.js';

/** The options of its address. */
export const httpOptions = {
  format: { summary: 'the body: a line for each item, or one list', type: '`ndjson` or `json`', default: 'ndjson' },
  method: { summary: 'the method of the requests', type: '`POST` or `PUT`', default: 'POST' },
  'header.NAME': { summary: 'a header of each request; may contain a variable of the environment', type: 'a text' },
  items: { summary: 'most items of a request', type: 'a whole number', default: '1000' },
  bytes: {
    summary: 'most bytes of the items of a request, unless one item has more',
    type: 'a whole number',
    default: '1048576',
  },
  idempotent: {
    summary: 'the receiver drops a request whose `Idempotency-Key` it has had: the guarantee is effectively once',
    type: '`true` or `false`',
    default: 'false',
  },
  window: {
    summary: 'with `idempotent=true`: for how many seconds the receiver remembers keys',
    type: 'a whole number',
    otherwise: 'for ever',
  },
  ...envelopeOptions,
  ...tlsOptions,
} as const satisfies AddressOptions;

/** The options of `http`. */
export interface HttpSinkOptions extends ServerUser, EnvelopeOptions, TlsFiles {
  /** `http://` or `https://`; path and query may have `{dataType}` and `{job}`, and `%7B` is a brace. */
  readonly url: string;
  /** The body: a line for each item, or one list. Default: `ndjson`. */
  readonly format?: 'ndjson' | 'json';
  /** Default: `POST`. */
  readonly method?: 'POST' | 'PUT';
  /** Headers of each request. Their values are masked in all messages. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Most items of a request. Default: 1000. */
  readonly items?: number;
  /** Most bytes of the items of a request, unless one item has more. Default: 1048576. */
  readonly bytes?: number;
  /** The receiver drops a request whose `Idempotency-Key` it has had: effectively once. Default: false. */
  readonly idempotent?: boolean;
  /** With `idempotent`: for how many seconds the receiver remembers keys. Default: for ever. */
  readonly window?: number;
}

/**
 * Creates the sink of the address `https://...`: HTTP requests. Opens no connection before the run begins. Throws
 * ERR_USAGE for wrong options; see docs/reference/sinks/http.md.
 */
export function http({ url, headers = {}, user, password, ...values }: HttpSinkOptions): Sink {
  const [, scheme, rest] = /^(https?):(\/\/[^#]*)$/is.exec(url) ?? [];
  if (scheme === undefined || rest === undefined) {
    throw usageError('http: url: expected http:// or https://, a host and a path, without a fragment');
  }
  const credentials = userInformationOf({ user, password });
  if (credentials !== undefined && userInformation(rest) !== undefined) {
    throw usageError('http: give user and password in the url or as options, not both');
  }
  const raw = credentials === undefined ? rest : `//${credentials}@${rest.slice(2)}`;
  const named = Object.entries(headers).map(([name, value]) => [`header.${name}`, value] as const);
  const more = ['url', 'headers', 'user', 'password'];
  const rules = { options: httpOptions, optionsAfter: '#', more } as const;
  const address = addressWith(scheme.toLowerCase(), raw, { ...values, ...Object.fromEntries(named) }, rules);
  return sinkFrom(address, httpFromAddress);
}

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
  readonly windowMs: number | undefined;
  readonly shown: string;
}

/** Creates the sink of an address. Throws ERR_USAGE. */
export function httpFromAddress(address: SinkAddress): Sink {
  const settings = settingsOf(address);
  const isIdempotent = flagOption(address, 'idempotent', false);
  if (settings.windowMs !== undefined && !isIdempotent) throw usageError('http: window needs idempotent=true');
  const { windowMs: window } = settings;
  const sink = createHttpSink(settings);
  return isIdempotent ? { ...sink, recovery: 'ids', ...(window === undefined ? {} : { window }) } : sink;
}

function settingsOf(address: SinkAddress): HttpSettings {
  const { scheme, target, options } = address;
  const [, before = '', path = '/'] = /^(\/\/[^/?]*)(.*)$/s.exec(target) ?? [];
  const { hosts, user, password } = readServer({ ...address, target: before }, scheme === 'https' ? 443 : 80);
  const [host, second] = hosts;
  if (host === undefined || second !== undefined) throw usageError(`${scheme}: expected one host`);
  const form = readEnvelope(address);
  const isList = wordOption(address, 'format', ['ndjson', 'json']) === 'json';
  const isEvents = options.get('envelope') === 'cloudevents';
  const pair = `${user ?? ''}:${password ?? ''}`;
  const seconds = countOption(address, 'window');
  const tls = readTls(address);
  if (scheme !== 'https') mustNotHaveTls(tls, scheme, 'use https://');
  return {
    origin: `${scheme}://${hostText(host)}`,
    path: readTemplate(path.startsWith('/') ? path : `/${path}`, {
      what: `${scheme}: the path`,
      escape: rawEncode,
      withoutItems: true,
      keepsEncoding: true,
    }),
    headers: {
      'user-agent': `rxtract/${version}`,
      'content-type': contentTypes[isList ? 'list' : 'lines'][isEvents ? 'events' : 'items'],
      ...(pair === ':' ? {} : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
      ...headersOf(address),
    },
    method: wordOption(address, 'method', ['POST', 'PUT']) ?? 'POST',
    isList,
    mostItems: countOption(address, 'items') ?? 1000,
    mostBytes: countOption(address, 'bytes') ?? 1024 * 1024,
    form,
    windowMs: seconds === undefined ? undefined : seconds * 1000,
    tls,
    excerpt: address.excerpt,
    shown: address.shown,
  };
}

const contentTypes = {
  lines: { items: 'application/x-ndjson', events: 'application/x-ndjson' },
  list: { items: 'application/json', events: 'application/cloudevents-batch+json' },
} as const;

function headersOf(address: SinkAddress): Readonly<Record<string, string>> {
  const names = [...address.options.keys()].filter((name) => name.startsWith('header.'));
  return Object.fromEntries(
    names.map((option) => {
      const [name, value] = [option.slice('header.'.length), textOption(address, option) ?? ''];
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw usageError(`http: "${name}" is not a name of a header`);
      if (/[\0\r\n]/.test(value)) throw usageError(`http: ${option}: a header has no line breaks`);
      return [name.toLowerCase(), value];
    }),
  );
}

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
    async close() {
      await requests.flushAll();
      end();
    },
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
