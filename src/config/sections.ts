/**
 * The parts of every configuration, each described once: by the table that its reader reads by, a summary and an
 * example.
 */
import { credentialFields } from '../auth/oauth-credentials.js';
import type { AnyFields } from '../language/types.js';
import { imageFields } from './allowed-hosts.js';
import { apiFields, httpFields } from './api-fields.js';
import { awsFields } from './aws.js';
import { cacheFields } from './cache.js';
import { configFields, parametersFields, wrappingFields } from './config-fields.js';
import { jobFields } from './job-fields.js';
import { retryFields } from './retry.js';
import { sshProxyFields } from './ssh-proxy.js';

/** A section as the reference shows it. */
export interface Section {
  readonly summary: string;
  readonly fields: AnyFields;
  readonly rules?: readonly string[];
  readonly example: string;
  /** Keys of which one alone may be given. */
  readonly apart?: readonly (readonly string[])[];
  /** What any other key is; absent: a mistake. */
  readonly others?: string;
}

type SectionPath =
  | ''
  | 'api'
  | 'api.http'
  | 'api.retryConfig'
  | 'config'
  | 'config.jobs'
  | 'sshProxy'
  | 'aws'
  | 'cache'
  | 'authorization.oauth_api.credentials'
  | 'image_parameters';

