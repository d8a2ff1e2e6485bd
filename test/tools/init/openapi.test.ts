import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FoundRequest } from '../../../src/tools/init/found-request.js';
import { readOpenApi } from '../../../src/tools/init/openapi.js';
import type { ReadContext } from '../../../src/tools/init/read-context.js';
import { failure } from '../../support/failure.js';
import { contextOf } from './read-context.js';

const yaml = `
openapi: 3.1.0
servers:
  - url: https://{region}.api.example/v2/
    variables: { region: { default: eu, enum: [eu, us] } }
  - { url: https://sandbox.example/v2, description: for tests }
security: [{ bearerAuth: [] }]
paths:
  /orgs/{org}/users:
    parameters:
      - { name: org, in: path, required: true, schema: { type: string, example: acme } }
    get:
      operationId: listUsers
      summary: |
        List the users
        of an organization
      parameters:
        - $ref: '#/components/parameters/per~1page'
        - { name: page, in: query, schema: { type: integer, default: 1 } }
        - { name: state, in: query, required: true, schema: { enum: [active, all] } }
        - { name: X-Api-Version, in: header, required: true, example: '2024-01-01' }
        - { name: Authorization, in: header, required: true, schema: { type: string } }
      responses:
        '200':
          content:
            application/vnd.example+json:
              schema: { type: object, properties: { data: { type: array, items: { $ref: '#/components/schemas/User' } } } }
  /orgs/{org}/users/{id}:
    get:
      operationId: getUser
      parameters:
        - { name: org, in: path, required: true }
        - { name: id, in: path, required: true }
      responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/User' } } } } }
  /ping:
    get:
      security: []
      responses: { '204': { description: ok } }
  /search:
    post:
      operationId: search
      security: [{}, { bearerAuth: [] }]
      requestBody:
        content:
          application/json:
            schema:
              required: [limit, filter, sort]
              properties:
                limit: { type: integer, default: 50 }
                sort: { enum: [name] }
                filter: { properties: { archived: { type: boolean } } }
                deep: { type: boolean }
      responses: { default: { content: { application/json: { schema: { type: array } } } } }
    put: { operationId: replace }
components:
  parameters:
    per/page: { name: per_page, in: query, schema: { type: integer, default: 30, maximum: 100 } }
  schemas:
    User: { type: object, properties: { id: { type: integer }, roles: { type: array, items: { type: string } } } }
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
`;

const file = new URL('file:///docs/api/openapi.yaml');

const read = (text: string, over: Partial<ReadContext> = {}, location = file): Promise<FoundRequest> =>
  readOpenApi({ text, label: 'openapi.yaml', location }, contextOf(over));

/** A document with one operation, which the parts describe further. */
const withOperation = (operation: object, root: object = {}): string =>
  JSON.stringify({
    openapi: '3.0.3',
    servers: [{ url: 'https://api.example' }],
    paths: { '/a': { get: operation } },
    ...root,
  });

const message = async (work: Promise<unknown>): Promise<string> => {
  const { code, message: text } = await failure(work);
  assert.is(code, 'ERR_USAGE');
  return text;
};

test('reads an operation with its server, required parameters, credentials and hints', async () => {
  const found = await read(yaml, { operation: 'listUsers', env: { API_TOKEN: 't0k' } });
  assert.equal(found, {
    method: 'GET',
    url: new URL('https://eu.api.example/v2/orgs/acme/users?state=active'),
    headers: [
      ['Accept', 'application/vnd.example+json'],
      ['X-Api-Version', '2024-01-01'],
      ['Authorization', 'Bearer t0k'],
    ],
    name: 'listUsers',
    hints: { page: ['page'], limit: ['per_page'], maximum: 100 },
    source: 'openapi.yaml, operation listUsers',
    notes: [
      'The document has other servers: https://sandbox.example/v2. Choose with --server URL.',
      'The value of org is an example of the document: give yours with --param org=VALUE.',
    ],
    secrets: [{ in: 'header', index: 2, env: 'API_TOKEN', prefix: 'Bearer ' }],
  });
});

test('uses --param and --server, also for optional parameters and variables of the server', async () => {
  const params = ['org=a/b', 'per_page=50', 'region=us'];
  const env = { API_BEARER_AUTH: 'x1' };
  const found = await read(yaml, { operation: 'GET /orgs/{org}/users', params, env });
  assert.is(found.url.href, 'https://us.api.example/v2/orgs/a%2Fb/users?per_page=50&state=active');
  assert.is(found.secrets.at(-1)?.env, 'API_BEARER_AUTH');
  const server = 'http://localhost:8080/v3/';
  const local = await read(yaml, { operation: '/ping', server });
  assert.is(local.url.href, 'http://localhost:8080/v3/ping');
  assert.equal([local.headers, local.name], [[['Accept', 'application/json']], undefined]);
});

