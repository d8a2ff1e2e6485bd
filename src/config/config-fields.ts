/** The keys of the document and of `config`, as they are read and described. docs/01-configuration.md#the-document. */

import type { Exact, ExactObject } from '../core/json/exact.js';
import { expressions } from '../language/expression-fields.js';
import { anything, object, oneOf, opaque, switched } from '../language/fields.js';
import {
  type JsonSchema,
  objectOr,
  objectOrEmptyList,
  singleValue,
  when,
  withJsonSchema,
} from '../language/json-schema.js';
import { listOf, shape } from '../language/object-fields.js';
import type { Fields } from '../language/types.js';
import { type AwsMembers, awsFields } from './aws.js';
import { cacheType } from './cache.js';
import { type SshProxyMembers, sshProxyFields } from './ssh-proxy.js';
import { type TableMembers, tableFields } from './table-settings.js';

interface Parameters {
  readonly api: Exact;
  readonly config: Exact;
  readonly iterations?: readonly ExactObject[];
  readonly sshProxy?: SshProxyMembers;
  readonly aws?: AwsMembers;
  readonly cache?: Exact;
}

/** Of what is a configuration, at the top of the document or under `parameters`. */
export const parametersFields: Fields<Parameters> = {
  api: { type: opaque('an object'), required: true, summary: 'how to talk to the API' },
  config: { type: opaque('an object'), required: true, summary: 'what to ask it for' },
  iterations: {
    type: withJsonSchema(listOf(object, 'objects'), (write) => ({
      type: ['array', 'object'],
      items: write.part('iteration'),
      additionalProperties: write.part('iteration'),
    })),
    emptyIsAbsent: true,
    otherwise: 'one run of `config` as it is',
    summary: 'runs one after the other, each with `config` overlaid by its members',
  },
  sshProxy: {
    type: shape(sshProxyFields),
    otherwise: 'requests go out directly',
    summary: 'an SSH server that all requests go through',
  },
  aws: {
    type: shape(awsFields),
    emptyIsAbsent: true,
    otherwise: 'requests are not signed',
    summary: 'signs every request for AWS, logins too',
  },
  cache: {
    type: cacheType,
    emptyIsAbsent: true,
    otherwise: 'every page is requested',
    summary: 'keeps answers in files, and uses them again',
  },
};

const platformField = { type: anything, summary: 'of the platform that runs the configuration; of no effect' };

/** Keys that the platform of the reference program writes beside a configuration. */
const platformFields = {
  storage: platformField,
  processors: platformField,
  runtime: platformField,
  artifacts: platformField,
  shared_code_id: platformField,
  shared_code_row_ids: platformField,
  variables_id: platformField,
  variables_values_id: platformField,
};

interface Wrapping extends Readonly<Partial<Record<keyof typeof platformFields, Exact>>> {
  readonly $schema?: Exact;
  readonly parameters?: Exact;
  readonly authorization?: ExactObject;
  readonly image_parameters?: Exact;
  readonly action?: 'run';
}

/** Of the document, besides. */
export const wrappingFields: Fields<Wrapping> = {
  $schema: { type: anything, summary: 'the JSON Schema that an editor completes by; of no effect' },
  parameters: {
    type: opaque('an object', null, (write) => write.part('parameters')),
    summary: 'may hold `api` and `config` in the place of the document',
  },
  authorization: {
    type: withJsonSchema(object, (write) => {
      // What is no object is a matter of whoever reads it.
      const within = (key: string, schema: JsonSchema) => ({ type: 'object', properties: { [key]: schema } });
      const credentials = when({ type: 'object' }, write.part('authorization.oauth_api.credentials'));
      const holder = when({ type: 'object' }, within('credentials', credentials));
      return { ...within('oauth_api', holder), ...objectOrEmptyList };
    }),
    summary: 'credentials for OAuth, below `oauth_api.credentials`',
    emptyIsAbsent: true,
  },
  image_parameters: {
    type: opaque('an object'),
    emptyIsAbsent: true,
    summary: 'what whoever runs the configuration sets for it: where requests may go',
  },
  action: { type: oneOf('run'), default: 'run', emptyIsAbsent: true, summary: 'what to do' },
  ...platformFields,
};

interface ConfigHttp {
  readonly headers?: ExactObject;
}

/** Of `config.http`. */
export const configHttpFields: Fields<ConfigHttp> = {
  headers: { type: expressions('attr'), emptyIsAbsent: true, summary: 'as `api.http.headers`; these win' },
};

interface ConfigMembers {
  readonly jobs: Exact;
  readonly http?: ConfigHttp;
  readonly userData?: Exact;
  readonly debug?: boolean;
}

/** Of `config`; any other key is an attribute. */
export const configFields: Fields<ConfigMembers & TableMembers> = {
  jobs: {
    type: opaque('a list of at least one job', null, (write) => ({
      type: ['array', 'object'],
      minItems: 1,
      minProperties: 1,
      items: write.part('config.jobs'),
      additionalProperties: write.part('config.jobs'),
    })),
    required: true,
    summary: 'what to request, in this order',
  },
  http: {
    type: shape(configHttpFields),
    emptyIsAbsent: true,
    summary: 'headers that belong to this configuration of the API',
  },
  userData: {
    type: opaque('a single value, or an object of them', null, (write) =>
      objectOr(write.of(expressions('attr', 'time')), singleValue),
    ),
    emptyIsAbsent: true,
    summary:
      'members that are added to each item of the jobs, not of their children; a single value is called `userData`',
  },
  debug: { type: switched, default: 'false', emptyIsAbsent: true, summary: 'tells of every request, secrets masked' },
  ...tableFields,
};
