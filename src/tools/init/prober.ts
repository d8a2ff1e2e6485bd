/** Sends the few requests of `init`: it runs draft configurations by the engine, and asks no request twice. */

import { ExtractError, remedyFor } from '../../core/errors/errors.js';
import { type Exact, type ExactObject, fromPlain, isObject } from '../../core/json/exact.js';
import type { Batch } from '../../core/model/batch.js';
import type { Notify } from '../../core/model/notice.js';
import type { HttpRequest } from '../../core/model/request.js';
import type { Secrets } from '../../core/model/secrets.js';
import { defined } from '../../core/util/defined.js';
import { bodyOf, readWhole } from '../../http/body.js';
import type { EngineExchanges } from '../../http/exchanges.js';
import { createRateLimiter } from '../../http/rate-limiter.js';
import { headOf } from '../../http/response.js';
import type { Handler, HttpResponse } from '../../http/types.js';
import { extract } from '../../run/extract.js';
import type { ExtractOptions } from '../../run/options.js';
import { runToEnd } from '../../run/run-to-end.js';
import { size } from '../text/format.js';

/** A response with its whole body. */
export interface Answer {
  readonly status: number;
  readonly headers: HttpResponse['headers'];
  readonly body: Uint8Array;
  readonly url: string;
}

export interface TrialPage {
  readonly items: readonly Exact[];
  readonly answer: Answer;
}

/** What a draft has given. */
export interface Probe {
  readonly pages: readonly TrialPage[];
  /** Why it ended early. */
  readonly failure?: ExtractError;
  /** The last response, also one of an error. */
  readonly last?: Answer;
}

export interface Prober {
  /** Runs the first pages of a draft. Throws the reason of the signal, and ERR_CONFIG for a draft that is not valid. */
  run(draft: ExactObject, pages?: number): Promise<Probe>;
  /** Requests a page anew, also one that is remembered. */
  poll(draft: ExactObject): Promise<Probe>;
  /** Requests that were sent, and those that may be sent. */
  sent(): number;
  left(): number;
  /** Whether a request was refused, because as many were sent as are allowed. */
  isExhausted(): boolean;
  /** Masks the secrets of the latest draft. */
  mask: Secrets['mask'];
}

export interface ProberOptions extends ProbeContext {
  /** The most requests. */
  readonly most: number;
  /** Whether a POST may be sent. */
  readonly allowsPost: boolean;
}

/** What all requests of a search have in common. */
export interface ProbeContext extends Pick<ExtractOptions, 'env' | 'proxy' | 'hosts'> {
  readonly notify: Notify;
  /** Ends the search. */
  readonly signal?: AbortSignal;
  /** Called with what masks the secrets of a draft. */
  maskWith?(mask: Secrets['mask']): void;
}

/** Of one response, in bytes. */
const mostBytes = 64 * 2 ** 20;
/** The longest wait that an API may ask for, in seconds. */
const longestWait = 60;

/** An API that asks for a wait gets it. Any other status is an answer to unknown parameters. */
const retryConfig = fromPlain({ maxRetries: 1, maxDelay: longestWait, http: { codes: [429, 503] } });

/** Creates the prober of one search. */
export function createProber(options: ProberOptions): Prober {
  const { env, proxy, hosts, notify, signal, maskWith } = options;
  const rateLimiter = createRateLimiter({ rates: [], longestHold: longestWait * 1000, notify });
  const wire = createWire(options);
  const prober: Prober = {
    mask: (text) => text,
    sent: wire.sent,
    left: () => options.most - wire.sent(),
    isExhausted: wire.isExhausted,
    async poll(draft) {
      wire.remember(false);
      try {
        return await prober.run(draft);
      } finally {
        wire.remember(true);
      }
    },
    async run(draft, pages = 1) {
      const trial: TrialPage[] = [];
      let items: Exact[] = [];
      const taken: ExtractOptions = {
        to: (batch: Batch) => void items.push(...batch.exact()),
        maxPages: pages,
        rateLimiter,
        exchanges: wire.exchanges,
        maxBodyBytes: mostBytes,
        ...defined({ env, proxy, hosts }),
        notify: (notice) =>
          void (shown.has(notice.code) && notify({ ...notice, message: withoutSettings(notice.message) })),
      };
      wire.begin();
      const extraction = extract(withRetries(draft), taken);
      prober.mask = extraction.mask;
      maskWith?.(extraction.mask);
      const page = () => {
        const answer = wire.last();
        if (answer !== undefined) trial.push({ items, answer });
        items = [];
      };
      const failure = await runToEnd(extraction, page, signal);
      signal?.throwIfAborted();
      const last = wire.last();
      if (failure !== undefined && !(failure instanceof ExtractError)) throw failure;
      return { pages: trial, ...defined({ failure: failure && ofTrial(failure), last }) };
    },
  };
  return prober;
}

