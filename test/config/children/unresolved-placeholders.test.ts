import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { documentOf, warningsOf } from '../fakes.js';

/** The warnings of a child `{id}`, `{1:code}` below a job, with these members. */
const warningsWith = (child: object) => {
  const all = { endpoint: 'users/{id}', placeholders: { id: 'id', '1:code': 'code' }, ...child };
  return warningsOf(documentOf({ job: { children: [all] } }));
};
const path = 'config.jobs[0].children[0]';
const elsewhere = (name: string) =>
  `the placeholder "${name}" is not filled in here, only in \`endpoint\`; sent unchanged`;

const warned: readonly (readonly [child: object, ...warnings: readonly string[]])[] = [
  [
    { endpoint: 'users/{idd}' },
    `${path}.endpoint: there is no placeholder "idd", so it is sent with its braces; did you mean "id"?`,
  ],
  [
    { endpoint: 'users/{x}/{code}/{x}' },
    `${path}.endpoint: there is no placeholder "x", so it is sent with its braces`,
    `${path}.endpoint: there is no placeholder "code", so it is sent with its braces; did you mean "1:code"?`,
  ],
  [{ params: { user: '{id}' } }, `${path}.params.user: ${elsewhere('id')}`],
  [{ params: { a: [{ b: 'x-{1:code}' }] } }, `${path}.params.a[0].b: ${elsewhere('1:code')}`],
  [{ headers: { 'X-User': '{id}' } }, `${path}.headers.X-User: ${elsewhere('id')}`],
];

for (const [child, ...warnings] of warned) {
  test(`${JSON.stringify(child)} is warned of`, () => assert.equal(warningsWith(child), warnings));
}

for (const child of [
  {},
  { endpoint: 'users/{1:code}' },
  { endpoint: 'users?filter={"id":1}' },
  { params: { template: '{name}', filter: '{"id": 1}' } },
]) {
  test(`${JSON.stringify(child)} is not`, () => assert.equal(warningsWith(child), []));
}

test('a name of those above is filled too', () => {
  const inner = { endpoint: 'orders/{id}/{no}', placeholders: { no: 'no' } };
  assert.equal(warningsWith({ children: [inner] }), []);
});

test('a job without a parent fills nothing', () => {
  assert.equal(warningsOf(documentOf({ job: { endpoint: 'users/{id}' } })), [
    'config.jobs[0].endpoint: there is no placeholder "id", so it is sent with its braces',
  ]);
});

test.run();