test('lists the operations, lists first, if none is named and none can be chosen', async () => {
  assert.equal((await message(read(yaml))).split('\n'), [
    'openapi.yaml has several operations: choose one with --operation NAME',
    '  listUsers, GET /orgs/{org}/users, a list: List the users of an organization',
    '  getUser, GET /orgs/{org}/users/{id}',
    '  GET /ping',
    '  search, POST /search, a list',
  ]);
  const many = Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`/a${index}`, { get: {} }]));
  const lines = (await message(read(withOperation({}, { paths: many })))).split('\n');
  assert.equal([lines.length, lines.at(-1)], [42, '  and 5 more']);
});

test('lets choose operation and server, and asks for values', async () => {
  const asked: string[] = [];
  const found = await read(yaml, {
    choose: async (question, choices) => {
      asked.push(question, choices[1]?.label ?? '');
      return question === 'Which server?' ? choices[1]?.value : 'getUser';
    },
    ask: async (question, options) => {
      asked.push(`${question}${options?.secret === true ? ' (hidden)' : ''}`);
      return 'x1';
    },
  });
  assert.is(found.url.href, 'https://sandbox.example/v2/orgs/x1/users/x1');
  assert.equal(asked, [
    'Which operation?',
    'getUser, GET /orgs/{org}/users/{id}',
    'Which server?',
    'https://sandbox.example/v2 (for tests)',
    'A value for org',
    'A value for id',
    'API_TOKEN, for bearerAuth (hidden)',
  ]);
});

test('makes a body of the required members, and those of --param', async () => {
  const found = await read(yaml, { operation: 'search', params: ['limit=10', 'deep=true'] });
  assert.equal(found.body, { kind: 'json', text: '{"limit":10,"sort":"name","filter":{},"deep":true}' });
  assert.equal([found.method, found.secrets], ['POST', []]);
});

const bodies: readonly (readonly [
  name: string,
  content: object,
  params: readonly string[],
  body: object | undefined,
])[] = [
  [
    'the example',
    { 'application/json': { example: { a: 1, q: 'x' } } },
    ['q=y'],
    { kind: 'json', text: '{"a":1,"q":"y"}' },
  ],
  [
    'the first of the examples',
    { 'text/json': { examples: { one: { value: { a: 2 } } } } },
    [],
    { kind: 'json', text: '{"a":2}' },
  ],
  [
    'a form',
    { 'application/x-www-form-urlencoded': { schema: { required: ['a'], properties: { a: { const: 'b c' } } } } },
    [],
    { kind: 'form', text: 'a=b+c' },
  ],
  ['no body', {}, [], undefined],
];
for (const [name, content, params, body] of bodies) {
  test(`sends ${name}`, async () => {
    const text = withOperation({}, { paths: { '/a': { post: { requestBody: { content } } } } });
    assert.equal((await read(text, { params })).body, body);
  });
}

const queries: readonly (readonly [parameter: object, query: string])[] = [
  [{ example: ['a', 'b c'] }, '?x=a&x=b+c'],
  [{ example: ['a', 'b'], explode: false }, '?x=a%2Cb'],
  [{ example: ['a', 'b'], style: 'pipeDelimited' }, '?x=a%2Cb'],
  [{ example: { a: 1, b: [2, 3] }, style: 'deepObject' }, '?x%5Ba%5D=1&x%5Bb%5D=2%2C3'],
  [{ example: { a: 1, b: { c: 2 } } }, '?a=1&b=%7B%22c%22%3A2%7D'],
  [{ example: { a: 1 }, explode: false }, '?x=a%2C1'],
  [{ content: { 'application/json': {} }, example: { a: 1 } }, '?x=%7B%22a%22%3A1%7D'],
  [{ content: { 'application/json': {} }, example: 'a' }, '?x=a'],
  [{ schema: { examples: [7] } }, '?x=7'],
  [{ schema: { allOf: [] }, examples: { one: { value: 8 } } }, '?x=8'],
  [{ in: 'cookie', example: 'c' }, ''],
];
for (const [parameter, query] of queries) {
  test(`writes the parameter ${JSON.stringify(parameter)}`, async () => {
    const parameters = [{ name: 'x', in: 'query', required: true, ...parameter }, { name: 'y', in: 'body' }, {}];
    const found = await read(withOperation({ parameters }));
    assert.is(found.url.search, query);
    assert.equal(found.headers.slice(1), query === '' ? [['Cookie', 'x=c']] : []);
  });
}

