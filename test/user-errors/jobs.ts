/** Jobs, where their items are, children. */
import type { ErrorCode } from '../../src/core/errors/error-codes.js';
import { rawJson } from '../loopback/api.js';
import { step } from '../traces/trace.js';
import type { Row } from './row.js';

const required = /required/;
const at = (key: string) => `config.jobs[0]${key}`;
type Problems = NonNullable<Row['problems']>;

const job = (rule: string, over: object, ...problems: Problems): Row => ({
  rule,
  jobs: [{ endpoint: 'users', ...over }],
  problems,
});

const keys: readonly Row[] = [
  job('no endpoint', { endpoint: undefined, dataType: 'users' }, [at('.endpoint'), required]),
  job('an endpoint that is null', { endpoint: null }, [at('.endpoint'), required]),
  job('an endpoint that is no text, before it is asked', { endpoint: ['users'] }, [at('.endpoint'), /a list/]),
  job('parameters that are a text', { params: 'a=1' }, [at('.params'), /an object or a list/]),
  job('parameters that are a number', { params: 5 }, [at('.params'), /an object or a list/]),
  job('headers that are a text', { headers: 'X-A: 1' }, [at('.headers'), /an object/]),
  job('a dataField without a path', { dataField: { delimiter: '/' } }, [at('.dataField.path'), required]),
  job('a dataField that is a list', { dataField: ['items'] }, [at('.dataField'), /a path/]),
  job('children that are no list', { children: 'user/{id}' }, [at('.children'), /a list of jobs/]),
  job('a child that is no object', { children: ['user/{id}'] }, [at('.children[0]'), /an object/]),
  job('a responseFilter that is no path', { responseFilter: [{ path: 'a' }] }, [at('.responseFilter[0]'), /a path/]),
  job('an each that is no object', { each: ['a'] }, [at('.each'), /an object of lists/]),
  job('an each without values', { each: { a: [] } }, [at('.each.a'), /a list of single values/]),
  job('an each with a list in its list', { each: { a: ['x', ['y']] } }, [at('.each.a[1]'), /a single value/]),
  job('an each of a file without its name', { each: { a: { column: 'id' } } }, [at('.each.a.file'), required]),
  job('an each of a file that is not there', { each: { a: { file: 'no-such.csv' } } }, [
    at('.each.a'),
    /cannot be read/,
  ]),
  job('an each of no job', { each: { a: { job: 'user', path: 'id' } } }, [at('.each.a.job'), /did you mean "users"/]),
  job('an each of the job itself', { each: { a: { job: 'users', path: 'id' } } }, [
    at('.each.a.job'),
    /wait for one another/,
  ]),
  job('an each whose key is a parameter too', { each: { a: ['x'] }, params: { a: 'y' } }, [
    at('.params.a'),
    /remove one/,
  ]),
  job('windows without a step', { windows: { from: 0, to: 1, params: { from: 'a' } } }, [
    at('.windows.step'),
    required,
  ]),
  job('windows with a step in words', { windows: { from: 0, to: 1, step: 'week', params: { from: 'a' } } }, [
    at('.windows.step'),
    /a time such as 7d/,
  ]),
  job('windows without a parameter', { windows: { from: 0, to: 1, step: 1, params: {} } }, [
    at('.windows.params'),
    /"from", "to"/,
  ]),
  job('windows whose start is no date', { windows: { from: 'May', step: '1d', params: { from: 'a' } } }, [
    at('.windows.from'),
    /ISO 8601.*`format`/,
  ]),
  job(
    'windows and a parameter of the same name',
    { windows: { from: 0, to: 1, step: 1, params: { from: 'a' } }, params: { a: 1 } },
    [at('.params.a'), /remove one/],
  ),
  job('an onError with an unknown word', { onError: 'ignore' }, [at('.onError'), /"skip", "dead-letter" or "fail"/]),
  job('an onError for a status of success', { onError: { 200: 'skip' } }, [at('.onError.200'), /from 400 to 599/]),
  job('a list as userData', { userData: ['a'] }, [at('.userData'), /a single value/]),
  job('a response of another format', { response: { format: 'cvs' } }, [at('.response.format'), /did you mean "csv"/]),
  job('a response that is a text', { response: 'csv' }, [at('.response'), /an object/]),
  job('a key of CSV without CSV', { response: { format: 'text', header: false } }, [at('.response.header'), /"csv"/]),
  job('a delimiter of two characters', { response: { format: 'csv', delimiter: '::' } }, [
    at('.response.delimiter'),
    /one ASCII character/,
  ]),
  job('a delimiter that is the quote', { response: { format: 'csv', delimiter: '"' } }, [
    at('.response.delimiter'),
    /the same character as `quote`/,
  ]),
  job('a name of a column twice', { response: { format: 'csv', names: ['a', 'b', 'a'] } }, [
    at('.response.names[2]'),
    /another column/,
  ]),
  job('no name of a column', { response: { format: 'csv', names: [] } }, [at('.response.names'), /at least one/]),
  job('an unknown step of decode', { response: { decode: ['gzip'] } }, [at('.response.decode[0]'), /"gunzip"/]),
  job('files of an archive without unzip', { response: { decode: ['gunzip'], members: ['*'] } }, [
    at('.response.members'),
    /only allowed with "unzip" in `decode`/,
  ]),
  job('no file of an archive', { response: { decode: ['unzip'], members: [] } }, [
    at('.response.members'),
    /at least one pattern/,
  ]),
  job('a path of a text that is a number', { response: { parse: [1] } }, [
    at('.response.parse[0]'),
    /a non-empty string/,
  ]),
  job('XML without the path of its items', { response: { format: 'xml' } }, [at('.response.element'), required]),
  job('a path of XML without XML', { response: { format: 'csv', element: 'a.b' } }, [at('.response.element'), /"xml"/]),
  {
    rule: 'two jobs of one id',
    jobs: [
      { endpoint: 'users', id: 7 },
      { endpoint: 'orders', id: '7' },
    ],
    problems: [['config.jobs[1].id', /config\.jobs\[0\]/]],
  },
  job(
    'two children of one id',
    { children: ['a', 'b'].map((name) => ({ endpoint: `${name}/{id}`, id: 'x', placeholders: { id: 'id' } })) },
    [at('.children[1].id'), /children\[0\]/],
  ),
];

