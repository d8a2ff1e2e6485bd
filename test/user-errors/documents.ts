/** The document, its sections, iterations, allowed hosts, the tunnel. */
import { mainOrigin } from '../loopback/replay.js';
import { step } from '../traces/trace.js';
import type { Row } from './row.js';

const api = { baseUrl: `${mainOrigin}/v1/` };
const config = { jobs: [{ endpoint: 'users' }] };
const required = /required/;
const proxy = { host: 'ssh.test', port: 22, user: 'joe', '#privateKey': '-----BEGIN' };
const allowed = (host: object) => ({ image_parameters: { allowed_hosts: [host] } });
const elsewhere = { host: 'elsewhere.test' };

const sections: readonly Row[] = [
  { rule: 'an action other than "run"', beside: { action: 'sample' }, problems: [['action', /expected "run"/]] },
  { rule: 'no api', document: { config }, problems: [['api', required]] },
  { rule: 'an api that is null', document: { api: null, config }, problems: [['api', required]] },
  { rule: 'an api that is an empty string', document: { api: '', config }, problems: [['api', /an object/]] },
  { rule: 'an empty api', document: { api: {}, config }, problems: [['api.baseUrl', required]] },
  { rule: 'an api that is an empty list', document: { api: [], config }, problems: [['api.baseUrl', required]] },
  { rule: 'no config', document: { api }, problems: [['config', required]] },
  { rule: 'a config that is null', document: { api, config: null }, problems: [['config', required]] },
  { rule: 'an empty config', document: { api, config: {} }, problems: [['config.jobs', required]] },
  {
    rule: 'a config that is an empty list',
    document: { api, config: [] },
    problems: [['config.jobs', required]],
  },
  {
    rule: 'both are missing, below parameters',
    document: { parameters: {} },
    problems: [
      ['parameters.config', required],
      ['parameters.api', required],
    ],
  },
  { rule: 'parameters that are no object', document: { parameters: 5 }, problems: [['parameters', /an object/]] },
  { rule: 'a document that is no object', document: [1], problems: [['', /"api" and "config"/]] },
  { rule: 'no jobs', config: { jobs: undefined }, problems: [['config.jobs', required]] },
  { rule: 'an empty list of jobs', jobs: [], problems: [['config.jobs', /at least one job/]] },
  { rule: 'an empty object of jobs', jobs: {}, problems: [['config.jobs', /at least one job/]] },
  { rule: 'jobs that are a text', jobs: 'users', problems: [['config.jobs', /a list of at least one job/]] },
  {
    rule: 'jobs that are no objects, in a list',
    jobs: ['users', 5, null],
    problems: [
      ['config.jobs[0]', /an object/],
      ['config.jobs[1]', /an object/],
      ['config.jobs[2]', /an object/],
    ],
  },
  {
    rule: 'a job that is no object, in an object',
    jobs: { first: 'users' },
    problems: [['config.jobs.first', /an object/]],
  },
  {
    rule: 'a list with an element as userData',
    config: { userData: ['x'] },
    problems: [['config.userData', /list/]],
  },
];

const iterations: readonly Row[] = [
  { rule: 'iterations that are no list', beside: { iterations: 'two' }, problems: [['iterations', /a list/]] },
  {
    rule: 'an iteration that is no object',
    beside: { iterations: [{ a: 1 }, 'b'] },
    problems: [['iterations[1]', /an object/]],
  },
  {
    rule: 'jobs of an iteration, all looked at before anything is asked',
    beside: { iterations: [{ a: 1 }, { jobs: [{ endpoint: 5 }] }, { jobs: [] }] },
    problems: [
      ['iterations[1].jobs[0].endpoint', /a string, found a number/],
      ['iterations[2].jobs', /at least one job/],
    ],
  },
  {
    rule: 'a key that only some iterations have',
    jobs: [{ endpoint: 'users', params: { q: { attr: 'term' } } }],
    beside: { iterations: [{ term: 'a' }, { other: 'b' }] },
    problems: [['config.jobs[0].params.q.attr', /no such key/]],
  },
];

