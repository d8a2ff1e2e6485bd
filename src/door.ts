/** The door of an API: pages and logins both go out here, with credentials and a signature, and come back checked. */
import { asyncScheduler, map, type Observable } from 'rxjs';
import { fromAbortable } from '../operators/from-abortable.js';
import type { SignRequest } from './aws-signature.js';
import type { Answer, Answers } from './cache/cache.js';
import { type CredentialStream, createCredentials } from './credentials.js';
import { asExtractError, ExtractError } from './errors.js';
import { type Content, contentOf, type Ignored, instead } from './ignored.js';
import { buildLoginRequest, buildRequest, methodOf, onWire, type RequestRules } from './request.js';
import { describeRequest } from './secrets.js';
import type { Sender } from './send/gate.js';
import { type Reply, type Send, statusError } from './send.js';
import { type TryPolicy, tryAgain } from './try-again.js';
import type {
  Authentication,
  Credentials,
  HttpRequest,
  LoginReply,
  LoginRequest,
  Notice,
  PageRequest,
  Secrets,
} from './types.js';
import { bareAddress } from './url.js';

export interface Asking {
  readonly credentials: Credentials;
  /** After this attempt there is no other: a listed status below 400 counts as success. */
  readonly last: boolean;
  readonly signal: AbortSignal;
  /** Hears of requests as they are made, of redirects once they were followed. */
  readonly count: (requests: number) => void;
  /** Who stands at the gate; absent: a login. */
  readonly sender?: Sender;
}

/** An answer whose body is to be read. `request` is masked. */
export interface Asked {
  readonly body: AsyncIterable<Uint8Array>;
  /** The value of `Content-Type`; undefined: there was none. */
  readonly contentType: string | undefined;
  /** As in `Reply`. */
  readonly isOpenEnded: boolean;
  /** Names in lower case. */
  readonly headers: Reply['headers'];
  /** The address that answered, without user information and query. */
  readonly address: string;
  readonly request: string;
  /** It was kept; nothing was requested. */
  readonly cached?: true;
  /** No page can be made of it: it is not to be kept. */
  readonly forget?: () => Promise<void>;
}

/** What pages and logins share. */
export interface Door {
  readonly credentials: CredentialStream;
  /** Asks for a page. Throws ERR_STATUS, and what `send` throws. */
  ask(request: PageRequest, asking: Asking): Promise<Asked>;
  /** Whether only what was never sent of it is tried again, by its method. */
  isSentOnce(request: PageRequest): boolean;
  /** Requests for logins, redirects included, since this was last called. */
  takeLogins(): number;
}

/** The largest login reply, in bytes. */
const maxLoginBytes = 16 * 1024 * 1024;

export interface DoorNeeds {
  /** Every request is told, before its credentials are put on. */
  readonly debug: boolean;
  readonly policy: Policy;
  readonly rules: RequestRules;
  readonly send: Send;
  readonly secrets: Secrets;
  readonly authentication: Authentication | undefined;
  /** What pages go through, logins never. */
  readonly answers: Answers;
  /** The last step of every request, logins too. */
  readonly sign: SignRequest | undefined;
}

/** A login goes out without credentials. */
type Exchanging = Omit<Asking, 'credentials'> & {
  readonly credentials?: Credentials;
  readonly ignored?: Ignored | undefined;
};

/** What is tried again, and what is no failure then. */
export interface Policy extends TryPolicy {
  readonly ignoreErrors: Ignored;
}

