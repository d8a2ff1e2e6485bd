/** The door of an API: pages and logins both go out here, pages past the cache; what comes back is made into what a reader takes. */
import { asyncScheduler } from 'rxjs';
import type { Credentials } from '../auth/types.js';
import { asExtractError } from '../core/errors/errors.js';
import { onWire } from '../core/model/method.js';
import type { Notice } from '../core/model/notice.js';
import type { PageRequest } from '../core/model/request.js';
import { describeRequest } from '../core/secrets/secrets.js';
import { bareAddress } from '../core/url/url.js';
import type { CachedResponse, CacheInterceptor } from './cache/cache.js';
import { contentOf, fallbackFor, type ResponseBody } from './ignore-errors.js';
import { createLoginRequester } from './login-requester.js';
import { buildRequest, methodOf } from './request.js';
import { createExchange, type ExchangeNeeds, type Outgoing } from './status-check.js';
import type { Reply } from './transport/transport.js';
import { type CredentialProvider, createCredentials } from './with-credentials.js';

export interface RequestContext extends Outgoing {
  readonly credentials: Credentials;
}

/** An answer whose body is to be read. */
export interface PageResponse {
  readonly body: AsyncIterable<Uint8Array>;
  /** The value of `Content-Type`; undefined: there was none. */
  readonly contentType: string | undefined;
  /** As in `Reply`. */
  readonly isOpenEnded: boolean;
  /** Names in lower case. */
  readonly headers: Reply['headers'];
  /** The address that answered, without user information and query. */
  readonly address: string;
  /** What the request is called in a message, masked. */
  readonly describe: () => string;
  /** It was kept; nothing was requested. */
  readonly cached?: true;
  /** No page can be made of it: it is not to be kept. */
  readonly forget?: () => Promise<void>;
}

/** What pages and logins share. */
export interface PageRequester {
  readonly credentials: CredentialProvider;
  /** Asks for a page. Throws ERR_STATUS, and what `send` throws. */
  ask(request: PageRequest, asking: RequestContext): Promise<PageResponse>;
  /** Whether only what was never sent of it is tried again, by its method. */
  isSentOnce(request: PageRequest): boolean;
  /** Requests for logins, redirects included, since this was last called. */
  takeLogins(): number;
}

export interface PageRequesterContext extends ExchangeNeeds {
  /** What pages go through, logins never. */
  readonly answers: CacheInterceptor;
}

/** Pages and logins both go out here. */
export function createPageRequester(needs: PageRequesterContext): PageRequester {
  const { debug, policy, rules, secrets, authentication, answers } = needs;
  const exchange = createExchange(needs);
  const isSentOnce = (request: PageRequest): boolean =>
    policy.retry.methods?.has(onWire(methodOf(request, rules.defaultOptions))) === false;
  const logins = createLoginRequester({ exchange, rules, policy, takes: authentication?.login?.takes, isSentOnce });

  return {
    credentials: createCredentials(authentication ?? {}, logins.ask),
    async ask(page: PageRequest, asking: RequestContext): Promise<PageResponse> {
      const request = buildRequest(page, rules);
      try {
        const answer = await answers(request, () => exchange(request, { ...asking, ignored: policy.ignoreErrors }));
        const describe = () => describeRequest(answer.request, secrets);
        if (debug && answer.keptAt !== undefined) policy.notify(cachedNotice(describe(), answer.keptAt));
        return askedOf(answer, await contentOf(answer, policy.ignoreErrors), describe);
      } catch (thrown) {
        const content = fallbackFor(asExtractError(thrown), { ...policy, last: asking.last, secrets });
        if (content === undefined) throw thrown;
        const address = bareAddress(request.url);
        const describe = () => describeRequest(request, secrets);
        return askedOf({ isOpenEnded: false, headers: {}, address }, content, describe);
      }
    },
    isSentOnce,
    takeLogins: logins.take,
  };
}

type ResponseHead = Pick<CachedResponse, 'isOpenEnded' | 'headers' | 'address' | 'keptAt' | 'forget'>;

const askedOf = (
  { isOpenEnded, headers, address, keptAt, forget }: ResponseHead,
  content: ResponseBody,
  describe: PageResponse['describe'],
): PageResponse => ({
  ...content,
  isOpenEnded,
  headers,
  address,
  describe,
  ...(keptAt === undefined ? {} : { cached: true }),
  ...(forget === undefined ? {} : { forget }),
});

/** In the place of the notice of a request. */
function cachedNotice(request: string, keptAt: number): Notice {
  const seconds = Math.floor((asyncScheduler.now() - keptAt) / 1000);
  return { level: 'info', code: 'cached', message: `${request}: from the cache, ${seconds} s old` };
}
