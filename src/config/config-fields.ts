/** The keys of the document and of `config`. docs/01-configuration.md#the-document. */

import type { Exact, ExactObject } from '../core/json/exact.js';
import { expressions } from '../language/expression-fields.js';
import { anyValue, looseBoolean, object, oneOf, opaque } from '../language/fields.js';
import { type JsonSchema, objectOrEmptyList, when, withJsonSchema } from '../language/json-schema.js';
import { listOf, objectWith } from '../language/object-fields.js';
import type { Fields } from '../language/types.js';
import { type AwsMembers, awsFields } from './aws.js';
import { cacheType } from './cache.js';
import { userDataType } from './children/user-data.js';
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

/** The keys of a configuration, at the top of the document or under `parameters`. */
export const parametersFields: Fields<Parameters> = {
  api: { type: opaque('an object'), required: true, summary: 'the API: its URL, login, pagination and retries' },
  config: { type: opaque('an object'), required: true, summary: 'the jobs, and values for expressions' },
  iterations: {
    type: withJsonSchema(listOf(object, 'objects'), (write) => ({
      type: ['array', 'object'],
      items: write.part('iteration'),
      additionalProperties: write.part('iteration'),
    })),
    emptyIsAbsent: true,
    otherwise: 'one run of `config`',
    summary: 'runs one after the other; the members of each replace those of `config`',
  },
  sshProxy: {
    type: objectWith(sshProxyFields),
    otherwise: 'requests are sent directly',
    summary: 'an SSH server that forwards all requests',
  },
  aws: {
    type: objectWith(awsFields),
    emptyIsAbsent: true,
    otherwise: 'requests are not signed',
    summary: 'signs every request for AWS, including logins',
  },
  cache: {
    type: cacheType,
    emptyIsAbsent: true,
    otherwise: 'every page is requested',
    summary: 'stores responses in files, and uses them again',
  },
};

const platformField = { type: anyValue, summary: 'belongs to the platform that runs the configuration; has no effect' };

/** Keys that Keboola's platform writes beside a configuration. */
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

/** Further keys of the document. */
export const wrappingFields: Fields<Wrapping> = {
  $schema: { type: anyValue, summary: 'the JSON Schema for editors; has no effect' },
  parameters: {
    type: opaque('an object', null, (write) => write.part('parameters')),
    summary: 'may contain `api` and `config` instead of the document',
  },
  authorization: {
    type: withJsonSchema(object, (write) => {
      // Values that are no objects are reported by their reader.
      const within = (key: string, schema: JsonSchema) => ({ type: 'object', properties: { [key]: schema } });
      const credentials = when({ type: 'object' }, write.part('authorization.oauth_api.credentials'));
      const holder = when({ type: 'object' }, within('credentials', credentials));
      return { ...within('oauth_api', holder), ...objectOrEmptyList };
    }),
    summary: 'credentials for OAuth, in `oauth_api.credentials`',
    emptyIsAbsent: true,
  },
  image_parameters: {
    type: opaque('an object'),
    emptyIsAbsent: true,
    summary: 'settings of the operator: the URLs that requests may go to',
  },
  action: { type: oneOf('run'), default: 'run', emptyIsAbsent: true, summary: 'the action' },
  ...platformFields,
};

interface ConfigHttp {
  readonly headers?: ExactObject;
}

/** The keys of `config.http`. */
export const configHttpFields: Fields<ConfigHttp> = {
  headers: {
    type: expressions('attr'),
    emptyIsAbsent: true,
    summary: 'like `api.http.headers`; these take precedence',
  },
};

interface ConfigMembers {
  readonly jobs: Exact;
  readonly http?: ConfigHttp;
  readonly userData?: Exact;
  readonly debug?: boolean;
}

/** The keys of `config`; any other key is an attribute. */
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
    type: objectWith(configHttpFields),
    emptyIsAbsent: true,
    summary: 'headers of this configuration',
  },
  userData: {
    type: userDataType,
    emptyIsAbsent: true,
    summary: 'members to add to each item of the jobs, but not of child jobs; a single value gets the name `userData`',
  },
  debug: {
    type: looseBoolean,
    default: 'false',
    emptyIsAbsent: true,
    summary: 'logs every request, with secrets masked',
  },
  ...tableFields,
};
