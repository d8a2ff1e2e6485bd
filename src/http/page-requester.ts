/** Sends the requests of one API: pages and logins, each through its pipeline. */
import type { Observable } from 'rxjs';
import type { Consent, LoginReply, LoginRequest } from '../auth/types.js';
import { httpMethod, type PageRequest } from '../core/model/request.js';
import { describeRequest } from '../core/secrets/secrets.js';
import { createLoginRequester } from './login-requester.js';
import { type ApiContext, compose, loginPipeline, pagePipeline } from './pipeline.js';
import { createRequestBuilder, methodOf } from './request.js';
import type { RequestContext } from './request-context.js';
import type { Handler, HttpResponse } from './types.js';
import { type CredentialProvider, createCredentials, type SharedLogin } from './with-credentials.js';
import type { RetryPolicy } from './with-retry.js';

export interface PageRequester {
  readonly credentials: CredentialProvider;
  /** Sends the request for a page. Throws ERR_STATUS, and what interceptors and transport throw. */
  ask(request: PageRequest, context: RequestContext): Promise<HttpResponse>;
  /** Whether the request may be retried only if it was never sent; its method decides. */
  isSentOnce(request: PageRequest): boolean;
  /** The request as messages show it, with secrets masked. */
  describe(request: PageRequest): string;
  /** The HTTP method of the request. */
  methodOf(request: PageRequest): string;
  /** Sends one request to the token endpoint, or to that of a consent. */
  askLogin(request: LoginRequest): Observable<LoginReply>;
  /** Absent: the login needs none. */
  readonly consent: Consent | undefined;
  /** Returns the number of login requests, redirects included, since the last call. */
  takeLogins(): number;
}

/** Composes both pipelines around the transport once. */
export function createPageRequester(
  api: ApiContext,
  policy: RetryPolicy,
  transport: Handler,
  sharedLogin?: SharedLogin,
): PageRequester {
  const { rules, authentication } = api;
  const build = createRequestBuilder(rules);
  const sendPage = compose(pagePipeline(api), transport);
  const sendLogin = compose(loginPipeline(api, authentication?.login?.takes), transport);
  const methodOfPage = (request: PageRequest): string => httpMethod(methodOf(request, rules.defaultOptions));
  const isSentOnce = (request: PageRequest): boolean => api.retry.methods?.has(methodOfPage(request)) === false;
  const logins = createLoginRequester({ send: sendLogin, rules, policy, isSentOnce });

  return {
    credentials: createCredentials(authentication ?? {}, logins.ask, sharedLogin),
    ask: (page, context) => sendPage(build(page), context),
    isSentOnce,
    describe: (page) => describeRequest(build(page), api.secrets),
    methodOf: methodOfPage,
    askLogin: logins.ask,
    consent: authentication?.login?.consent,
    takeLogins: logins.take,
  };
}
