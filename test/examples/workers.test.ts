/** The files of chapter 19: YAML that is read, commands whose options there are, and a valid configuration. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { parseArguments } from '../../src/cli/arguments.js';
import { commands } from '../../src/cli/commands.js';
import { findCommand } from '../../src/cli/help.js';
import { commandHere } from '../blackbox/command.js';

const folder = fileURLToPath(new URL('../../examples/workers/', import.meta.url));
const read = (name: string): string => readFileSync(`${folder}${name}`, 'utf8');

/** The documents of a file, with merged keys. */
const documentsOf = (name: string) =>
  parseAllDocuments(read(name), { merge: true }).map((document) => {
    assert.equal(document.errors, [], name);
    return document.toJS();
  });

/** Fails unless the words are a command with options that it has. */
function mustBeCommand([name = '', ...words]: readonly string[]): void {
  const { positionals } = parseArguments(words, findCommand(name, commands).options);
  assert.is(positionals.length, 1, `${name} ${words.join(' ')}`);
}

test('compose.yaml has two workers and a run, with a PostgreSQL that is ready', () => {
  const [compose] = documentsOf('compose.yaml');
  const { worker, run, postgres, api } = compose?.services ?? {};
  for (const { command } of [worker, run]) mustBeCommand(command.map((word: string) => word.replaceAll('$$', '$')));
  for (const { depends_on: needed } of [worker, run]) assert.is(needed.postgres.condition, 'service_healthy');
  assert.is(worker.deploy.replicas, 2);
  assert.equal(run.profiles, ['run']);
  assert.ok(postgres.healthcheck.test.includes('pg_isready'));
  assert.equal(api.command.slice(0, 2), ['node', '/srv/api.mjs']);
});

test('kubernetes.yaml has workers, and a run that waits for them, with the same secrets', async () => {
  const all = documentsOf('kubernetes.yaml');
  assert.equal(
    all.map(({ kind }) => kind),
    ['Secret', 'ConfigMap', 'Deployment', 'CronJob'],
  );
  const [secret, config, deployment, job] = all;
  const pods = [deployment?.spec.template, job?.spec.jobTemplate.spec.template];
  for (const { spec } of pods) {
    const [container] = spec.containers;
    mustBeCommand(container.args);
    assert.equal(container.envFrom, [{ secretRef: { name: secret?.metadata.name } }]);
  }
  assert.equal(deployment?.spec.selector.matchLabels, deployment?.spec.template.metadata.labels);
  const { exit, stderr } = await commandHere(['validate', '-', '--strict'], {
    stdin: config?.data['config.json'],
    env: secret?.stringData,
  });
  assert.is(exit, 0, stderr);
});

test('the unit of systemd starts a worker, and gives it time to end', () => {
  const unit = read('rxtract-worker@.service');
  const [, line = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  const [path, ...words] = line.replaceAll('$$', '$').replaceAll("'", '').split(' ');
  assert.is(path, '/usr/local/bin/rxtract');
  mustBeCommand(words);
  assert.match(unit, /^TimeoutStopSec=30$/m);
});

test('the configuration is valid', async () => {
  const { exit, stderr } = await commandHere(['validate', `${folder}config.json`, '--strict']);
  assert.is(exit, 0, stderr);
});

test.run();
