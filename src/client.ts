/** One API under one configuration: the rules for requests, the credential stream and the door to the network. Each iteration has its own. */
import { randomBytes } from 'node:crypto';
import { map, type Observable } from 'rxjs';
import { fromAbortable } from '../operators/from-abortable.js';
import { isAllowed } from './allowed-hosts.js';
import { createAwsSigner, type SignRequest } from './aws-signature.js';
import { checkHosts } from './check-hosts.js';
import type { Instance } from './children/instances.js';
import { withChildren } from './config/children.js';
import type { Config, JobConfig } from './config/config.js';
import type { TableSettings } from './config/table-settings.js';
import { type CredentialStream, createCredentials } from './credentials.js';
import { asExtractError, ExtractError } from './errors.js';
import type { ExactObject } from './exact.js';
import { type ExpressionContext, evaluate, evaluateMap, headersFrom } from './expression/expression.js';
import { attrReference, leafReference } from './expression/reference.js';
import { overlayHeaders } from './headers.js';
import { contentOf, type Ignored, instead } from './ignored.js';
import { evaluateJob } from './job.js';
import { learnHeaders, sparingNames } from './known-secrets.js';
import { createOrigins } from './origins.js';
import { buildLoginRequest, buildRequest, type RequestRules } from './request.js';
import { describeRequest } from './secrets.js';
import type { Tunnel } from './send/tunnel.js';
import { createSend, type Dispatcher, type Reply, type Send, statusError } from './send.js';
import { type TryPolicy, tryAgain } from './try-again.js';
import type {
  Authentication,
  Credentials,
  HttpRequest,
  Job,
  LoginReply,
  LoginRequest,
  Notify,
  PageRequest,
  Scroller,
  Secrets,
} from './types.js';
import { bareAddress } from './url.js';
import { version } from './version.js';

export interface Client extends TryPolicy {
  /** In listed order. */
  readonly jobs: readonly JobConfig[];
  readonly tables: TableSettings;
  /** Evaluates the expressions of a job, as it begins, and fills in its placeholders. Throws ERR_FUNCTION. */
  begin(job: JobConfig, instance?: Instance): Job;
  readonly scroller: Scroller;
  readonly credentials: CredentialStream;
  /** Requests cannot go side by side: a login goes before each. */
  readonly isSequential: boolean;
  /** Asks for a page. Throws ERR_STATUS, and what `send` throws. */
  ask(request: PageRequest, asking: Asking): Promise<Asked>;
  /** Requests for logins, redirects included, since this was last called. */
  takeLogins(): number;
  /** Ends connections. */
  close(): Promise<void>;
}

export interface Asking {
  readonly credentials: Credentials;
  /** After this attempt there is no other: a listed status below 400 counts as success. */
  readonly last: boolean;
  readonly signal: AbortSignal;
  /** Hears of requests as they are made, of redirects once they were followed. */
  readonly count: (requests: number) => void;
}

/** An answer whose body is to be read. `request` is masked. */
export interface Asked {
  readonly body: AsyncIterable<Uint8Array>;
  /** The value of `Content-Type`; undefined: there was none. */
  readonly contentType: string | undefined;
  /** Names in lower case. */
  readonly headers: Reply['headers'];
  /** The address that answered, without user information and query. */
  readonly address: string;
  readonly request: string;
}

export interface ClientNeeds {
  readonly secrets: Secrets;
  readonly notify: Notify;
  /** What `time` refers to. */
  readonly time: ExactObject;
  readonly dispatcher?: Dispatcher | undefined;
  readonly tunnel?: Tunnel | undefined;
}

/** The largest login reply, in bytes. */
const maxLoginBytes = 16 * 1024 * 1024;