test('finds hints of pagination in names of several spellings', async () => {
  const names = ['$skip', '$top', 'pageToken', 'page[number]', 'starting_after', 'q'];
  const parameters = names.map((name) => ({ name, in: 'query' }));
  assert.equal((await read(withOperation({ parameters }))).hints, {
    page: ['page[number]'],
    offset: ['$skip'],
    limit: ['$top'],
    cursor: ['pageToken', 'starting_after'],
  });
});

const schemes = {
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  session: { type: 'apiKey', in: 'cookie', name: 'sid' },
  login: { type: 'http', scheme: 'Basic' },
  oauth: { type: 'oauth2' },
  digest: { type: 'http', scheme: 'digest' },
  mutual: { type: 'mutualTLS' },
};
const securities: readonly (readonly [
  security: readonly unknown[],
  env: Record<string, string>,
  href: string,
  headers: readonly (readonly string[])[],
  names: readonly string[],
])[] = [
  [
    [{ key: [], query: [] }],
    { API_X_KEY: 'a1', API_KEY: 'b2' },
    'https://api.example/a?key=b2',
    [['X-Key', 'a1']],
    ['API_KEY', 'API_X_KEY'],
  ],
  [[{ session: [] }], { COOKIE: 'sid=1' }, 'https://api.example/a', [['Cookie', 'sid=1']], ['COOKIE']],
  [
    [{ login: [] }],
    { API_USER: 'ada', API_PASSWORD: 'p:w' },
    'https://ada:p%3Aw@api.example/a',
    [],
    ['API_USER', 'API_PASSWORD'],
  ],
  [
    [{ digest: [] }, { key: [] }, { oauth: [] }],
    { API_OAUTH: 't' },
    'https://api.example/a',
    [['Authorization', 'Bearer t']],
    ['API_OAUTH'],
  ],
  [[{ key: [] }, {}], {}, 'https://api.example/a', [], []],
  [[], {}, 'https://api.example/a', [], []],
];
for (const [security, env, href, headers, names] of securities) {
  test(`carries the credentials of ${JSON.stringify(security)}`, async () => {
    const found = await read(withOperation({ security }, { components: { securitySchemes: schemes } }), { env });
    assert.equal([found.url.href, found.headers.slice(1)], [href, headers]);
    assert.equal(
      found.secrets.map((place) => place.env),
      names,
    );
    assert.is(found.notes?.length, names.includes('API_OAUTH') ? 1 : 0);
  });
}

const without: readonly (readonly [security: readonly unknown[], message: RegExp])[] = [
  [[{ key: [] }], /^the operation needs credentials \(key of the document\): export API_X_KEY=\.\.\.$/],
  [[{ login: [] }], /: export API_USER=\.\.\. API_PASSWORD=\.\.\.$/],
  [[{ session: [] }], /: export COOKIE="sid=\.\.\."$/],
  [[{ digest: [] }, { mutual: [] }, { missing: [] }, null], /^the operation needs a login that init cannot prove/],
];
for (const [security, expected] of without) {
  test(`says what to set for ${JSON.stringify(security)}`, async () => {
    const text = withOperation({ security }, { components: { securitySchemes: schemes } });
    assert.match(await message(read(text)), expected);
  });
}

test('a document cannot choose a variable of something else: its names begin with API_', async () => {
  const named = {
    GITHUB_TOKEN: { type: 'http', scheme: 'bearer' },
    path: { type: 'apiKey', in: 'header', name: 'AWS_SECRET_ACCESS_KEY' },
  };
  const env = { GITHUB_TOKEN: 'g1', PATH: '/bin', AWS_SECRET_ACCESS_KEY: 'a1' };
  for (const [scheme, variable] of [
    ['GITHUB_TOKEN', 'API_TOKEN'],
    ['path', 'API_AWS_SECRET_ACCESS_KEY'],
  ]) {
    const text = withOperation({ security: [{ [`${scheme}`]: [] }] }, { components: { securitySchemes: named } });
    assert.match(await message(read(text, { env })), `export ${variable}=...`);
  }
});

