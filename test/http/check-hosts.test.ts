/** Unlisted hosts: rejected before the first request if they are known, otherwise during the run. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../src/run/extract.js';
import { rejection } from '../sinks/lib.js';
import { configOf, home, json, login, onNetwork, password } from '../support/mock-network.js';
import { unchecked } from '../unchecked.js';

const listing = (config: object, ...allowed_hosts: readonly object[]) =>
  unchecked({ ...config, image_parameters: { allowed_hosts } });
const ours = { host: 'api.example' };
const elsewhere = 'which image_parameters.allowed_hosts does not list';

test(
  'listed hosts are requested',
  onNetwork({ 'GET /a': json([1]) }, async ({ dispatcher }) => {
    const { jobs } = await run(listing(configOf([{ endpoint: 'a' }]), ours), { dispatcher });
    assert.is(jobs[0]?.items, 1);
  }),
);

test(
  'nothing is requested if one job leads elsewhere, and all such jobs are reported, without secrets',
  onNetwork({}, async ({ dispatcher, lines }) => {
    const endpoints = ['a', 'https://user:pass@other.example/b?key=k1', 'https://s3cret-part.example/c'];
    const config = configOf(
      endpoints.map((endpoint) => ({ endpoint })),
      {},
      { '#part': 's3cret-part' },
    );
    const error = await rejection(run(listing(config, ours), { dispatcher }), 'ERR_CONFIG');
    assert.equal(error.problems, [
      { path: 'config.jobs[1].endpoint', message: `leads to https://other.example/b, ${elsewhere}` },
      { path: 'config.jobs[2].endpoint', message: `leads to https://***.example/c, ${elsewhere}` },
    ]);
    assert.equal(lines(), []);
  }),
);

test(
  'children are checked too, and their hosts if the path has placeholders',
  onNetwork({}, async ({ dispatcher }) => {
    const children = [
      { endpoint: 'b/{id}', placeholders: { id: 'id' } },
      { endpoint: 'https://other.example/{id}', placeholders: { id: 'id' } },
    ];
    const config = configOf([{ endpoint: 'a', children }]);
    const error = await rejection(run(listing(config, ours), { dispatcher }), 'ERR_CONFIG');
    assert.equal(
      error.problems.map(({ path }) => path),
      ['config.jobs[0].children[1].endpoint'],
    );
  }),
);

test(
  'jobs of iterations are held against the list too',
  onNetwork({}, async ({ dispatcher, lines }) => {
    const iterations = [{}, { jobs: [{ endpoint: 'https://other.example/' }] }];
    const config = listing({ ...configOf([{ endpoint: 'a' }]), iterations }, ours);
    const error = await rejection(run(config, { dispatcher }), 'ERR_CONFIG');
    assert.match(error.message, 'iterations[1].jobs[0].endpoint: leads to https://other.example/');
    assert.equal(lines(), []);
  }),
);

test(
  'logins and scroll requests are held against the list too',
  onNetwork({}, async ({ dispatcher }) => {
    const pagination = {
      method: 'response.param',
      responseParam: 'next',
      queryParam: 'p',
      scrollRequest: { endpoint: 'https://scroll.example/s' },
    };
    const loginRequest = { endpoint: 'https://login.example/in?user=me' };
    const config = configOf([{ endpoint: 'a' }], { ...login({ loginRequest }), pagination }, password);
    const error = await rejection(run(listing(config, ours), { dispatcher }), 'ERR_CONFIG');
    const list = 'image_parameters.allowed_hosts';
    assert.equal(error.problems, [
      { path: list, message: 'does not list https://login.example/in, where the login leads' },
      { path: list, message: 'does not list https://scroll.example/s, where the pagination leads' },
    ]);
  }),
);

const scrolling = (endpoint: string) => ({
  method: 'response.param',
  responseParam: 'next',
  queryParam: 'p',
  scrollRequest: { endpoint },
});

test(
  'scroll requests of jobs and children are held against the list too, each once',
  onNetwork({}, async ({ dispatcher }) => {
    const pagination = scrolling('https://scroll.example/s');
    const children = [{ endpoint: 'b/{id}', placeholders: { id: 'id' }, pagination: scrolling('//child.example/s') }];
    const config = configOf([{ endpoint: 'a', pagination, children }, { endpoint: 'c' }], { pagination });
    const error = await rejection(run(listing(config, ours), { dispatcher }), 'ERR_CONFIG');
    assert.equal(
      error.problems.map(({ message }) => message),
      ['scroll', 'child'].map((host) => `does not list https://${host}.example/s, where the pagination leads`),
    );
  }),
);

test(
  'the origin of a scroll request of a job may have credentials, as the configuration names it',
  onNetwork(
    { 'GET /a': json({ items: [1], next: 'x' }), 'GET https://scroll.example/s?p=x': json({ items: [] }) },
    async ({ dispatcher, asked }) => {
      const job = { endpoint: 'a', dataField: 'items', pagination: scrolling('https://scroll.example/s') };
      const config = configOf([job], { http: { headers: { 'X-Key': { attr: '#password' } } } }, password);
      await run(config, { dispatcher });
      assert.equal(
        asked.map(({ headers }) => headers['x-key']),
        ['correct horse', 'correct horse'],
      );
    },
  ),
);

test(
  'a relative login outside of the listed path is rejected before the first request',
  onNetwork({}, async ({ dispatcher }) => {
    const config = configOf([{ endpoint: 'v1/a' }], login(), password);
    const error = await rejection(run(listing(config, { ...ours, endpoint: 'v1' }), { dispatcher }), 'ERR_CONFIG');
    assert.match(error.message, `does not list ${home}/login, where the login leads`);
  }),
);

const refused = (address: string) => `GET ${address}: image_parameters.allowed_hosts does not list this URL`;

test(
  'a next link that leads elsewhere ends the run',
  onNetwork({ 'GET /a': json({ items: [1], next: 'https://other.example/2' }) }, async ({ dispatcher }) => {
    const pagination = { method: 'response.url', urlKey: 'next' };
    const config = listing(configOf([{ endpoint: 'a' }], { pagination }), ours);
    const error = await rejection(run(config, { dispatcher }), 'ERR_HOST');
    assert.equal([error.message, error.where.page], [refused('https://other.example/2'), 1]);
  }),
);

test(
  'a redirect that leads elsewhere ends the run, trusted origin or not',
  onNetwork({ 'GET /a': { status: 302, headers: { location: 'https://other.example/x' } } }, async ({ dispatcher }) => {
    const config = configOf([{ endpoint: 'a' }], { http: { credentialOrigins: ['https://other.example'] } });
    const error = await rejection(run(listing(config, ours), { dispatcher }), 'ERR_HOST');
    assert.is(error.message, refused('https://other.example/x'));
  }),
);

test(
  'an address from a placeholder is rejected if it is not listed',
  onNetwork({ 'GET /v1/a': json([{ id: '../v2' }]) }, async ({ dispatcher }) => {
    const children = [{ endpoint: 'v1/{id}/b', placeholders: { id: 'id' } }];
    const config = listing(configOf([{ endpoint: 'v1/a', children }]), { ...ours, endpoint: 'v1' });
    const error = await rejection(run(config, { dispatcher }), 'ERR_HOST');
    assert.is(error.message, refused(`${home}/v2/b`));
  }),
);

test(
  'a host that is not listed is not ignored as a failure of the connection',
  onNetwork({ 'GET /a': { status: 302, headers: { location: 'https://other.example/' } } }, async ({ dispatcher }) => {
    const config = configOf([{ endpoint: 'a' }], { http: { ignoreErrors: [0, 302] } });
    await rejection(run(listing(config, ours), { dispatcher }), 'ERR_HOST');
  }),
);

test.run();
