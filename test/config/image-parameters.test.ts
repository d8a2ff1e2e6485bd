import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../src/config/parse-config.js';
import { fromPlain } from '../../src/core/json/exact.js';
import { documentOf, fakes, onlyOf, problemsOf } from './fakes.js';

const documentWith = (image: unknown) => new Map([...documentOf({}), ['image_parameters', fromPlain(image)] as const]);
const hostsOf = (image: unknown) => onlyOf(parseConfig(documentWith(image), fakes)).allowedHosts;

const hosts: readonly (readonly [image: unknown, hosts: readonly object[]])[] = [
  [null, []],
  [{}, []],
  [{ allowed_hosts: [] }, []],
  [{ allowed_hosts: null, other: { x: 1 } }, []],
  [{ allowed_hosts: [{ host: 'api.example' }] }, [{ host: 'api.example' }]],
  [
    { allowed_hosts: [{ host: 'API.Example' }, { host: 'café.example' }] },
    [{ host: 'api.example' }, { host: 'xn--caf-dma.example' }],
  ],
  [
    { allowed_hosts: [{ host: 'a', scheme: 'https', port: '8443', endpoint: '/v1' }] },
    [{ host: 'a', scheme: 'https', port: 8443, endpoint: '/v1' }],
  ],
];

for (const [image, expected] of hosts) {
  test(`image_parameters of ${JSON.stringify(image)} allow ${expected.length === 0 ? 'every host' : 'these hosts'}`, () => {
    assert.equal(hostsOf(image), expected);
  });
}

const list = 'image_parameters.allowed_hosts';
const refused: readonly (readonly [image: unknown, problem: string])[] = [
  ['x', 'image_parameters: expected an object, found a string'],
  [{ allowed_hosts: 'api.example' }, `${list}: expected a list of objects with "host", found a string`],
  [{ allowed_hosts: ['api.example'] }, `${list}[0]: expected an object, found a string`],
  [{ allowed_hosts: [{ scheme: 'https' }] }, `${list}[0].host: required: expected a non-empty string`],
  [
    { allowed_hosts: [{ host: 'a', port: 'https' }] },
    `${list}[0].port: expected a whole number from 1 up, or a string of digits, found a string`,
  ],
  [
    { allowed_host: [{ host: 'a' }] },
    'image_parameters.allowed_host: unknown key, which would allow more than intended; did you mean "allowed_hosts"?',
  ],
  [
    { allowedHosts: [{ host: 'a' }], allowed_hosts: [{ host: 'a' }] },
    'image_parameters.allowedHosts: unknown key, which would allow more than intended; did you mean "allowed_hosts"?',
  ],
  [
    { allowed_hosts: [{ host: 'a', prot: 443 }] },
    `${list}[0].prot: unknown key, which would allow more than intended; did you mean "port"?`,
  ],
  [{ allowed_hosts: [{ host: 'a', scheme: 'ftp' }] }, `${list}[0].scheme: expected "https" or "http", found "ftp"`],
];

for (const [image, problem] of refused) {
  test(`image_parameters of ${JSON.stringify(image)} are a problem`, () => {
    assert.equal(problemsOf(documentWith(image)), [problem]);
  });
}

test('a misspelt own key is a problem, other keys are not', () => {
  const document = new Map([...documentOf({}), ['image_parameter', fromPlain({ allowed_hosts: [] })] as const]);
  assert.equal(problemsOf(document), [
    'image_parameter: unknown key, which would allow more than intended; did you mean "image_parameters"?',
  ]);
  assert.equal(problemsOf(documentWith({ only: 1, '#key': 'x' })), []);
});

test('they are beside parameters', () => {
  const image = fromPlain({ allowed_hosts: [{ host: 'a' }] });
  const document = new Map([['parameters', documentOf({})] as const, ['image_parameters', image] as const]);
  assert.equal(onlyOf(parseConfig(document, fakes)).allowedHosts, [{ host: 'a' }]);
});

test.run();