test('follows references to files of its folder, and of its origin, once each', async () => {
  const text = JSON.stringify({
    openapi: '3.1.0',
    servers: [{ url: '/v1' }],
    paths: { '/a': { $ref: 'paths/a.yaml#/items' }, '/b': { $ref: './paths/a.yaml#/items' } },
  });
  const other = 'items: { get: { parameters: [{ $ref: "../shared.json" }], operationId: a } }';
  const shared = '{"name":"x","in":"query","required":true,"example":1}';
  const loaded: string[] = [];
  const load = (address: string) => {
    loaded.push(address);
    return address.endsWith('shared.json') ? shared : other;
  };
  const ofFile = await read(text, {
    operation: '/a',
    server: 'https://api.example',
    readText: async (path) => load(path),
  });
  assert.is(ofFile.url.href, 'https://api.example/a?x=1');
  const url = new URL('https://docs.example/api/openapi.json');
  const ofOrigin = await read(text, { operation: '/b', fetchText: async (each) => load(each.href) }, url);
  assert.is(ofOrigin.url.href, 'https://docs.example/v1/b?x=1');
  assert.equal(loaded, [
    '/docs/api/paths/a.yaml',
    '/docs/api/shared.json',
    'https://docs.example/api/paths/a.yaml',
    'https://docs.example/api/shared.json',
  ]);
});

const references: readonly (readonly [reference: string, message: RegExp])[] = [
  ['#/components/none', /^openapi\.yaml: "\$ref": "#\/components\/none" leads nowhere: fix the document$/],
  ['#anchor', /leads nowhere/],
  ['https://other.example/a.yaml', /leads to another origin, which init never reads: bundle it/],
  ['//other.example/a.yaml', /leads to another folder/],
  ['../secret.yaml', /leads to another folder, which init never reads/],
  ['%2e%2e/secret.yaml', /leads to another folder/],
  ['..%2fsecret.yaml', /leads to another folder/],
  ['/etc/passwd', /leads to another folder/],
  ['http://[', /is no address/],
];
for (const [reference, expected] of references) {
  test(`refuses the reference ${reference}`, async () => {
    const text = withOperation({ parameters: [{ $ref: reference }] });
    assert.match(await message(read(text)), expected);
  });
}

test('a document of an origin refers to that origin only', async () => {
  const text = withOperation({ parameters: [{ $ref: 'https://docs.example:444/a.json' }] });
  assert.match(await message(read(text, {}, new URL('https://docs.example/a'))), /leads to another origin/);
  const local = withOperation({ parameters: [{ $ref: 'file:///etc/passwd' }] });
  assert.match(await message(read(local, {}, new URL('https://docs.example/a'))), /leads to another origin/);
});

test('reports references that lead to each other, and too many documents', async () => {
  const components = {
    parameters: { a: { $ref: '#/components/parameters/b' }, b: { $ref: '#/components/parameters/a' } },
  };
  const text = withOperation({ parameters: [{ $ref: '#/components/parameters/a' }] }, { components });
  assert.match(await message(read(text)), /^openapi\.yaml has references that lead to each other/);
  const parameters = Array.from({ length: 60 }, (_, index) => ({ $ref: `p${index}.json` }));
  const readText = async () => '{"name":"x","in":"query"}';
  assert.match(await message(read(withOperation({ parameters }), { readText })), /refers to more than 50 documents/);
});

test('looks for lists in schemas that contain themselves, and in large documents', async () => {
  const schema = { allOf: [{ $ref: '#/components/schemas/Self' }, { $ref: '#/components/schemas/Self' }] };
  const properties = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, schema]));
  const responses = { 200: { content: { 'application/json': { schema: { properties } } } } };
  const paths = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`/a${index}`, { get: { responses } }]));
  const text = withOperation({}, { paths, components: { schemas: { Self: schema } } });
  assert.is((await read(text, { operation: '/a7' })).url.pathname, '/a7');
});

test('a broken reference matters only if its operation is chosen', async () => {
  const broken = { responses: { 200: { $ref: '#/none' } } };
  const text = withOperation({}, { paths: { '/a': { get: { operationId: 'a' } }, '/b': { get: broken } } });
  assert.is((await read(text, { operation: 'a' })).url.pathname, '/a');
});