/** A page without recognisable items. */
const page = (rule: string, body: unknown, code: ErrorCode, says: RegExp, over: object = {}): Row => ({
  rule,
  jobs: [{ endpoint: 'users', ...over }],
  steps: [step('GET users', typeof body === 'string' ? rawJson(body) : body)],
  code,
  says,
  job: 'users',
  page: 0,
});

const items: readonly Row[] = [
  page('more than one list', { users: [1], orders: [2] }, 'ERR_DATA_FIELD', /users.*orders/),
  page('a second list that is empty', { users: [1], orders: [] }, 'ERR_DATA_FIELD', /users.*orders/),
  ...['null', '5', '"text"', 'true'].map((text) =>
    page(`a response that is ${text}`, text, 'ERR_DATA_FIELD', /bare scalar.*an object or an array/),
  ),
  page('responseFilter with [] where there is no list', [{ tags: 'a' }], 'ERR_FILTER', /"tags\[\]".*a string/, {
    responseFilter: 'tags[].name',
    children: [{ endpoint: 'user/{id}', dataType: 'more', placeholders: { id: 'id' } }],
  }),
];

/** A child of the first job. */
const child = (rule: string, over: object, ...problems: Problems): Row => ({
  rule,
  jobs: [{ endpoint: 'users', children: [{ endpoint: 'user/{id}', placeholders: { id: 'id' }, ...over }] }],
  problems,
});

const below = (key: string) => at(`.children[0]${key}`);
const value = { placeholder: 'value' };

