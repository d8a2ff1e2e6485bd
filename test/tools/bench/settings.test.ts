/** The trials of a sweep, and the hosts of a configuration are found. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments } from '../../../src/cli/arguments.js';
import { fromPlain } from '../../../src/core/json/exact.js';
import { remoteHosts } from '../../../src/tools/bench/hosts.js';
import { trialsOf } from '../../../src/tools/bench/trials.js';

test('a trial of a sweep has the option with its value, and all others', () => {
  const options = { prefetch: { value: 'K', about: '' }, job: { value: 'NAME', about: '' } };
  const args = parseArguments(['--job', 'a', '--job', 'b'], options);
  const [base, one, two] = trialsOf({ sweeps: [{ option: 'prefetch', values: ['1', '2'] }] }, args);
  assert.is(base?.args.has('prefetch'), false);
  assert.equal(
    [one, two].map((trial) => trial?.args.last('prefetch')),
    ['1', '2'],
  );
  assert.equal(one?.args.list('prefetch'), ['1']);
  assert.equal([two?.args.has('prefetch'), two?.args.has('job'), two?.args.has('to')], [true, true, false]);
  assert.equal([two?.args.list('job'), two?.args.last('job')], [['a', 'b'], 'b']);
});

const env = { BASE: 'https://secret.example.com', HERE: 'http://localhost:1/' };
const hosts: readonly (readonly [configuration: unknown, found: readonly string[]])[] = [
  [{ api: { baseUrl: 'http://127.0.0.1:8080/' } }, []],
  [{ api: { baseUrl: 'http://localhost/' }, a: ['http://[::1]:3/', 'http://x.localhost'] }, []],
  [
    { api: { baseUrl: 'https://api.example.com/' }, jobs: [{ endpoint: 'https://api.example.com/x' }] },
    ['api.example.com'],
  ],
  [{ jobs: [{ endpoint: 'http://127.0.0.1.example.com/' }, 5, null] }, ['127.0.0.1.example.com']],
  [{ api: { baseUrl: { env: 'BASE' } } }, ['an address of the environment']],
  [{ api: { baseUrl: { env: 'HERE' } }, other: { env: 'MISSING' } }, []],
  [{ api: { baseUrl: { function: 'concat', args: ['http', '://x'] } } }, ['a computed address']],
  [{ api: { baseUrl: 'https://' } }, ['a computed address']],
  [{ api: { baseUrl: 'http://localhost/' }, sshProxy: { host: 'bastion' } }, ['the network of an SSH server']],
];
for (const [configuration, found] of hosts) {
  test(`${JSON.stringify(configuration)} reaches ${found.join(', ') || 'this machine only'}`, () => {
    assert.equal(remoteHosts(fromPlain(configuration), env), found);
  });
}

test.run();
