/** Explains a request: where its parameters and headers come from, and which source replaces which. */

import type { Authenticator, Credentials, Login, LoginOutline } from '../auth/types.js';
import type { Config, JobConfig } from '../config/config.js';
import { type Exact, type ExactObject, emptyObject, isArray, isObject, stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Headers, HttpRequest, PageRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { queryEntries } from '../core/url/query-string.js';
import { resolveUrl } from '../core/url/url.js';
import { elementAt } from '../core/util/element-at.js';
import type { EvaluatedJob } from '../job/evaluate-job.js';
import { type FinishedRequest, takeLastSteps } from './interceptors/authorize.js';
import type { SignRequest } from './interceptors/aws-signature.js';
import { buildLoginRequest, buildRequest } from './request.js';
import type { ClientRules } from './request-rules.js';

/** One place that gives a value, as configured. */
export interface Source {
  /** A path in the configuration, or the step that adds the value. */
  readonly from: string;
  /** As written: a value, or an expression. Masked. Absent: it is known only when it is sent. */
  readonly value?: string;
}

/** A parameter or header of a request. */
export interface ExplainedValue {
  readonly in: 'query' | 'body' | 'header';
  readonly name: string;
  /** As sent, decoded and masked. */
  readonly value: string;
  /** All sources, from the first to the last, which is sent. */
  readonly sources: readonly Source[];
}

/** A request with the sources of its values. All texts are masked. */
export interface ExplainedRequest {
  readonly method: string;
  readonly url: string;
  /** False: an origin that the configuration does not list, so without credentials and configured headers. */
  readonly trusted: boolean;
  readonly values: readonly ExplainedValue[];
}

/** The rules and steps of one API. */
export interface ExplainContext {
  readonly config: Config;
  readonly rules: ClientRules;
  readonly authentication: Authenticator | undefined;
  readonly sign: SignRequest | undefined;
  readonly secrets: Secrets;
}

/** Explains requests of one API. Sends nothing. */
export interface Explainer {
  /** A page of a job. Without `credentials`, those of a login are unknown and shown as masked. Throws ERR_REQUEST. */
  page(page: PageRequest, of: JobOfPage, credentials?: Credentials): ExplainedRequest;
  /** The login; undefined: there is none. */
  login(): ExplainedLogin | undefined;
}

/** A login, and when it is sent. */
export interface ExplainedLogin {
  readonly renewal: Login['renewal'];
  readonly request: ExplainedRequest;
}

export interface JobOfPage {
  readonly config: JobConfig;
  readonly job: EvaluatedJob;
}

/** Creates the explainer of an API. */
export function createExplainer(context: ExplainContext): Explainer {
  const { rules, authentication, sign } = context;
  const login = authentication?.login;
  const outline = login?.outline;
  const finish = (built: HttpRequest, credentials?: Credentials) => ({
    built,
    ...takeLastSteps(built, credentials, { ...rules, authentication, sign }),
  });
  return {
    page(page, of, credentials = unknownCredentials(outline)) {
      const stages = finish(buildRequest(page, rules), credentials);
      const params = stages.isTrusted ? pageParams(page, of, context) : [];
      const configured = stages.isTrusted ? configuredHeaders(page, of, context) : [];
      return explain({ context, stages, params, headers: [...configured, ...ownHeaders(stages, rules)], outline });
    },
    login() {
      if (login === undefined || outline === undefined) return undefined;
      const { request, path, isWritten } = outline;
      const sources = isWritten === true ? namedSources : madeSources;
      const stages = finish(buildLoginRequest(request, rules));
      const params = sources(`${path}.params`, request.params);
      const headers = [
        ...clientHeaders(context),
        ...sources(`${path}.headers`, plainHeaders(request.headers)),
        ...ownHeaders(stages, rules),
      ];
      return { renewal: login.renewal, request: explain({ context, stages, params, headers, outline: undefined }) };
    },
  };
}

/** A text that stands for a value of a login. */
const unknown = '***';

function unknownCredentials(outline: LoginOutline | undefined): Credentials {
  const { headers = new Map(), query = new Map() } = outline ?? {};
  return {
    headers: new Map([...headers.keys()].map((name) => [name, [unknown]])),
    query: new Map([...query.keys()].map((name) => [name, unknown])),
    expiresAt: Number.POSITIVE_INFINITY,
  };
}

interface NamedSource extends Source {
  readonly name: string;
  /** It is a part of the endpoint. */
  readonly ofUrl?: true;
}

const namedSources = (path: string, map: ExactObject): readonly NamedSource[] =>
  [...map].map(([name, value]) => ({ name, from: `${path}.${name}`, value: textOf(value) }));

/** Of values that a type makes by itself. */
const madeSources = (path: string, map: ExactObject): readonly NamedSource[] =>
  [...map.keys()].map((name) => ({ name, from: path.replace(/\.\w+$/, '') }));

const textOf = (value: Exact): string => (typeof value === 'string' ? value : stringifyExact(value));

const plainHeaders = (headers: Headers): ExactObject =>
  new Map([...headers].map(([name, values]) => [name, values.length === 1 ? elementAt(values, 0) : [...values]]));

/** From the one that every other replaces: the query of the endpoint, defaults, job, pagination. */
function pageParams(page: PageRequest, { config, job }: JobOfPage, { rules }: ExplainContext): readonly NamedSource[] {
  const ofEndpoint = page.link === true ? 'the link in the response before' : `${config.path}.endpoint`;
  const isOfJob = (name: string, value: Exact): boolean => {
    const own = job.params.get(name);
    return own !== undefined && stringifyExact(own) === stringifyExact(value);
  };
  const others = [...page.params].filter(([name, value]) => !isOfJob(name, value));
  const kept = [...config.params].filter(([name]) => page.params.has(name));
  const ofPartition = partitionSources(config).flatMap(({ name, path }) => namesOf(path, job.params, name));
  const placed = (page.placed ?? []).map(({ path, value }) => [elementAt(path, 0), path.join('.'), value] as const);
  const paging = pagingPath(config);
  return [
    ...queryEntries(resolveUrl(rules.baseUrl, page.endpoint)).map(({ name, value }) => ({
      name: topOf(name),
      from: ofEndpoint,
      ofUrl: true as const,
      ...(value === undefined ? {} : { value }),
    })),
    ...namedSources('api.http.defaultOptions.params', rules.defaultOptions.params),
    ...namedSources(`${config.path}.params`, new Map(kept)),
    ...ofPartition,
    ...others.map(([name, value]) => ({ name, from: paging, value: textOf(value) })),
    ...placed.map(([name, path, value]) => ({ name, from: `${paging} (${path})`, value: textOf(value) })),
  ];
}

/** The names that parts of the job have values for. */
const partitionSources = ({ each = [], windows }: JobConfig): readonly { name: string; path: string }[] => [
  ...each,
  ...Object.entries(windows?.params ?? {}).map(([bound, name]) => ({ name, path: `${windows?.path}.${bound}` })),
];

/** The parameter that such a name is sent as. */
function namesOf(from: string, params: ExactObject, name: string): readonly NamedSource[] {
  const value = params.get(name);
  return value === undefined ? [] : [{ name, from, value: textOf(value) }];
}

const pagingPath = ({ paginator, path }: JobConfig): string =>
  paginator === undefined ? 'api.pagination' : `the pagination of ${path}`;

/** From the one that every other replaces: `api.http.headers`, `config.http.headers`, defaults, job. */
const configuredHeaders = (
  page: PageRequest,
  { config }: JobOfPage,
  context: ExplainContext,
): readonly NamedSource[] => [
  ...clientHeaders(context),
  ...namedSources('api.http.defaultOptions.headers', context.config.http.defaultOptions.headers),
  ...namedSources(`${config.path}.headers`, page.headers.size === 0 ? emptyObject : config.headers),
];

const clientHeaders = ({ config }: ExplainContext): readonly NamedSource[] => [
  ...namedSources('api.http.headers', config.http.headers),
  ...namedSources('config.http.headers', config.configHeaders),
];

/** Those of rxtract: the type of a body replaces any other, the user agent none. */
function ownHeaders({ built: { headers, body } }: Stages, { userAgent }: ClientRules): readonly NamedSource[] {
  const names = [...headers.keys()];
  const agents = names.filter((name) => name.toLowerCase() === 'user-agent' && headers.get(name)?.[0] === userAgent);
  return [
    ...agents.map((name) => ({ name, from: 'rxtract', value: userAgent })),
    ...(body === undefined ? [] : [{ name: 'Content-Type', from: 'the method of the request' }]),
  ];
}

interface Stages extends FinishedRequest {
  readonly built: HttpRequest;
}

interface Explaining {
  readonly context: ExplainContext;
  readonly stages: Stages;
  readonly params: readonly NamedSource[];
  readonly headers: readonly NamedSource[];
  readonly outline: LoginOutline | undefined;
}

function explain(of: Explaining): ExplainedRequest {
  const { method, url, body } = of.stages.sent;
  const { secrets } = of.context;
  const inBody = of.params.filter(({ ofUrl }) => ofUrl !== true);
  const ofBody = bodyEntries(body).map(
    ([name, value]): ExplainedValue => ({
      in: 'body',
      name,
      value: masked(value, secrets),
      sources: sourcesOf(inBody, secrets, (each) => each === topOf(name)),
    }),
  );
  const values = [...explainQuery(of), ...ofBody, ...explainHeaders(of)];
  return { method, url: secrets.maskUrl(url), trusted: of.stages.isTrusted, values };
}

const masked = (value: string, secrets: Secrets): string => (secrets.isSecret(value) ? unknown : secrets.mask(value));

const sourcesOf = (
  all: readonly NamedSource[],
  secrets: Secrets,
  isName: (name: string) => boolean,
): readonly Source[] =>
  all
    .filter(({ name }) => isName(name))
    .map(({ from, value }) => (value === undefined ? { from } : { from, value: masked(value, secrets) }));

/** A name that a login shares with others is sent as `name[0]`, theirs, and `name[1]`. */
function explainQuery({ context: { secrets }, stages, params, outline }: Explaining): readonly ExplainedValue[] {
  const candidates = stages.built.body === undefined ? params : params.filter(({ ofUrl }) => ofUrl === true);
  const before = new Set(queryEntries(stages.built.url).map(({ name, text }) => `${name} ${text}`));
  return queryEntries(stages.sent.url).map(({ name, value = '', text }) => {
    const [base, index] = [name.replace(/\[[01]\]$/, ''), /\[([01])\]$/.exec(name)?.[1]];
    const isShared = outline?.query.has(base) === true && index !== undefined;
    const own = sourcesOf(candidates, secrets, (each) => each === (isShared ? base : topOf(name)));
    const ofLogin = { from: outline?.query.get(isShared ? base : name) ?? 'api.authentication' };
    const isAdded = isShared ? index === '1' : !before.has(`${name} ${text}`);
    const sources = isAdded ? [...(isShared ? [] : own), ofLogin] : own;
    return { in: 'query', name, value: masked(value, secrets), sources };
  });
}

function explainHeaders({ context: { secrets }, stages, headers, outline }: Explaining): readonly ExplainedValue[] {
  return [...stages.sent.headers].map(([name, values]) => {
    const isName = (each: string) => each.toLowerCase() === name.toLowerCase();
    const wasIn = (request: HttpRequest) =>
      [...request.headers].some(([each, old]) => isName(each) && old.join() === values.join());
    const path = [...(outline?.headers ?? [])].find(([each]) => isName(each))?.[1] ?? 'api.authentication';
    const added = wasIn(stages.built) ? [] : [{ from: wasIn(stages.authorized) ? path : 'aws' }];
    const value = values.map((each) => masked(each, secrets)).join(', ');
    return { in: 'header', name, value, sources: [...sourcesOf(headers, secrets, isName), ...added] };
  });
}

const topOf = (name: string): string => name.replace(/\[.*$/s, '');

/** The members of a JSON body, or the parameters of a form. */
function bodyEntries(body: string | undefined): readonly (readonly [string, string])[] {
  if (body === undefined) return [];
  const value = /^[[{]/.test(body) ? parseExact(body) : undefined;
  if (isObject(value)) return [...value].map(([name, each]) => [name, textOf(each)]);
  if (isArray(value)) return [];
  return queryEntries(`?${body}`).map(({ name, value: text = '' }) => [name, text]);
}
