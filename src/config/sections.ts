/** The sections of every configuration, each with the table that its reader uses, a summary and an example. */
import { credentialFields } from '../auth/oauth-credentials.js';
import type { OptionRows } from '../core/options/kind.js';
import { apiFields, httpFields } from './api-fields.js';
import { awsFields } from './aws.js';
import { cacheFields } from './cache-settings.js';
import { configFields, parametersFields, wrappingFields } from './config-fields.js';
import { imageFields } from './image-parameters.js';
import { jobFields } from './job-fields.js';
import { responseFields } from './response-fields.js';
import { retryFields } from './retry-settings.js';
import { sshProxyFields } from './ssh-proxy.js';

/** A section as the reference shows it. */
export interface Section {
  readonly summary: string;
  readonly fields: OptionRows;
  readonly rules?: readonly string[];
  readonly example: string;
  /** The meaning of other keys; absent: a mistake. */
  readonly others?: string;
  /** A required key that one of others replaces. */
  readonly replaces?: { readonly key: string; readonly by: readonly string[] };
}

type SectionPath =
  | ''
  | 'api'
  | 'api.http'
  | 'api.retryConfig'
  | 'api.response'
  | 'config'
  | 'config.jobs'
  | 'sshProxy'
  | 'aws'
  | 'cache'
  | 'authorization.oauth_api.credentials'
  | 'image_parameters';

