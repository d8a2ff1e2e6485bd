/** Authentication by a login request: its reply holds what goes into every later request. Seed 4.1, 4.2 and 5. */
import { asyncScheduler, defer, map } from 'rxjs';
import type { Component } from '../component.js';
import { type ExactObject, emptyObject } from '../exact.js';
import { expiryOf, isEachRequest } from '../expiry.js';
import { type ExpressionContext, evaluateMap, headersFrom } from '../expression/expression.js';
import { attrReference, flatAt, isLeaf, responseReference } from '../expression/reference.js';
import { replaceHeaders } from '../headers.js';
import { mergeLoginQuery } from '../query.js';
import type { Credentials, HttpRequest, LoginAuthentication, LoginReply, LoginRequest } from '../types.js';
import { type LoginOptions, type LoginRequestOptions, loginFields } from './login-fields.js';
import { parseReply } from './login-reply.js';
import { rememberRequest, rememberTexts } from './login-secrets.js';
import type { AuthNeeds } from './needs.js';

const place = 'api.authentication';

export const login: Component<LoginOptions, LoginAuthentication, AuthNeeds> = {
  summary: 'a login request first; its reply holds what authenticates all other requests',
  fields: loginFields,
  rules: [
    'The login request carries its own parameters and headers and those of `api.http.headers` and `config.http.headers`, never `api.http.defaultOptions`.',
    'A reply of text, or one that is a single JSON value, is referred to as `data`.',
    'In `apiRequest` a bare text that is the path of a value in the reply refers to it; any other text is itself.',
    'A query parameter that the job or a default has too is sent as a list: `name[0]` theirs, `name[1]` that of the login.',
    'An expiry that the reply tells is met early, by a tenth of its lifetime and 30 seconds at most.',
    'However many jobs wait, there is one login at a time.',
    'A request that is answered 401 is sent again after another login; a token that is refused at its first use, twice running, is the error.',
  ],
  example: `{
  "type": "login",
  "loginRequest": {
    "endpoint": "login",
    "method": "POST",
    "params": { "username": { "attr": "#username" }, "password": { "attr": "#password" } }
  },
  "apiRequest": {
    "headers": { "X-ApiToken": { "response": "authorization.token" } }
  },
  "expires": 3600
}`,

  /** Evaluates the login request at once: it throws ERR_FUNCTION before anything is sent. */
  create(options, { attr, secrets, notify }) {
    const passing = { ...secrets, add: (value: string) => secrets.add(value, 'passing') };
    const context = { references: new Map([['attr', attrReference(attr)]]), secrets };
    const request = loginRequest(options.loginRequest, context);
    rememberRequest(request, secrets);

    const credentialsFrom = (reply: LoginReply): Credentials => {
      const response = parseReply(reply.body, options.format ?? 'json');
      rememberTexts(response, passing);
      const { at, notice } = expiryOf(options.expires, response, asyncScheduler.now());
      const credentials = { ...fromReply(options, response, { ...context, secrets: passing }), expiresAt: at };
      if (notice !== undefined) notify(notice);
      return credentials;
    };

    return {
      endpoints: [request.endpoint],
      login: {
        renewal: isEachRequest(options.expires) ? 'each request' : options.expires === undefined ? 'once' : 'on expiry',
        obtain: (send) => defer(() => send(request)).pipe(map(credentialsFrom)),
      },
      authorize,
    };
  },
};

function loginRequest(options: LoginRequestOptions, context: ExpressionContext): LoginRequest {
  const at = `${place}.loginRequest`;
  const headers = evaluateMap(options.headers ?? emptyObject, context, `${at}.headers`);
  return {
    endpoint: options.endpoint,
    method: options.method ?? 'GET',
    params: evaluateMap(options.params ?? emptyObject, context, `${at}.params`),
    headers: headersFrom(headers, `${at}.headers`),
  };
}

/** Evaluates `apiRequest` once for all requests that this login serves. requests.md 3.5.4. */
function fromReply({ apiRequest = {} }: LoginOptions, reply: ExactObject, context: ExpressionContext) {
  const references = new Map([...context.references, ['response', responseReference(reply)]]);
  const evaluated = (map: ExactObject, at: string) =>
    evaluateMap(asReferences(map, reply), { ...context, references }, at);
  const at = `${place}.apiRequest`;
  return {
    headers: headersFrom(evaluated(apiRequest.headers ?? emptyObject, `${at}.headers`), `${at}.headers`),
    query: evaluated(apiRequest.query ?? emptyObject, `${at}.query`),
  };
}

/** A bare text that is the path of a value in the reply refers to that value; any other is itself. Decision 8, example 100. */
function asReferences(map: ExactObject, reply: ExactObject): ExactObject {
  const isPath = (value: unknown) => typeof value === 'string' && isLeaf(flatAt(reply, value));
  return new Map([...map].map(([name, value]) => [name, isPath(value) ? new Map([['response', value]]) : value]));
}

/** Headers of the login replace those of the same name in any case; its query is merged. Seed 4.2, decision 7. */
const authorize = (request: HttpRequest, { headers, query }: Credentials): HttpRequest => ({
  ...request,
  headers: replaceHeaders(request.headers, headers),
  url: mergeLoginQuery(request.url, query, request.linkNames),
});

/** With a scheme or at least a host of its own. RFC 3986 4.2. */
