/** The keys of the document and of `config`, as they are read and described. requests.md 1. */
import type { Fields } from '../component.js';
import type { Exact, ExactObject } from '../exact.js';
import { described, expressions, oneOf, shape } from '../fields.js';

interface Parameters {
  readonly api: Exact;
  readonly config: Exact;
}

/** Of what is a configuration, at the top of the document or under `parameters`. */
export const parametersFields: Fields<Parameters> = {
  api: { type: described('an object'), required: true, summary: 'how to talk to the API' },
  config: { type: described('an object'), required: true, summary: 'what to ask it for' },
};

interface Wrapping {
  readonly parameters?: Exact;
  readonly action?: 'run';
}

/** Of the document, besides. */
export const wrappingFields: Fields<Wrapping> = {
  parameters: { type: described('an object'), summary: 'may hold `api` and `config` in the place of the document' },
  action: { type: oneOf('run'), default: 'run', summary: 'what to do' },
};

interface ConfigHttp {
  readonly headers?: ExactObject;
}

/** Of `config.http`. */
export const configHttpFields: Fields<ConfigHttp> = {
  headers: { type: expressions('attr'), summary: 'as `api.http.headers`; these win' },
};

interface ConfigMembers {
  readonly jobs: Exact;
  readonly http?: ConfigHttp;
}

/** Of `config`; any other key is an attribute. */
export const configFields: Fields<ConfigMembers> = {
  jobs: { type: described('a list of at least one job'), required: true, summary: 'what to request, in this order' },
  http: { type: shape(configHttpFields), summary: 'headers that belong to this configuration of the API' },
};