/** Pages and logins both go out here; a login's attempts are counted apart from those of the page that waits for it. */
export function createDoor(needs: DoorNeeds): Door {
  const { debug, policy, rules, send, secrets, authentication, sign, answers } = needs;
  let logins = 0;
  const exchange = async (request: HttpRequest, { credentials, last, signal, count, ignored, sender }: Exchanging) => {
    if (debug) policy.notify({ level: 'info', code: 'request', message: describeRequest(request, secrets) });
    const authorize = (each: HttpRequest) => {
      const own = credentials === undefined ? each : (authentication?.authorize(each, credentials) ?? each);
      return sign?.(own) ?? own;
    };
    count(1);
    const reply = await send.send(request, authorize, signal, sender);
    count(reply.redirects);
    const isOurs = credentials !== undefined && rules.origins.trusts(reply.url);
    return checked(reply, { policy, secrets, last, ignored, isOurs });
  };
  const countLogins = (requests: number) => {
    logins += requests;
  };
  const askLogin = async (request: LoginRequest, last: boolean, signal: AbortSignal): Promise<LoginReply> => {
    const asking = { last, signal, count: countLogins, ignored: authentication?.login?.takes };
    try {
      const reply = await exchange(buildLoginRequest(request, rules), asking);
      return { status: reply.status, body: await readWhole(reply) };
    } catch (thrown) {
      throw ofLogin(asExtractError(thrown));
    }
  };
  const isSentOnce = (request: PageRequest): boolean =>
    policy.retry.methods?.has(onWire(methodOf(request, rules.defaultOptions))) === false;
  const login = (request: LoginRequest): Observable<LoginReply> =>
    tryAgain({ ...policy, isOnce: isSentOnce(request) }, {}, ({ last }) =>
      fromAbortable((signal) => askLogin(request, last, signal)),
    ).pipe(map(({ value }) => value));

  return {
    credentials: createCredentials(authentication ?? {}, login),
    async ask(page: PageRequest, asking: Asking): Promise<Asked> {
      const request = buildRequest(page, rules);
      try {
        const answer = await answers(request, () => exchange(request, { ...asking, ignored: policy.ignoreErrors }));
        const masked = describeRequest(answer.request, secrets);
        if (debug && answer.keptAt !== undefined) policy.notify(cachedNotice(masked, answer.keptAt));
        return askedOf(answer, await contentOf(answer, policy.ignoreErrors), masked);
      } catch (thrown) {
        const content = instead(asExtractError(thrown), { ...policy, last: asking.last, secrets });
        if (content === undefined) throw thrown;
        return askedOf(
          { isOpenEnded: false, headers: {}, address: bareAddress(request.url) },
          content,
          describeRequest(request, secrets),
        );
      }
    },
    isSentOnce,
    takeLogins() {
      const taken = logins;
      logins = 0;
      return taken;
    },
  };
}

type Come = Pick<Answer, 'isOpenEnded' | 'headers' | 'address' | 'keptAt' | 'forget'>;

const askedOf = (
  { isOpenEnded, headers, address, keptAt, forget }: Come,
  content: Content,
  request: string,
): Asked => ({
  ...content,
  isOpenEnded,
  headers,
  address,
  request,
  ...(keptAt === undefined ? {} : { cached: true }),
  ...(forget === undefined ? {} : { forget }),
});

/** In the place of the notice of a request. */
function cachedNotice(request: string, keptAt: number): Notice {
  const seconds = Math.floor((asyncScheduler.now() - keptAt) / 1000);
  return { level: 'info', code: 'cached', message: `${request}: from the cache, ${seconds} s old` };
}

interface Checking {
  readonly policy: TryPolicy;
  readonly secrets: Secrets;
  readonly last: boolean;
  readonly ignored: Ignored | undefined;
  /** It went out with our credentials. */
  readonly isOurs: boolean;
}

/** Lets a good answer through; what may be tried again, or is a failure, is thrown as ERR_STATUS. */
async function checked(reply: Reply, { policy: { retry }, secrets, last, ignored, isOurs }: Checking): Promise<Reply> {
  const isRetried = retry.codes.has(reply.status) && !last;
  const isGood = reply.status < 400 || ignored?.has(reply.status) === true;
  if (isGood && !isRetried) return reply;
  const retryAfter = reply.headers[retry.retryHeader.toLowerCase()];
  throw (await statusError(reply, secrets)).at({
    ...(typeof retryAfter === 'string' ? { retryAfter } : {}),
    ...(isOurs && reply.status === 401 ? { refused: true as const } : {}),
  });
}

/** Says that it was the login that failed, where the words do not say so yet. */
function ofLogin(error: ExtractError): ExtractError {
  if (error.code === 'ERR_LOGIN' || error.code === 'ERR_ABORTED') return error;
  const { code, message, cause, problems, where } = error;
  return new ExtractError(code, `the login request ${message}`, { ...where, cause, problems, login: true });
}

async function readWhole(reply: Reply): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of reply.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxLoginBytes)
      throw new ExtractError('ERR_LOGIN', `the reply to the login is larger than ${maxLoginBytes} bytes`);
  }
  return Buffer.concat(chunks);
}