const smallerPages = `Ask for smaller pages, as with a page size in the address: init reads up to ${size(mostBytes)} of a response.`;

/** A trial has retries of its own: what messages say about `api.retryConfig` would lead to no file. */
const withoutSettings = (text: string): string =>
  text
    .replace(/, as `api\.retryConfig\.\w+` allows|; `api\.retryConfig\.\w+` changes this/, '')
    .replace(/^Set `dataField` to a path with smaller items, or raise `--max-item-bytes`.*/, smallerPages)
    .replace(/^Request smaller pages, or raise `--max-body-bytes` \(in code `maxBodyBytes`\)\./, smallerPages)
    .replace(' that `api.retryConfig.maxDelay` allows', ' that init waits')
    .replace(', or raise `api.retryConfig.maxDelay` so that the run waits', '')
    .replace(/^(Check host and port)(, and that the server runs\.) .*/, '$1 of the address$2')
    .replace('set `api.caCertificate` to the certificate of that authority', 'name its file in NODE_EXTRA_CA_CERTS');

/** The failure of a trial, with a remedy for somebody who has no configuration yet. */
export function ofTrial(failure: ExtractError): ExtractError {
  const { code, message, where, cause, problems } = failure;
  const remedy = withoutSettings(remedyFor(failure));
  return new ExtractError(code, withoutSettings(message), { ...where, problems, cause, remedy });
}

const shown: ReadonlySet<string> = new Set(['retry', 'rate-limit', 'foreign-origin']);

function withRetries(draft: ExactObject): ExactObject {
  const api = draft.get('api');
  if (!isObject(api)) return draft;
  return new Map<string, Exact>([...draft, ['api', new Map<string, Exact>([...api, ['retryConfig', retryConfig]])]]);
}

const keyOf = ({ method, url, body = '' }: HttpRequest): string => JSON.stringify([method, url, body]);

/** The transport of all trials: it counts requests, refuses those that are not allowed, and remembers responses. */
function createWire({ most, allowsPost }: ProberOptions) {
  const known = new Map<string, HttpResponse & { readonly whole: Buffer }>();
  let [sent, exhausted] = [0, false];
  /** False: requests are sent, whether their responses are known or not. */
  let remembers = true;
  let latest: Answer | undefined;
  const around =
    (transport: Handler): Handler =>
    async (request, context) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!isRead && !(allowsPost && request.method === 'POST')) {
        throw new ExtractError('ERR_USAGE', `a ${request.method} is not sent without --allow-post`);
      }
      const key = keyOf(request);
      let response = remembers ? known.get(key) : undefined;
      if (response === undefined) {
        if (sent >= most) {
          exhausted = true;
          throw new ExtractError('ERR_USAGE', `${most} requests were sent: --max-requests allows more`);
        }
        sent += 1;
        const fresh = await transport(request, context);
        response = { ...fresh, whole: await readWhole(fresh.body, () => {}) };
        if (response.status !== 503 && response.status !== 429) known.set(key, response);
      }
      const { whole, status, headers } = response;
      latest = { status, headers, body: whole, url: request.url };
      return { ...headOf(response), body: bodyOf(whole.length === 0 ? [] : [whole]) };
    };
  const exchanges: EngineExchanges = {
    around,
    random: Math.random,
    close: async () => ({ exchanges: sent, masked: 0, unused: 0 }),
  };
  return {
    exchanges,
    begin: () => {
      latest = undefined;
    },
    remember: (is: boolean) => {
      remembers = is;
    },
    last: () => latest,
    sent: () => sent,
    isExhausted: () => exhausted,
  };
}
