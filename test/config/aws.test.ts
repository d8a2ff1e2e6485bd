import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inspect } from '../../src/config/parse-config.js';
import { fromPlain } from '../../src/core/json/exact.js';
import { documentOf, problemsOf } from './fakes.js';

const whole = {
  accessKeyId: 'AKIDEXAMPLE',
  '#secretKey': 'a secret key',
  serviceName: 'es',
  regionName: 'eu-central-1',
};

const withAws = (aws: unknown) => new Map([...documentOf({}), ['aws', fromPlain(aws)] as const]);
const withCredentials = (credentials: unknown) => withAws({ signature: { credentials } });
const read = (document: ReturnType<typeof withAws>) => inspect(document).configs?.map((config) => config.aws);

test('all that belongs to it is read', () => {
  const { '#secretKey': secretKey, ...named } = whole;
  assert.equal(read(withCredentials(whole)), [{ ...named, secretKey }]);
  assert.equal(read(withCredentials({ ...whole, '#sessionToken': 'lent' })), [
    { ...named, secretKey, sessionToken: 'lent' },
  ]);
});

test('it belongs to every iteration', () => {
  const parameters = fromPlain({
    api: { baseUrl: 'https://api.example/' },
    config: { jobs: [{ endpoint: 'x' }] },
    iterations: [{ a: 1 }, { a: 2 }],
    aws: { signature: { credentials: whole } },
  });
  const { configs } = inspect(new Map([['parameters', parameters]]));
  assert.equal(
    configs?.map(({ aws }) => aws?.regionName),
    ['eu-central-1', 'eu-central-1'],
  );
});

for (const aws of [null, {}, [], '', { signature: null }, { signature: {} }, { signature: { credentials: {} } }]) {
  test(`${JSON.stringify(aws)} counts as absent`, () => {
    assert.equal(read(withAws(aws)), [undefined]);
  });
}

const at = 'aws.signature.credentials';

const cases: readonly (readonly [string, ReturnType<typeof withAws>, readonly string[]])[] = [
  [
    'all but one missing',
    withCredentials({ accessKeyId: 'AKIDEXAMPLE' }),
    ['#secretKey', 'serviceName', 'regionName'].map((key) => `${at}.${key}: required: expected a non-empty string`),
  ],
  [
    'empty keys',
    withCredentials({ ...whole, accessKeyId: '', '#secretKey': '' }),
    ['accessKeyId', '#secretKey'].map((key) => `${at}.${key}: expected a non-empty string, found an empty string`),
  ],
  [
    'a key of another kind',
    withCredentials({ ...whole, serviceName: ['es'], '#sessionToken': 5 }),
    [
      `${at}.serviceName: expected a non-empty string, found a list`,
      `${at}.#sessionToken: expected a non-empty string, found a number`,
    ],
  ],
  ['no object', withAws('on'), ['aws: expected an object, found a string']],
  ['no object within', withAws({ signature: 'v4' }), ['aws.signature: expected an object, found a string']],
  ['no credentials', withCredentials('me'), [`${at}: expected an object, found a string`]],
];

for (const [fault, document, problems] of cases) {
  test(`${fault} is a problem at its path`, () => {
    assert.equal(problemsOf(document), problems);
  });
}

test('an unknown key is reported, with a suggestion', () => {
  const { notices } = inspect(withCredentials({ ...whole, secretKey: 'a secret key', regionNam: 'x' }));
  assert.equal(
    notices.map(({ message }) => message),
    [
      `${at}.secretKey: unknown key, not used; did you mean "#secretKey"?`,
      `${at}.regionNam: unknown key, not used; did you mean "regionName"?`,
    ],
  );
});

test.run();