const lists: readonly (readonly [schema: object, isList: boolean])[] = [
  [{ type: ['array', 'null'] }, true],
  [{ properties: { total: {}, rows: { type: 'array', items: { type: 'object' } } } }, true],
  [{ properties: { tags: { type: 'array', items: { type: 'string' } } } }, false],
  [{ properties: { data: { properties: { rows: { type: 'array', items: { properties: {} } } } } } }, true],
  [{ properties: { owner: { properties: { rows: { type: 'array', items: { properties: {} } } } } } }, false],
  [
    {
      properties: { data: { properties: { data: { properties: { rows: { type: 'array', items: { oneOf: [] } } } } } } },
    },
    false,
  ],
  [{ allOf: [{ properties: {} }, { properties: { rows: { type: 'array', items: { allOf: [] } } } }] }, true],
];
for (const [schema, isList] of lists) {
  test(`${isList ? 'takes' : 'does not take'} ${JSON.stringify(schema)} for a list`, async () => {
    const get = { responses: { 200: { content: { 'application/json': { schema } } } } };
    const text = await message(read(withOperation({}, { paths: { '/a': { get }, '/b': { get: {} } } })));
    assert.is(text.includes('GET /a, a list'), isList);
  });
}

const wrong: readonly (readonly [text: string, over: Partial<ReadContext>, message: RegExp])[] = [
  ['{"swagger":"2.0"}', {}, /is a Swagger document: convert it to OpenAPI 3/],
  ['{"openapi":"2.0"}', {}, /is no OpenAPI 3 document/],
  ['a: b', {}, /is no OpenAPI 3 document/],
  ['[]', {}, /is no OpenAPI 3 document/],
  ['a: [b', {}, /^openapi\.yaml is neither JSON nor YAML: .* at line 1, column 6/],
  ['a: &a [*a]\nopenapi: 3', {}, /aliases|is no OpenAPI|no operation/],
  ['openapi: 3.1.0', {}, /has no operation with GET or POST/],
  [yaml, { operation: 'listUser' }, /has no operation "listUser" with GET or POST; did you mean "listUsers"\?/],
  [yaml, { operation: 'user' }, /; try "listUsers", "getUser"$/],
  [yaml, { operation: 'zzzzzzzz' }, /: leave out --operation to see all$/],
  [yaml, { operation: 'replace' }, /has no operation "replace" with GET or POST/],
  [
    yaml,
    { operation: 'getUser' },
    /^operation getUser needs values that the document does not have: add --param org=VALUE --param id=VALUE$/,
  ],
  [yaml, { operation: 'getUser', params: ['org'] }, /^--param needs a name and a value/],
  [yaml, { operation: '/ping', params: ['a=b'] }, /^operation GET \/ping has no parameter "a": it has "region"$/],
  [withOperation({}), { params: ['a=b'] }, /^operation GET \/a has no parameter "a": it has none$/],
  [yaml, { operation: 'listUsers', params: ['pag=1'] }, /has no parameter "pag"; did you mean "page"\?/],
  [withOperation({}, { servers: [] }), {}, /names no server with a host: add --server URL/],
  [withOperation({}, { servers: [{ url: 'http://[' }] }), {}, /names no server with a host/],
  [
    withOperation({}, { servers: [{ url: 'https://{a}/', variables: { a: {} } }] }),
    {},
    /needs values .*--param a=VALUE|names no server/,
  ],
  [withOperation({}, { paths: { '/a/{id}': { get: {} } } }), {}, /add --param id=VALUE/],
  [
    withOperation({}, { paths: { '/a': { post: { requestBody: { content: { 'text/xml': {} } } } } } }),
    {},
    /neither JSON nor a form/,
  ],
  [
    withOperation(
      {},
      {
        paths: {
          '/a': {
            post: { requestBody: { content: { 'a/json': { schema: { required: ['q'], properties: { q: {} } } } } } },
          },
        },
      },
    ),
    {},
    /add --param q=VALUE/,
  ],
];
test('a document from elsewhere names a private server only with --server or after a question', async () => {
  const text = withOperation({}, { servers: [{ url: 'http://localhost:8080/v1' }] });
  const elsewhere = new URL('https://docs.example/openapi.json');
  const refused = await message(read(text, {}, elsewhere));
  assert.is(
    refused,
    'openapi.yaml names a server of a private network, http://localhost:8080: if you trust that, add --server http://localhost:8080/v1',
  );
  const named = await read(text, { server: 'http://localhost:8080/v1' }, elsewhere);
  assert.is(named.url.href, 'http://localhost:8080/v1/a');
  const [ofFile, ofNeighbour] = [await read(text), await read(text, {}, new URL('http://localhost/openapi.json'))];
  assert.equal([ofFile.url.port, ofNeighbour.url.port], ['8080', '8080']);
});

for (const [text, over, expected] of wrong) {
  test(`refuses ${JSON.stringify(over)} of ${text.trim().slice(0, 60)}: ${expected.source.slice(0, 40)}`, async () => {
    assert.match(await message(read(text, over)), expected);
  });
}

test.run();