const children: readonly Row[] = [
  child('a child without an endpoint', { endpoint: undefined }, [below('.endpoint'), required]),
  child('a download beside an endpoint', { download: { url: '{id}' } }, [
    below('.endpoint'),
    /cannot be used with `download`/,
  ]),
  child('a download without a URL', { endpoint: undefined, download: { to: 'a' } }, [below('.download.url'), required]),
  child('a misspelt key of a download', { endpoint: undefined, download: { url: '{id}', name: 'a' } }, [
    below('.download.name'),
    /unknown key/,
  ]),
  child(
    'a download with a pagination',
    { endpoint: undefined, download: { url: '{id}' }, pagination: { method: 'none' } },
    [below('.pagination'), /cannot be used with `download`/],
  ),
  child('a name in a download at a level that is not there', { endpoint: undefined, download: { url: '{3:id}' } }, [
    below('.download.url'),
    /is 3: expected 1/,
  ]),
  job('a download of a job without a parent', { endpoint: undefined, download: { url: 'a' } }, [
    at('.download'),
    /only a child job can have it/,
  ]),
  child('placeholders that are no object', { placeholders: 'id' }, [below('.placeholders'), /an object/]),
  child('a level beyond the ancestors', { placeholders: { '2:id': 'id' } }, [
    below('.placeholders["2:id"]'),
    /is 2: expected 1.*the only level here/,
  ]),
  child('the level 0', { placeholders: { '0:id': 'id' } }, [below('.placeholders["0:id"]'), /is 0: expected 1/]),
  child('a level that is no number', { placeholders: { 'top:id': 'id' } }, [
    below('.placeholders["top:id"]'),
    /is 0: expected 1/,
  ]),
  child(
    'a level beyond the ancestors of a grandchild',
    { children: [{ endpoint: 'x/{3:id}', placeholders: { '3:id': 'id' } }] },
    [below('.children[0].placeholders["3:id"]'), /is 3: expected 1.*up to 2/],
  ),
  child('a placeholder without a path', { placeholders: { id: { function: 'md5', args: [value] } } }, [
    below('.placeholders.id.path'),
    required,
  ]),
  child(
    'a placeholder with an empty path',
    { placeholders: { id: '', other: { path: '', ...value } } },
    [below('.placeholders.id'), /a path/],
    [below('.placeholders.other.path'), /a path/],
  ),
  child('a placeholder that is a list', { placeholders: { id: ['id'] } }, [below('.placeholders.id'), /a path/]),
  child('a path and nothing beside it', { placeholders: { id: { path: 'id' } } }, [
    below('.placeholders.id'),
    /"function".*"placeholder"/,
  ]),
  child(
    'a reference that a placeholder does not know',
    {
      placeholders: { id: { path: 'id', function: 'concat', args: [{ attr: 'a' }, { placeholder: 'id' }] } },
    },
    [below('.placeholders.id.args[0].attr'), /"placeholder": "value"/],
    [below('.placeholders.id.args[1].placeholder'), /"value"/],
  ),
  ...['a==1|', '&a==1', 'a==1&&b==2'].map((recursionFilter) =>
    child(`a dangling operator in the filter ${recursionFilter}`, { recursionFilter }, [
      below('.recursionFilter'),
      /empty.*both sides/,
    ]),
  ),
  ...['type', 'type=x', 'type~x', 'a==1|type', 'a==1&b'].map((recursionFilter) =>
    child(`a condition without an operator in the filter ${recursionFilter}`, { recursionFilter }, [
      below('.recursionFilter'),
      /no operator.*"=="/,
    ]),
  ),
  child('parentheses in a filter', { recursionFilter: '(a==1|b==2)&c==3' }, [
    below('.recursionFilter'),
    /condition 1 begins with a parenthesis/,
  ]),
  child('a condition without a path', { recursionFilter: '==x' }, [below('.recursionFilter'), /no path/]),
  child('a filter that is no text', { recursionFilter: ['type==x'] }, [below('.recursionFilter'), /a string/]),
];

/** A row that a child cannot be made of: the page was taken, and the child is not asked. */
const row = (rule: string, over: object, parent: object, code: ErrorCode, says: RegExp): Row => ({
  rule,
  jobs: [
    {
      endpoint: 'users',
      children: [{ endpoint: 'user/{id}', dataType: 'more', placeholders: { id: 'info.id' }, ...over }],
    },
  ],
  steps: [step('GET users', [parent])],
  code,
  says,
  job: 'more',
});

const made = (name: string, ...args: readonly unknown[]) => ({
  placeholders: { id: { path: 'info.id', function: name, args } },
});

const rows: readonly Row[] = [
  row(
    'a placeholder whose path leads nowhere',
    {},
    { info: { ids: 1 } },
    'ERR_PLACEHOLDER',
    /"id" \(level 1\).*"info\.id".*"info\.ids"/,
  ),
  row('one in an object that is missing', {}, {}, 'ERR_PLACEHOLDER', /"id" \(level 1\).*"info\.id"/),
  row('a value that is an object', {}, { info: { id: { a: 1 } } }, 'ERR_PLACEHOLDER', /"info\.id".*an object/),
  row(
    'a list that contains an object',
    {},
    { info: { id: [1, {}] } },
    'ERR_PLACEHOLDER',
    /a list that contains an object/,
  ),
  row('a function of null', made('md5', value), { info: { id: null } }, 'ERR_PLACEHOLDER', /"id".*null/),
  row('a function of a list', made('md5', value), { info: { id: [1] } }, 'ERR_PLACEHOLDER', /"id".*a list/),
  row(
    'a function that fails',
    made('date', 'Y', value),
    { info: { id: 'x' } },
    'ERR_PLACEHOLDER',
    /"id".*date.*seconds/,
  ),
  row(
    'a filter of what is a list',
    { recursionFilter: 'tags==a' },
    { tags: ['a'] },
    'ERR_FILTER',
    /"tags".*single value|a list at "tags"/,
  ),
  row(
    'a filter of what is an object',
    { recursionFilter: 'info!=' },
    { info: {} },
    'ERR_FILTER',
    /an object at "info"/,
  ),
  {
    rule: 'a grandchild that reads what its grandparent does not have',
    jobs: [
      {
        endpoint: 'users',
        children: [
          {
            endpoint: 'user/{id}',
            dataField: '.',
            dataType: 'more',
            placeholders: { id: 'id' },
            children: [{ endpoint: 'tag/{2:tag}', dataType: 'tags', placeholders: { '2:tag': 'tag' } }],
          },
        ],
      },
    ],
    steps: [step('GET users', [{ id: 1 }]), step('GET user/1', { tag: 'x' })],
    code: 'ERR_PLACEHOLDER',
    says: /"2:tag" \(level 2\).*"tag"/,
    job: 'tags',
  },
];

export const jobs: readonly Row[] = [...keys, ...items, ...children, ...rows];
