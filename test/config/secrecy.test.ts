import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { builtIn } from '../../src/config/registries.js';
import { fakes } from './fakes.js';
import { validateConfig } from './validate-text.js';

const secret = 'hV7qZ0sEcReT';
const secretNumber = 91827364550;

/** Uses every part of the language that is built, and some that is not. */
const whole = {
  parameters: {
    api: {
      baseUrl: { function: 'concat', args: ['https://', { attr: 'host' }] },
      http: {
        headers: { Authorization: { function: 'concat', args: ['Bearer ', { attr: '#token' }] }, X: ['a', 1] },
        defaultOptions: { method: 'GET', params: { a: 1 }, headers: { Y: 'y' } },
        credentialOrigins: ['https://a.example'],
      },
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login', method: 'POST', params: { p: { attr: '#token' } }, headers: { L: 'x' } },
        format: 'json',
        apiRequest: { headers: { T: { response: 'token' } }, query: { k: { function: 'sha1', args: ['x'] } } },
        expires: { response: 'exp', relative: true },
      },
      pagination: { method: 'pagenum', limit: 10, pageParam: 'p', firstPage: 0, firstPageParams: false },
      retryConfig: { maxRetries: 1, http: { retryHeader: 'R', codes: [500] }, curl: { codes: [7] } },
      caCertificate: 'pem',
    },
    config: {
      host: 'api.example',
      '#token': 'abc',
      http: { headers: { Z: 'z' } },
      userData: { a: 'b' },
      jobs: [
        { endpoint: 'a', method: 'GET', params: { q: { attr: 'host' } }, dataField: { path: 'a', delimiter: '.' } },
        { endpoint: 'b', headers: { H: 'h' }, dataField: 'x', dataType: 'd', id: 'i' },
      ],
    },
  },
  authorization: {},
};

type Steps = readonly (string | number)[];

const stepsIn = (value: unknown, at: Steps = []): readonly Steps[] => {
  if (typeof value !== 'object' || value === null) return [at];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [at, ...members.flatMap(([step, member]) => stepsIn(member, [...at, step]))];
};

const replaced = (value: unknown, [step, ...rest]: Steps, by: unknown): unknown => {
  if (step === undefined) return by;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each, index) => (index === step ? replaced(each, rest, by) : each));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, each]) => [key, key === step ? replaced(each, rest, by) : each]));
};

const planted = fc.constantFrom<unknown>(
  secret,
  `${secret}\n`,
  `ftp://me:${secret}@host/`,
  `https://host/${secret}`,
  secretNumber,
  -secretNumber,
  secretNumber + 0.5,
  [secret],
  [secretNumber],
  { a: secret },
  { attr: secret },
  { response: secret },
  { function: secret, args: [secret] },
  { function: 'sha1', args: secret },
  { method: secret },
  { type: secret },
);

const plants = fc.array(fc.tuple(fc.constantFrom(...stepsIn(whole)), planted), { minLength: 1, maxLength: 6 });

const seed = Date.now() & 0x7fffffff;

const messagesOf = (text: string): readonly string[] =>
  [builtIn, fakes].flatMap((registries) => {
    const { problems, notices } = validateConfig(text, 'config.json', registries);
    return [...problems.map(({ path, message }) => `${path}: ${message}`), ...notices.map(({ message }) => message)];
  });

/** A text where names are expected is shown: it is meant as a name. */
const shownName = /(expected (?:one of )?"[^"]+"(?:(?:, | or )"[^"]+")*, found )"[^"]*"/;

function holdsSecret(message: string): boolean {
  const rest = message.replace(shownName, '$1');
  return rest.includes(secret) || rest.includes('91827364550');
}

test(`no message holds a value of the configuration (seed ${seed})`, () => {
  let said = 0;
  const check = (all: readonly (readonly [Steps, unknown])[]) => {
    const document = all.reduce<unknown>((value, [steps, by]) => replaced(value, steps, by), whole);
    const messages = messagesOf(JSON.stringify(document));
    said += messages.length;
    assert.equal(messages.filter(holdsSecret), []);
  };
  fc.assert(fc.property(plants, check), { seed, numRuns: 1500 });
  assert.ok(said > 1000, 'broken configurations have faults');
});

test(`no message holds a piece of a text that is no JSON (seed ${seed})`, () => {
  const text = JSON.stringify(replaced(whole, ['parameters', 'config', '#token'], secret), null, 1);
  const breakages = fc.tuple(
    fc.nat(text.length),
    fc.nat(3),
    fc.constantFrom('', '"', '\\', secret, `${secret}:`, '{', '\n'),
  );
  const check = ([at, length, by]: readonly [number, number, string]) => {
    const broken = text.slice(0, at) + by + text.slice(at + length);
    const inMemberName = /"[^"]*hV7qZ0sEcReT[^"]*":/.test(broken);
    if (!inMemberName) assert.equal(messagesOf(broken).filter(holdsSecret), []);
  };
  fc.assert(fc.property(breakages, check), { seed, numRuns: 1500 });
});

test.run();