/** Evaluates what is evaluated once. Throws ERR_FUNCTION and ERR_CONFIG; nothing is sent. */
export function createClient(config: Config, { secrets, notify, time, dispatcher, tunnel }: ClientNeeds): Client {
  const attr = attrReference(config.attr);
  const ofApi: ExpressionContext = { references: new Map([['attr', attr]]), secrets };
  const ofJobs: ExpressionContext = {
    references: new Map([...ofApi.references, ['time', leafReference(time, 'time', () => false)]]),
    secrets,
  };
  const authentication = config.authentication?.({
    attr: config.attr,
    authorization: config.authorization,
    nonce: () => randomBytes(8).toString('hex'),
    secrets: sparingNames(
      secrets,
      withChildren<JobConfig>(config.jobs).flatMap(({ name, dataType }) => [name, dataType]),
    ),
    notify,
  });
  const begin = (job: JobConfig, instance?: Instance): Job => {
    const begun = evaluateJob(job, ofJobs, instance);
    learnHeaders(begun.headers, secrets);
    return begun;
  };
  const rules = requestRules(config, ofApi, {
    secrets,
    notify,
    jobs: withChildren<JobConfig>(config.jobs).map((job) => begin(job)),
    authentication,
  });
  const { allowedHosts } = config;
  checkHosts({ config, baseUrl: rules.baseUrl, logins: authentication?.endpoints ?? [], secrets });
  const send = createSend({
    origins: rules.origins,
    allows: (url) => isAllowed(allowedHosts, url),
    secrets,
    userAgent: rules.userAgent,
    ...connectionsOf(config),
    ...(dispatcher === undefined ? {} : { dispatcher }),
    ...(tunnel === undefined ? {} : { tunnel }),
  });
  const policy: Policy = { retry: config.retry, ignoreErrors: config.http.ignoreErrors, notify };
  const sign = config.aws === undefined ? asItIs : createAwsSigner(config.aws, secrets);
  const door = createDoor({ debug: config.debug, policy, rules, send, secrets, authentication, sign });

  return {
    ...policy,
    jobs: config.jobs,
    tables: config.tables,
    begin,
    scroller: config.scroller,
    credentials: door.credentials,
    isSequential: authentication?.login?.renewal === 'each request',
    ask: door.ask,
    takeLogins: door.takeLogins,
    close: send.close,
  };
}

function connectionsOf({ http: { connectTimeout, requestTimeout }, tls }: Config) {
  return {
    ...(tls === undefined ? {} : { tls: tls.pem }),
    ...(connectTimeout === undefined ? {} : { connectTimeout }),
    ...(requestTimeout === undefined ? {} : { requestTimeout }),
  };
}

interface RuleNeeds {
  readonly secrets: Secrets;
  readonly notify: Notify;
  readonly jobs: readonly Job[];
  readonly authentication: Authentication | undefined;
}

function requestRules(config: Config, attr: ExpressionContext, needs: RuleNeeds) {
  const { secrets, notify, jobs, authentication } = needs;
  const baseUrl = evaluate(config.baseUrl, attr).value;
  if (typeof baseUrl !== 'string') {
    throw new ExtractError('ERR_CONFIG', 'api.baseUrl: expected an http or https address, the expression gives none');
  }
  const evaluated = (map: Parameters<typeof evaluateMap>[0], place: string) =>
    headersFrom(evaluateMap(map, attr, place), place);
  const { defaultOptions, credentialOrigins } = config.http;
  const clientHeaders = overlayHeaders(
    evaluated(config.http.headers, 'api.http.headers'),
    evaluated(config.configHeaders, 'config.http.headers'),
  );
  const defaultHeaders = headersFrom(defaultOptions.headers, 'api.http.defaultOptions.headers');
  for (const headers of [clientHeaders, defaultHeaders]) learnHeaders(headers, secrets);
  const endpoints = [...jobs, ...(config.scroller.endpoints ?? []).map((endpoint) => ({ endpoint }))];
  const named = [...endpoints.map(({ endpoint }) => endpoint), ...(authentication?.endpoints ?? [])];
  return {
    baseUrl,
    defaultOptions: { ...defaultOptions, headers: defaultHeaders },
    clientHeaders,
    userAgent: `rxtract/${version}`,
    origins: createOrigins({ baseUrl, endpoints: named, credentialOrigins }, notify),
    secrets,
  };
}

