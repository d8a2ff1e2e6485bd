/** Sweeps are offered for the options that `run` has, and the hosts of a configuration are found. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bench } from '../../../src/cli/bench.js';
import { fromPlain } from '../../../src/core/json/exact.js';
import { remoteHosts } from '../../../src/tools/bench/hosts.js';
import { measureRows, sweepValues } from '../../../src/tools/bench/settings.js';
import { trialsOf } from '../../../src/tools/bench/trials.js';

test('a sweep is offered for options that run has', () => {
  assert.equal(measureRows.sweep.kind.each?.offers, Object.keys(sweepValues));
  for (const name of Object.keys(sweepValues)) assert.ok(Object.hasOwn(bench.options, name), name);
});

test('a trial of a sweep has the option with its value, and all others', () => {
  const [base, ...others] = trialsOf([{ option: 'prefetch', values: ['1', '2'] }], { jobs: ['a', 'b'] });
  assert.equal(base, { options: { jobs: ['a', 'b'] } });
  assert.equal(
    others,
    ['1', '2'].map((value) => ({
      swept: { option: 'prefetch', value },
      options: { jobs: ['a', 'b'], prefetch: Number(value) },
    })),
  );
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
