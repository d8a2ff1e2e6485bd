/** The references of expressions, as the reference pages describe them. */
import type { FieldReference } from '../types.js';

interface ReferenceForm {
  readonly summary: string;
  readonly rules: readonly string[];
  readonly example: string;
}

/** Looks like an expression but is replaced before anything else is read. */
export const environment: ReferenceForm = {
  summary: 'the value of an environment variable, as a text',
  rules: [
    'An object of this one key and a text may stand in the place of any value; where a whole number is expected, digits will do.',
    'The value is a secret wherever it stands, and so is all that is computed from it.',
    'A variable that is missing is a fault.',
  ],
  example: '{ "env": "API_KEY" }',
};

export const references = {
  attr: {
    summary: 'a value of the `config` section',
    rules: [
      'A dotted key leads into objects and lists; all of `config` can be referred to but its jobs.',
      'It must lead to a single value that is not null: one that does not is found before any request.',
      'A value below a key that begins with `#` is a secret, and so is all that is computed from it.',
    ],
    example: '{ "attr": "#apiKey" }',
  },
  time: {
    summary: 'when this run began and when the last successful one did, in Unix seconds',
    rules: [
      '`currentStart` is the same for all jobs of a run; `previousStart` is 0 where no state says otherwise.',
      'Any other key that the state has under `time` can be referred to as well.',
    ],
    example: '{ "time": "previousStart" }',
  },
  response: {
    summary: 'a value of the reply to the login request',
    rules: ['A path of member names and of indices into lists, parted by dots.', 'All of the reply is secret.'],
    example: '{ "response": "session.tokens.0.value" }',
  },
  query: {
    summary: 'a query parameter of the request, decoded, as it is before its authentication',
    rules: [
      'Brackets are part of the name, as in `filter[state]`.',
      'Of a name that is there several times the values are `name.0`, `name.1` and so on.',
    ],
    example: '{ "query": "page" }',
  },
  request: {
    summary: 'a part of the request, as it is before its authentication',
    rules: [
      '`url`, `path`, `queryString`, `method`, `hostname`, `port`, and `resource`: the path with its query.',
      'The method is that on the wire: a FORM is a POST. The port is 80 or 443 where the address has none.',
    ],
    example: '{ "request": "resource" }',
  },
  authorization: {
    summary: 'a value of the OAuth credentials, or one made for this request',
    rules: [
      '`data` is the token as a text; `data.PATH` leads into a token that is JSON.',
      '`clientId` is the key of the application; `nonce`, 16 hexadecimal digits, and `timestamp`, in seconds, are new for each request.',
    ],
    example: '{ "authorization": "data.access_token" }',
  },
  consumer: {
    summary: 'the application that asks: `client_id` and `client_secret`',
    rules: ['They are the `appKey` and the `#appSecret` of the OAuth credentials.'],
    example: '{ "consumer": "client_secret" }',
  },
  user: {
    summary: 'a value of the OAuth token, which is JSON',
    rules: ['A path of member names and of indices into lists, parted by dots.'],
    example: '{ "user": "refresh_token" }',
  },
  placeholder: {
    summary: 'the value of the placeholder itself',
    rules: ['It stands in the functions of `placeholders`, of a child job. Its only key is `value`.'],
    example: '{ "placeholder": "value" }',
  },
} satisfies Record<FieldReference, ReferenceForm>;