const hosts: readonly Row[] = [
  {
    rule: 'a base URL that is not listed',
    beside: allowed(elsewhere),
    problems: [['config.jobs[0].endpoint', /127\.0\.0\.1:\d+\/v1\/users.*allowed_hosts/]],
  },
  {
    rule: 'a whole address that is not listed',
    jobs: [{ endpoint: 'https://elsewhere.test/users' }, { endpoint: 'https://other.test/users' }],
    beside: allowed(elsewhere),
    problems: [['config.jobs[1].endpoint', /other\.test/]],
  },
  {
    rule: 'below a listed host',
    jobs: [{ endpoint: 'https://api.elsewhere.test/users' }],
    beside: allowed(elsewhere),
    problems: [['config.jobs[0].endpoint', /api\.elsewhere\.test/]],
  },
  {
    rule: 'by another scheme',
    jobs: [{ endpoint: 'http://elsewhere.test/users' }],
    beside: allowed({ ...elsewhere, scheme: 'https' }),
    problems: [['config.jobs[0].endpoint', /http:\/\/elsewhere/]],
  },
  {
    rule: 'without the port that is listed',
    jobs: [{ endpoint: 'https://elsewhere.test/users' }],
    beside: allowed({ ...elsewhere, port: 443 }),
    problems: [['config.jobs[0].endpoint', /elsewhere/]],
  },
  {
    rule: 'beside the path that is listed',
    jobs: [{ endpoint: 'https://elsewhere.test/v12/users' }],
    beside: allowed({ ...elsewhere, endpoint: 'v1' }),
    problems: [['config.jobs[0].endpoint', /v12/]],
  },
  {
    rule: 'stricter than Generic Extractor: a child, a job of an iteration, the login and a scroll request',
    api: {
      authentication: { type: 'login', loginRequest: { endpoint: 'https://login.elsewhere.test/' } },
      pagination: {
        method: 'response.param',
        responseParam: 'next',
        queryParam: 'next',
        scrollRequest: { endpoint: 'https://scroll.elsewhere.test/' },
      },
    },
    jobs: [
      {
        endpoint: 'https://elsewhere.test/users',
        children: [{ endpoint: 'https://child.elsewhere.test/{id}', placeholders: { id: 'id' } }],
      },
    ],
    beside: allowed(elsewhere),
    problems: [
      ['config.jobs[0].children[0].endpoint', /child\.elsewhere/],
      ['image_parameters.allowed_hosts', /login\.elsewhere/],
      ['image_parameters.allowed_hosts', /scroll\.elsewhere/],
    ],
  },
  {
    rule: 'stricter than Generic Extractor: a next link that leads to a host which is not listed',
    api: { pagination: { method: 'response.url' } },
    jobs: [{ endpoint: 'users', dataField: 'items' }],
    beside: allowed({ host: '127.0.0.1' }),
    steps: [step('GET users', { items: [1], next_page: 'http://localhost:1/users' })],
    code: 'ERR_HOST',
    says: /localhost:1\/users.*allowed_hosts/,
    job: 'users',
    page: 1,
  },
  {
    rule: 'stricter than Generic Extractor: a redirect that leads to a host which is not listed',
    beside: allowed({ host: '127.0.0.1' }),
    steps: [step('GET users', { status: 302, headers: { location: 'http://localhost:1/users' } })],
    code: 'ERR_HOST',
    says: /localhost:1\/users.*allowed_hosts/,
    job: 'users',
    page: 0,
  },
  {
    rule: 'stricter than Generic Extractor: a placeholder that makes an address which is not listed',
    jobs: [{ endpoint: 'users', children: [{ endpoint: '{link}', dataType: 'more', placeholders: { link: 'link' } }] }],
    beside: allowed({ host: '127.0.0.1' }),
    steps: [step('GET users', [{ link: 'http://localhost:1/x' }])],
    code: 'ERR_HOST',
    says: /localhost:1\/x.*allowed_hosts/,
    job: 'more',
    page: 0,
  },
  {
    rule: 'stricter than Generic Extractor: a next link that leads to a private host which is not named',
    api: { pagination: { method: 'response.url' } },
    jobs: [{ endpoint: 'users', dataField: 'items' }],
    steps: [step('GET users', { items: [1], next_page: 'http://169.254.169.254/latest' })],
    code: 'ERR_PRIVATE_HOST',
    says: /169\.254\.169\.254\/latest: this host is private/,
    job: 'users',
    page: 1,
  },
  {
    rule: 'allowed hosts that are none',
    beside: { image_parameters: { allowed_hosts: ['elsewhere.test', { scheme: 'ftp' }] } },
    problems: [
      ['image_parameters.allowed_hosts[0]', /an object/],
      ['image_parameters.allowed_hosts[1].host', required],
      ['image_parameters.allowed_hosts[1].scheme', /"https" or "http"/],
    ],
  },
];

const tunnels: readonly Row[] = [
  {
    rule: 'a tunnel without any of its keys: all of them are listed',
    beside: { sshProxy: {} },
    problems: ['host', 'port', 'user', '#privateKey'].map((key) => [`sshProxy.${key}`, required] as const),
  },
  ...(['host', 'port', 'user', '#privateKey'] as const).map(
    (key): Row => ({
      rule: `a tunnel without "${key}"`,
      beside: { sshProxy: { ...proxy, [key]: undefined } },
      problems: [[`sshProxy.${key}`, required]],
    }),
  ),
  {
    rule: 'an empty private key',
    beside: { sshProxy: { ...proxy, '#privateKey': '' } },
    problems: [['sshProxy.#privateKey', /an empty string/]],
  },
  { rule: 'a tunnel that is no object', beside: { sshProxy: 'ssh.test' }, problems: [['sshProxy', /an object/]] },
];

export const documents: readonly Row[] = [...sections, ...iterations, ...hosts, ...tunnels];