interface DoorNeeds {
  /** Every request is told, before its credentials are put on. */
  readonly debug: boolean;
  readonly policy: Policy;
  readonly rules: RequestRules;
  readonly send: Send;
  readonly secrets: Secrets;
  readonly authentication: Authentication | undefined;
  /** The last step of every request, logins too. */
  readonly sign: SignRequest;
}

const asItIs: SignRequest = (request) => request;

/** A login goes out without credentials. */
type Exchanging = Omit<Asking, 'credentials'> & {
  readonly credentials?: Credentials;
  readonly ignored?: Ignored;
};

/** What is tried again, and what is no failure then. */
interface Policy extends TryPolicy {
  readonly ignoreErrors: Ignored;
}

/** Pages and logins both go out here; a login's attempts are counted apart from those of the page that waits for it. */
function createDoor({ debug, policy, rules, send, secrets, authentication, sign }: DoorNeeds) {
  let logins = 0;
  const exchange = async (request: HttpRequest, { credentials, last, signal, count, ignored }: Exchanging) => {
    if (debug) policy.notify({ level: 'info', code: 'request', message: describeRequest(request, secrets) });
    const authorize = (each: HttpRequest) =>
      sign(
        credentials === undefined || authentication === undefined ? each : authentication.authorize(each, credentials),
      );
    count(1);
    const reply = await send.send(request, authorize, signal);
    count(reply.redirects);
    return checked(reply, { policy, secrets, last, ignored });
  };
  const countLogins = (requests: number) => {
    logins += requests;
  };
  const askLogin = async (request: LoginRequest, last: boolean, signal: AbortSignal): Promise<LoginReply> => {
    const asking = { last, signal, count: countLogins };
    try {
      const reply = await exchange(buildLoginRequest(request, rules), asking);
      return { status: reply.status, body: await readWhole(reply) };
    } catch (thrown) {
      throw ofLogin(asExtractError(thrown));
    }
  };
  const login = (request: LoginRequest): Observable<LoginReply> =>
    tryAgain(policy, {}, ({ last }) => fromAbortable((signal) => askLogin(request, last, signal))).pipe(
      map(({ value }) => value),
    );

  return {
    credentials: createCredentials(authentication ?? {}, login),
    async ask(page: PageRequest, asking: Asking): Promise<Asked> {
      const request = buildRequest(page, rules);
      try {
        const reply = await exchange(request, { ...asking, ignored: policy.ignoreErrors });
        const content = await contentOf(reply, policy.ignoreErrors);
        const { headers, url } = reply;
        return { ...content, headers, address: bareAddress(url), request: describeRequest(reply.request, secrets) };
      } catch (thrown) {
        const content = instead(asExtractError(thrown), { ...policy, last: asking.last, secrets });
        if (content === undefined) throw thrown;
        return {
          ...content,
          headers: {},
          address: bareAddress(request.url),
          request: describeRequest(request, secrets),
        };
      }
    },
    takeLogins() {
      const taken = logins;
      logins = 0;
      return taken;
    },
  };
}

interface Checking {
  readonly policy: TryPolicy;
  readonly secrets: Secrets;
  readonly last: boolean;
  readonly ignored: Ignored | undefined;
}

/** Lets a good answer through; what may be tried again, or is a failure, is thrown as ERR_STATUS. */
async function checked(reply: Reply, { policy: { retry }, secrets, last, ignored }: Checking): Promise<Reply> {
  const isRetried = retry.codes.has(reply.status) && !last;
  const isGood = reply.status < 400 || ignored?.has(reply.status) === true;
  if (isGood && !isRetried) return reply;
  const retryAfter = reply.headers[retry.retryHeader.toLowerCase()];
  throw (await statusError(reply, secrets)).at(typeof retryAfter === 'string' ? { retryAfter } : {});
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
