/** Small registries to check configurations against, and short ways to read one. */
import { EMPTY, of } from 'rxjs';
import type { Config } from '../../src/config/config.js';
import { inspect, type ParsedConfig, parseConfig } from '../../src/config/parse-config.js';
import type { Registries } from '../../src/config/registries.js';
import { type Exact, type ExactObject, fromPlain, isObject } from '../../src/core/json/exact.js';
import { flag, nonEmptyText, whole, word } from '../../src/core/options/kinds.js';
import { objectOf } from '../../src/core/options/object-kinds.js';
import { expressions } from '../../src/language/expression-kinds.js';
import { stopRules } from '../../src/pagination/registry.js';
import type { Paginator } from '../../src/pagination/types.js';

/** A paginator that exposes its options. */
export const paginatorWith = (options: object): Paginator & { readonly options: object } => ({
  options,
  captures: [],
  first: (job) => job,
  next: () => ({ stop: 'one page', by: 'one request' }),
});

const summary = '';

export const fakes: Registries = {
  none: { ...paginatorWith({ none: true }), single: true },
  paginators: {
    pagenum: {
      fields: {
        limit: { kind: whole(0), summary },
        pageParam: { kind: nonEmptyText, summary },
        firstPage: { kind: whole(), summary },
        firstPageParams: { kind: flag, summary },
      },
      create: paginatorWith,
    },
    'response.param': {
      fields: {
        responseParam: { kind: nonEmptyText, required: true, summary },
        queryParam: { kind: nonEmptyText, required: true, summary },
      },
      create: paginatorWith,
    },
  },
  stopRules,
  authentications: {
    login: {
      fields: {
        loginRequest: {
          kind: objectOf({
            endpoint: { kind: nonEmptyText, required: true, summary },
            params: { kind: expressions('attr'), summary },
            headers: { kind: expressions('attr'), summary },
          }),
          required: true,
          summary,
        },
        format: { kind: word('json', 'text'), summary },
        apiRequest: {
          kind: objectOf({
            headers: { kind: expressions('response', 'attr'), summary },
            query: { kind: expressions('response', 'attr'), summary },
          }),
          summary,
        },
      },
      create: () => ({
        renewal: 'once',
        endpoints: [],
        obtain: () => EMPTY.pipe(() => of()),
        authorize: (request) => request,
      }),
    },
  },
  functions: {
    base64_encode: { args: [{ name: 'text', summary }] },
    concat: { args: [{ name: 'values', summary, variadic: true }] },
    sha1: { args: [{ name: 'text', summary }] },
    urlencode: { args: [{ name: 'text', summary }], only: 'placeholders' },
  },
};

export interface Parts {
  readonly api?: object;
  readonly config?: object;
  readonly job?: object;
}

/** A configuration that is right, with members added or (by `undefined`) taken away. */
export const documentOf = ({ api = {}, config = {}, job = {} }: Parts): ExactObject => {
  const document = fromPlain({
    api: { baseUrl: 'https://api.example/', ...api },
    config: { jobs: [{ endpoint: 'users', ...job }], ...config },
  });
  return isObject(document) ? document : new Map();
};

/** The faults of a configuration, a line each. */
export const problemsOf = (document: Exact): readonly string[] =>
  inspect(document, fakes).problems.map(({ path, message }) => `${path}: ${message}`);

/** The warnings of a configuration that has no fault, a line each. */
export const warningsOf = (document: Exact): readonly string[] =>
  parseConfig(document, fakes).notices.map(({ message }) => message);

export const configOf = (parts: Parts) => onlyOf(parseConfig(documentOf(parts), fakes));

/** The one there is without iterations. */
export function onlyOf({ configs }: ParsedConfig): Config {
  const [config, ...others] = configs;
  if (config === undefined || others.length > 0) throw new Error(`expected one configuration, found ${configs.length}`);
  return config;
}
