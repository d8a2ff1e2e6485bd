/** The references of expressions, as the reference pages describe them. */
import type { FieldReference } from '../../core/model/field-reference.js';

interface ReferenceForm {
  readonly summary: string;
  readonly rules: readonly string[];
  readonly example: string;
}

/** Looks like an expression but is replaced before anything else is read. */
export const environment: ReferenceForm = {
  summary: 'the value of an environment variable, as a string',
  rules: [
    'An object with this one key and a string can replace any value. Where a whole number is expected, the variable contains digits.',
    'The value is always a secret, and so is everything that is computed from it.',
    'If the variable does not exist, the configuration is not valid.',
  ],
  example: '{ "env": "API_KEY" }',
};

export const references = {
  attr: {
    summary: 'a value of the `config` section',
    rules: [
      'A key with dots is a path into objects and lists. All of `config` can be referred to, except its jobs.',
      'It must lead to a single value that is not null. This is checked before any request.',
      'A value under a key that begins with `#` is a secret, and so is everything that is computed from it.',
    ],
    example: '{ "attr": "#apiKey" }',
  },
  time: {
    summary: 'the start of this run, or of the last successful run, in Unix seconds',
    rules: [
      '`currentStart` is the same for all jobs of a run. `previousStart` is 0 if there is no state.',
      'Other keys under `time` of the state can be referred to as well.',
    ],
    example: '{ "time": "previousStart" }',
  },
  incremental: {
    summary: 'the value that the job remembers from run to run, less its look-back',
    rules: [
      'Its only key is `value`. It needs the key `incremental` of the job, and `initial` in it for the first run.',
    ],
    example: '{ "incremental": "value" }',
  },
  response: {
    summary: 'a value of the login response',
    rules: ['A path of member names and of indices into lists, parted by dots.', 'The whole response is secret.'],
    example: '{ "response": "session.tokens.0.value" }',
  },
  query: {
    summary: 'a query parameter of the request, decoded, before authentication is added',
    rules: [
      'Brackets are part of the name, as in `filter[state]`.',
      'If a name occurs several times, its values are `name.0`, `name.1` and so on.',
    ],
    example: '{ "query": "page" }',
  },
  request: {
    summary: 'a part of the request, before authentication is added',
    rules: [
      '`url`, `path`, `queryString`, `method`, `hostname`, `port`, and `resource`: the path with its query.',
      'The method is the one that is sent: a FORM is a POST. The port is 80 or 443 if the URL contains none.',
    ],
    example: '{ "request": "resource" }',
  },
  authorization: {
    summary: 'a value of the OAuth credentials, or a nonce or timestamp for this request',
    rules: [
      '`data` is the token as a string; `data.PATH` is a value in a token that is JSON.',
      '`clientId` is the key of the application; `nonce`, 16 hexadecimal digits, and `timestamp`, in seconds, are new for each request.',
    ],
    example: '{ "authorization": "data.access_token" }',
  },
  consumer: {
    summary: 'the OAuth application: `client_id` and `client_secret`',
    rules: ['They are the `appKey` and the `#appSecret` of the OAuth credentials.'],
    example: '{ "consumer": "client_secret" }',
  },
  user: {
    summary: 'a value of the OAuth token, which is JSON',
    rules: ['A path of member names and of indices into lists, parted by dots.'],
    example: '{ "user": "refresh_token" }',
  },
  placeholder: {
    summary: 'the value of the placeholder',
    rules: ['It is used in the functions of `placeholders` of a child job. Its only key is `value`.'],
    example: '{ "placeholder": "value" }',
  },
} satisfies Record<FieldReference, ReferenceForm>;
