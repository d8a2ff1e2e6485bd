/** Evaluates the `api` section for one iteration: base URL, headers, and the rules for building each request. */

import type { Authenticator } from '../auth/types.js';
import { type Config, pagingEndpoints } from '../config/config.js';
import { collectAll, configError } from '../core/errors/collect-errors.js';
import type { ExactObject } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { Notify } from '../core/model/notice.js';
import type { Headers } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { addHeaderSecrets, addUserInformation } from '../core/secrets/known-secrets.js';
import { overlayHeaders } from '../core/url/headers.js';
import { createOrigins, namedOrigins, type Origins } from '../core/url/origins.js';
import { createPrivateHosts, type PrivateHosts } from '../core/url/private-hosts.js';
import { isHttpUrl } from '../core/url/url.js';
import { version } from '../core/util/version.js';
import { type ExpressionContext, evaluate, evaluateMap, headersFrom } from '../language/expression/expression.js';
import type { RequestRules } from './request.js';

/** The values of its expressions. */
export interface EvaluatedApi {
  readonly baseUrl: string;
  readonly clientHeaders: Headers;
  readonly defaultHeaders: Headers;
}

/** Adds the complete origins: connections need more of them than requests do. */
export interface ClientRules extends RequestRules {
  readonly origins: Origins;
  readonly privateHosts: PrivateHosts;
}

interface RuleContext {
  readonly secrets: Secrets;
  readonly notify: Notify;
  readonly jobs: readonly Job[];
  readonly authentication: Authenticator | undefined;
}

/** Evaluates the `api` section. Throws ERR_CONFIG, ERR_FUNCTION, with every problem. */
export function evaluateApi(config: Config, attr: ExpressionContext): EvaluatedApi {
  const { headers, defaultOptions } = config.http;
  const evaluated = (map: ExactObject, place: string) => headersFrom(evaluateMap(map, attr, place), place);
  const [baseUrl, ofApi, ofConfig, defaultHeaders] = collectAll(
    () => baseUrlOf(config, attr),
    () => evaluated(headers, 'api.http.headers'),
    () => evaluated(config.configHeaders, 'config.http.headers'),
    () => headersFrom(defaultOptions.headers, 'api.http.defaultOptions.headers'),
  );
  return { baseUrl, clientHeaders: overlayHeaders(ofApi, ofConfig), defaultHeaders };
}

/** Creates the rules for the requests of one client. Registers their secrets for masking. */
export function requestRules(config: Config, evaluated: EvaluatedApi, context: RuleContext): ClientRules {
  const { secrets, notify, jobs, authentication } = context;
  const { baseUrl, clientHeaders, defaultHeaders } = evaluated;
  const { defaultOptions, credentialOrigins } = config.http;
  for (const headers of [clientHeaders, defaultHeaders]) addHeaderSecrets(headers, secrets);
  const ofJobs = jobs.map(({ endpoint }) => endpoint);
  const named = [...ofJobs, ...pagingEndpoints(config), ...(authentication?.endpoints ?? [])];
  for (const address of [baseUrl, ...named]) addUserInformation(address, secrets);
  const configured = { baseUrl, endpoints: named, credentialOrigins };
  const allowed = config.allowedHosts.map(({ host }) => host);
  return {
    baseUrl,
    defaultOptions: { ...defaultOptions, headers: defaultHeaders },
    clientHeaders,
    userAgent: `rxtract/${version}`,
    origins: createOrigins(configured, notify),
    privateHosts: createPrivateHosts(namedOrigins(configured), allowed),
    secrets,
  };
}

/** Evaluates the base URL; an expression may return any type. Throws ERR_CONFIG, ERR_FUNCTION. */
function baseUrlOf({ baseUrl, apiPath }: Config, attr: ExpressionContext): string {
  const { value } = evaluate(baseUrl, attr);
  if (typeof value === 'string' && isHttpUrl(value)) return value;
  const message = 'the expression gives no http or https URL with a host';
  throw configError([{ path: `${apiPath}.baseUrl`, message }]);
}
