/** The keys of the document and of `config`. docs/01-configuration.md#the-document. */

import { type JsonSchema, objectOrEmptyList, when } from '../core/options/json-schema.js';
import type { OptionRows } from '../core/options/kind.js';
import { word } from '../core/options/kinds.js';
import { objectOf } from '../core/options/object-kinds.js';
import { expressions } from '../language/expression-kinds.js';
import { anyValue, asPart, listOfParts, looseBoolean, opaque, partOf } from '../language/kinds.js';
import { awsFields } from './aws.js';
import { cacheType } from './cache-settings.js';
import { userDataType } from './children/user-data.js';
import { sshProxyFields } from './ssh-proxy.js';
import { tableFields } from './table-settings.js';

/** The keys of a configuration, at the top of the document or under `parameters`. */
export const parametersFields = {
  api: { kind: partOf('api', 'an object'), required: true, summary: 'the API: its URL, login, pagination and retries' },
  config: { kind: partOf('config', 'an object'), required: true, summary: 'the jobs, and values for expressions' },
  iterations: {
    kind: listOfParts('iteration', 'a list of objects'),
    emptyIsAbsent: true,
    otherwise: 'one run of `config`',
    summary: 'runs one after the other; the members of each replace those of `config`',
  },
  sshProxy: {
    kind: asPart('sshProxy', objectOf(sshProxyFields)),
    otherwise: 'requests are sent directly',
    summary: 'an SSH server that forwards all requests',
  },
  aws: {
    kind: asPart('aws', objectOf(awsFields)),
    emptyIsAbsent: true,
    otherwise: 'requests are not signed',
    summary: 'signs every request for AWS, including logins',
  },
  cache: {
    kind: cacheType,
    emptyIsAbsent: true,
    otherwise: 'every page is requested',
    summary: 'stores responses in files, and uses them again',
  },
} satisfies OptionRows;

const platformField = { kind: anyValue, summary: 'belongs to the platform that runs the configuration; has no effect' };

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

/** Further keys of the document. */
export const wrappingFields = {
  $schema: { kind: anyValue, mayChangeOnResume: true, summary: 'the JSON Schema for editors; has no effect' },
  parameters: {
    kind: partOf('parameters', 'an object'),
    summary: 'may contain `api` and `config` instead of the document',
  },
  authorization: {
    kind: opaque('an object', (write) => {
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
    kind: partOf('image_parameters', 'an object'),
    emptyIsAbsent: true,
    mayChangeOnResume: true,
    summary: 'settings of the operator: the URLs that requests may go to',
  },
  action: { kind: word('run'), default: 'run', emptyIsAbsent: true, summary: 'the action' },
  ...platformFields,
} satisfies OptionRows;

/** The keys of `config.http`. */
export const configHttpFields = {
  headers: {
    kind: expressions('attr'),
    emptyIsAbsent: true,
    summary: 'like `api.http.headers`; these take precedence',
  },
} satisfies OptionRows;

/** The keys of `config`; any other key is an attribute. */
export const configFields = {
  jobs: {
    kind: listOfParts('config.jobs', 'a list of at least one job', { minItems: 1, minProperties: 1 }),
    required: true,
    summary: 'what to request, in this order',
  },
  http: {
    kind: objectOf(configHttpFields),
    emptyIsAbsent: true,
    summary: 'headers of this configuration',
  },
  userData: {
    kind: userDataType,
    emptyIsAbsent: true,
    summary: 'members to add to each item of the jobs, but not of child jobs; a single value gets the name `userData`',
  },
  debug: {
    kind: looseBoolean,
    default: false,
    emptyIsAbsent: true,
    mayChangeOnResume: true,
    summary: 'logs every request, with secrets masked',
  },
  ...tableFields,
} satisfies OptionRows;