/** By the path of the section; that of the document is empty. */
export const sections: Readonly<Record<SectionPath, Section>> = {
  '': {
    summary: 'the whole document, in JSON; comments and trailing commas are allowed',
    fields: { ...parametersFields, ...wrappingFields },
    rules: [
      'An unknown key is a warning, which suggests the nearest known key. With `--strict` warnings are errors.',
      'If an object has the same key twice, the last one counts, with a warning.',
      'A member of an iteration replaces the whole member of `config`. Each iteration has its own login; `time` is the same for all.',
    ],
    example: `{
  "api": { "baseUrl": "https://api.example.com/v1/" },
  "config": { "jobs": [{ "endpoint": "users" }] }
}`,
  },
  api: {
    summary: 'the API: its URL, login, pagination and retries',
    fields: apiFields,
    example: `{
  "baseUrl": "https://api.example.com/v1/",
  "pagination": { "method": "pagenum", "limit": 100 },
  "retryConfig": { "maxRetries": 5 }
}`,
  },
  'api.http': {
    summary: 'headers, defaults for all jobs, time-outs and rates',
    fields: httpFields,
    rules: [
      'Expressions are not evaluated in `defaultOptions`.',
      'With `ignoreErrors`, a response that is empty or not JSON becomes the object `{"errorData": TEXT}`. Retries come first; login failures are never ignored.',
      'If a time-out is 0 or not a number, the default applies, with a warning. Time-outs do not count while a sink is busy.',
      '`rateLimitHeaders` reads `RateLimit`, `RateLimit-Remaining`, `RateLimit-Reset`, and the same with `X-`. A reset is a number of seconds, or a Unix timestamp in seconds or ms. Values that are not valid, or longer than `maxDelay` of `retryConfig`, are ignored.',
      'A rate is a number of requests and a period: `s`, `m` or `min`, `h`, `d` or `day`, or a multiple such as `15m`. No period of that length contains more requests. Jobs take turns. Every attempt, redirect and login counts.',
    ],
    example: `{
  "headers": { "X-Api-Key": { "attr": "#apiKey" } },
  "defaultOptions": { "params": { "locale": "en" } },
  "credentialOrigins": ["https://files.example.com"]
}`,
  },
  'api.retryConfig': {
    summary: 'which failures are retried, how often, and after which delay',
    fields: retryFields,
    rules: [
      'If the response states no delay, the waits grow: 1, 2, 4, 8 seconds and so on, up to `maxDelay`.',
      'Requests of every method are retried, unless `methods` lists some. Requests of other methods are retried only if no connection was made.',
      'A key of the old form replaces the whole of `http` or `curl`.',
    ],
    example: '{ "maxRetries": 5, "http": { "codes": [429, 503], "retryHeader": "X-RateLimit-Reset" } }',
  },
  'api.response': {
    summary: 'how a response is read; a job has the same keys in its own `response`',
    fields: responseFields,
    rules: [
      'Without `format`, `text/csv` and `text/tab-separated-values` are CSV, types of JSON Lines are lines, and any other type is JSON. A body that begins with `{` or `[` is JSON, whatever its type says.',
      'CSV: each row is an item whose members are texts, exactly as they were sent. A row with more or fewer cells than the header is an error. A line without a byte is no row.',
      'CSV: pages may have different headers, with the warning `changed-header`; one that shares no name with the page before it is an error.',
      'XML: each element at `element` is an item. An attribute is a member `@name`; a text beside attributes is `#text`; several elements of one name are a list; texts between elements make a list `#content` of all. Entities beyond the five and document types are refused.',
      'ZIP: each file that matches `members` is read as a file of its own. Its checksum and sizes, and the directory at the end, must agree with the data.',
      'Without `decode`, a body that begins as a gzip file, or as an archive with one file, is decoded, unless its format is `binary`.',
      'A response of a status of 400 and more that `ignoreErrors` accepts is read as its `Content-Type` says.',
      'Text is one item, `{"text": ...}`, binary data `{"base64": ...}`.',
    ],
    example: '{ "format": "csv", "delimiter": ";", "encoding": "latin1" }',
  },
  config: {
    summary: 'the jobs, and the values that expressions refer to',
    fields: configFields,
    others: 'an attribute, for `{ "attr": KEY }` to refer to',
    rules: [
      'Any other key is an attribute, which `{ "attr": KEY }` refers to. If its name begins with `#`, it is a secret, masked in every message.',
    ],
    example: '{ "#apiKey": "k-0123456789", "jobs": [{ "endpoint": "users" }] }',
  },
  'config.jobs': {
    summary: 'what to request: each job requests one endpoint, page by page',
    fields: jobFields,
    replaces: { key: 'endpoint', by: ['await', 'download'] },
    rules: [
      'GET and HEAD send parameters in the query, FORM in a form body, all other methods in a JSON body.',
      'The name of a job is its data type, or else its endpoint. If that name is taken, `#2` and so on is added.',
      'Identical jobs run once, with a warning.',
      'The `pagination` of a job replaces `api.pagination` as a whole, including its conditions. Child jobs do not inherit it: without a pagination of their own they have `api.pagination`. With `{ "method": "none" }` a child sends one request for each item.',
      'A `dataField` of `"."` is the whole response.',
      'A placeholder is a path, or an object with `path` and a function over `{ "placeholder": "value" }`. `2:` before its name refers to the item of the grandparent, and so on.',
      'If the value at that path is a list, the child runs once for each element; with several lists, once for each combination; with an empty list, not at all.',
      'A child also has the placeholders of its parents, by name. A child without placeholders never runs.',
      'Placeholders are filled in only in `endpoint`. They are not encoded; use `urlencode` for that.',
      'A child with `download` has a file for each item of its parent. Its item has the members `name`, `size`, `sha256`, `type` and `url`.',
      'A `recursionFilter` consists of conditions such as `state==open`, joined by `&` and `|`; `&` binds tighter. The operators are `==`, `!=`, `>=`, `<=`, `>`, `<`, and `~~`, `!~` with `%` for any text.',
      'Items of a child get a member `parent_PATH` for each placeholder. `responseFilter` changes what child jobs read, not the items.',
      '`incremental` remembers a value in the state of a run (`--state`): the next run asks only for what is new. The value is in each item (`path`), in each response (`response`) or in a header (`header`). See chapter 13.',
      'In a job with `incremental`, `{ "incremental": "value" }` is the remembered value, and `{incremental}` in the endpoint too: percent-encoded, or as it is if it is the whole endpoint.',
      '`{ "time": "previousStart" }` is the Unix time when the last run started, or 0 if there was none. `currentStart` is the time when this run started.',
    ],
    example: `[
  {
    "endpoint": "users",
    "dataType": "users",
    "children": [
      { "endpoint": "users/{id}/posts", "placeholders": { "id": "id" }, "pagination": { "method": "none" } }
    ]
  },
  { "endpoint": "orders", "params": { "state": "open" }, "dataField": "result.rows" }
]`,
  },
  sshProxy: {
    summary: 'an SSH server that forwards all requests, including logins; it resolves the names of hosts',
    fields: sshProxyFields,
    rules: [
      'This needs the package ssh2: `npm install ssh2`.',
      'The tunnel is opened before the first request, in up to 5 attempts with waits of 1, 2, 4 and 8 seconds. If it breaks, the next request opens it again.',
      'Certificates are verified as usual: TLS is end to end with the API, through the tunnel.',
      'It cannot be used with the option `dispatcher` in code.',
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
    summary: 'signs every request for AWS (Signature Version 4), including logins, retries and redirects',
    fields: awsFields,
    rules: [
      'Signing is the last step, over the URL, headers and body that are sent, with any type of `api.authentication`. Its `Authorization` header replaces any other.',
      'All headers are signed, except those that change in transit, such as `User-Agent`. For `s3`, the header `X-Amz-Content-Sha256` contains the digest of the body.',
      'The query is encoded again: a space becomes `%20`, and every character except letters, digits, `-`, `.`, `_` and `~` is percent-encoded.',
      'Requests to origins that the configuration does not list are not signed.',
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
    summary: 'stores responses in files and uses them instead of requests, while you develop a configuration',
    fields: cacheFields,
    rules: [
      '`true` means an object without keys. An empty value means no cache.',
      'Successful responses to GET and HEAD are stored if they are known to be complete. Caching headers of the server are ignored.',
      'Login responses are never stored, nor statuses that `retryConfig` retries.',
      'A response is used only for the same request of the same account. If the request, the attributes of `config` or the credentials change, it is requested again.',
      'The option `--cache-dir` (in code `cacheFolder`) sets the folder.',
    ],
    example: '{ "ttl": 3600 }',
  },
  'authorization.oauth_api.credentials': {
    summary:
      'the OAuth credentials for `oauth10`, `oauth20` and `oauth20.login`, beside `parameters` (or `api` and `config`)',
    fields: credentialFields,
    others: 'has no effect',
    rules: ['The authentication types that use them report what is missing.'],
    example:
      '{ "appKey": "application", "#appSecret": "s-0123456789", "#data": "{\\"access_token\\": \\"t-0123456789\\"}" }',
  },
  image_parameters: {
    summary: 'settings of the operator of a configuration',
    fields: imageFields,
    rules: [
      'Every URL is checked against the list: endpoints and logins before the first request; next links, redirects and URLs with placeholders before each request.',
      'Other members of `image_parameters` have no effect.',
    ],
    example: '{ "allowed_hosts": [{ "host": "api.example.com", "scheme": "https", "endpoint": "v1" }] }',
    others: 'has no effect',
  },
};