/** By the path of the section; the document has the empty one. */
export const sections: Readonly<Record<SectionPath, Section>> = {
  '': {
    summary: 'the whole of it, in JSON; comments and trailing commas are allowed',
    fields: { ...parametersFields, ...wrappingFields },
    rules: [
      'A key that means nothing is a warning with the nearest one that does; under `--strict` warnings are errors.',
      'Of a key that is written twice the last one counts, with a warning.',
      'A member of an iteration takes the place of the whole one of `config`; each logs in for itself, and `time` is the same for all.',
    ],
    example: `{
  "api": { "baseUrl": "https://api.example.com/v1/" },
  "config": { "jobs": [{ "endpoint": "users" }] }
}`,
  },
  api: {
    summary: 'where the API is, how to log in, how its pages follow one another',
    fields: apiFields,
    example: `{
  "baseUrl": "https://api.example.com/v1/",
  "pagination": { "method": "pagenum", "limit": 100 },
  "retryConfig": { "maxRetries": 5 }
}`,
  },
  'api.http': {
    summary: 'headers, defaults of every job, and who may have credentials',
    fields: httpFields,
    rules: [
      'Expressions are not evaluated in `defaultOptions`.',
      'An ignored answer that is no JSON, or empty, becomes the object `{"errorData": TEXT}`. Retries come first, and logins are never ignored.',
      'Of a timeout that is 0 or no number the default stays, with a warning. The time in which a sink is busy does not count.',
      'What remains is read from `RateLimit`, `RateLimit-Remaining` and `-Reset`, and the same with `X-`; resets are seconds, or Unix timestamps in seconds or ms. What is further off than `maxDelay` of `retryConfig`, or not understood, is not heeded.',
      'A rate is a number of requests and a time: `s`, `m` or `min`, `h`, `d` or `day`, or a multiple such as `15m`. No window of that length has more; jobs take turns, and every attempt, redirect and login counts.',
    ],
    example: `{
  "headers": { "X-Api-Key": { "attr": "#apiKey" } },
  "defaultOptions": { "params": { "locale": "en" } },
  "credentialOrigins": ["https://files.example.com"]
}`,
  },
  'api.retryConfig': {
    summary: 'which failures are tried again, how often, and where the answer says when',
    fields: retryFields,
    rules: [
      'Without a delay in the answer the waits grow: 1, 2, 4, 8 seconds and so on, up to `maxDelay`.',
      'Requests of every method are tried again unless `methods` says which; of any other only those for which no connection was made.',
      'A key of the old form replaces the whole of `http` or `curl`.',
    ],
    example: '{ "maxRetries": 5, "http": { "codes": [429, 503], "retryHeader": "X-RateLimit-Reset" } }',
  },
  config: {
    summary: 'what to ask for, and the values that expressions refer to',
    fields: configFields,
    others: 'an attribute, for `{ "attr": KEY }` to refer to',
    rules: [
      'Any other key is an attribute, for `{ "attr": KEY }` to refer to; one that begins with `#` is a secret, masked in every message.',
    ],
    example: '{ "#apiKey": "k-0123456789", "jobs": [{ "endpoint": "users" }] }',
  },
  'config.jobs': {
    summary: 'what is requested: each job is an endpoint that is walked page by page',
    fields: jobFields,
    apart: [['scroller', 'pagination']],
    rules: [
      'GET and HEAD send parameters in the query, FORM as a form, all other methods as a JSON body.',
      'A job is called by its data type, else by its endpoint, with `#2` and so on where that is taken.',
      'Identical jobs run once, with a warning.',
      'A `pagination` replaces that of the API as a whole, its conditions too; children do not inherit it.',
      'A `dataField` of `"."` is the whole response.',
      'A placeholder is a path, or an object of `path` and an expression over `{ "placeholder": "value" }`; `2:` before its name leads to the item of the grandparent, and so on.',
      'A list at that path makes a walk for each element, several lists one for each combination, an empty list none.',
      'A child has the placeholders of its parents too, by their names; without any it is never walked.',
      'Placeholders stand in `endpoint` alone, and are not encoded: `urlencode` does that.',
      'A filter is made of conditions such as `state==open`, joined by `&` and `|`, of which `&` binds tighter; the operators are `==`, `!=`, `>=`, `<=`, `>`, `<`, and `~~`, `!~` with `%` for any text.',
      'Items of a child get `parent_PATH` for each placeholder; `responseFilter` changes what children and tables see, not the items.',
      '`{ "time": "previousStart" }` is the Unix time at which the last run began, 0 where there was none, `currentStart` that of this one.',
    ],
    example: `[
  { "endpoint": "users", "dataType": "users" },
  { "endpoint": "orders", "params": { "state": "open" }, "dataField": "result.rows" }
]`,
  },
  sshProxy: {
    summary: 'an SSH server that all requests go through, logins included; it connects, and resolves the names',
    fields: sshProxyFields,
    rules: [
      'It needs the package ssh2: `npm install ssh2`.',
      'The tunnel is opened before the first request, in up to 5 attempts with waits of 1, 2, 4 and 8 seconds; one that broke is opened again for the next request.',
      'Certificates are checked as without it: TLS is agreed with the host behind the tunnel.',
      'A `dispatcher` given in code cannot go together with it.',
    ],
    example: `{
  "host": "bastion.example.com",
  "port": 22,
  "user": "extract",
  "#privateKey": "-----BEGIN OPENSSH PRIVATE KEY-----\\n...",
  "hostFingerprint": "SHA256:9Vq1fXb2wRr1bC0l4X8yqUeYkz3m0T5sJ6d7f8g9h0I"
}`,
  },
  aws: {
    summary: 'a signature for AWS (Signature Version 4) on every request: logins, retries and redirects too',
    fields: awsFields,
    rules: [
      'It is the last step, on the address, the headers and the body that go out, whatever the type of `api.authentication`; its `Authorization` replaces any other.',
      'All headers are signed but those that change on the way, such as `User-Agent`; for `s3` the digest of the body goes along as `X-Amz-Content-Sha256`.',
      'The query is written anew: `%20` for a space, all but letters, digits, `-`, `.`, `_` and `~` percent-encoded.',
      'Requests to origins that the configuration does not name are not signed.',
    ],
    example: `{
  "signature": {
    "credentials": {
      "accessKeyId": "AKIDEXAMPLE",
      "#secretKey": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
      "serviceName": "execute-api",
      "regionName": "eu-central-1"
    }
  }
}`,
  },
  cache: {
    summary: 'answers that are kept in files and used again, in the place of requests: for working on a configuration',
    fields: cacheFields,
    rules: [
      '`true` is an object without keys; what is empty is no cache.',
      'Successful answers to GET and HEAD are kept, once they have come whole, where that can be told. What the server says of their freshness does not count.',
      'Logins are never kept, nor statuses that `retryConfig` tries again.',
      'An answer is for the same request of the same account: any change to it, to the attributes of `config` or to credentials asks anew.',
      'Where the files are is no matter of the configuration: `--cache-dir`, in code `cacheFolder`.',
    ],
    example: '{ "ttl": 3600 }',
  },
  'authorization.oauth_api.credentials': {
    summary:
      'what `oauth10`, `oauth20` and `oauth20.login` sign requests with, beside `parameters` (or `api` and `config`)',
    fields: credentialFields,
    others: 'of no effect',
    rules: ['The types of authentication that read them say what is missing.'],
    example:
      '{ "appKey": "application", "#appSecret": "s-0123456789", "#data": "{\\"access_token\\": \\"t-0123456789\\"}" }',
  },
  image_parameters: {
    summary: 'what whoever runs a configuration sets for it',
    fields: imageFields,
    rules: [
      'Every address is held against the list: endpoints and logins before the first request, next links, redirects and what placeholders make before each.',
      'Other members of `image_parameters` are of no effect.',
    ],
    example: '{ "allowed_hosts": [{ "host": "api.example.com", "scheme": "https", "endpoint": "v1" }] }',
    others: 'of no effect',
  },
};
