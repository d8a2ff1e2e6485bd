/** `--lineage`: the events of a run of the command, and what they are named after. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments } from '../../src/cli/arguments.js';
import { rxtract } from '../../src/cli/main-command.js';
import { createReport } from '../../src/cli/report.js';
import { runFlags } from '../../src/cli/run-flags.js';
import { watchLineage } from '../../src/cli/watch-lineage.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { LineageOptions } from '../../src/run/lineage/create-lineage.js';
import { headerOf, items, json, startApi } from '../loopback/api.js';
import { fakeShell } from './fake-shell.js';

test('events of a run are sent with the token of the variable', async () => {
  const api = await startApi(({ method }) => (method === 'POST' ? json({}) : json(items(1, 3))));
  try {
    const config = { api: { baseUrl: `${api.origin}/` }, config: { jobs: [{ endpoint: 'users', dataType: 'users' }] } };
    const env = { OPENLINEAGE_API_KEY: 'hush-hush', OPENLINEAGE_NAMESPACE: 'team' };
    const shell = fakeShell({ stdin: JSON.stringify(config), env });
    assert.is(await rxtract(['run', '-', '--to', 'null:', '--lineage', api.origin], shell), 0);
    const posts = api.requests.filter(({ target }) => target === '/api/v1/lineage');
    assert.equal(
      posts.map((post) => [JSON.parse(post.body).eventType, headerOf(post, 'authorization')]),
      [
        ['START', 'Bearer hush-hush'],
        ['COMPLETE', 'Bearer hush-hush'],
      ],
    );
    const { job } = JSON.parse(posts[0]?.body ?? '');
    assert.equal([job.namespace, job.name], ['team', 'rxtract']);
  } finally {
    await api.close();
  }
});

/** The options of the lineage, and the events of the log. */
async function watch(words: readonly string[], env: Readonly<Record<string, string>> = {}, failure?: unknown) {
  const shell = fakeShell();
  const report = createReport(['--log', 'json'], shell);
  const given: LineageOptions[] = [];
  const sent = () => (failure === undefined ? Promise.resolve() : Promise.reject(failure));
  const create = (_: string, options: LineageOptions) => {
    given.push(options);
    return { observer: (): never => assert.unreachable() as never, sent };
  };
  const watched = watchLineage(parseArguments(words, runFlags), report, { env, create });
  await watched?.push();
  await watched?.close();
  return { given: given[0], events: shell.events().map(({ level, code, message }) => [level, code, message]) };
}

test('the job is named after the configuration, or the data folder', async () => {
  const lineage = ['--lineage', 'http://localhost:5000'];
  const jobOf = async (words: readonly string[], env = {}) => (await watch([...words, ...lineage], env)).given?.job;
  assert.is(await jobOf(['configs/orders.json']), 'orders');
  assert.is(await jobOf(['-']), 'rxtract');
  assert.is(await jobOf(['--data-dir', '/data/daily/']), 'daily');
  assert.is(await jobOf([], { KBC_DATADIR: '/data/nightly' }), 'nightly');
  assert.is(await jobOf([], {}), 'rxtract');
});

test('without the option there is no lineage, and an empty variable is none', async () => {
  assert.is((await watch(['orders.json'])).given, undefined);
  const { given } = await watch(['orders.json', '--lineage', 'http://h'], { OPENLINEAGE_NAMESPACE: '' });
  assert.equal(given, { job: 'orders' });
});

test('events that are not sent are a warning without the token, also with --strict', async () => {
  const failure = new ExtractError('ERR_TRANSPORT', 'not sent: hush-hush');
  const words = ['orders.json', '--lineage', 'http://h', '--strict'];
  const { events } = await watch(words, { OPENLINEAGE_API_KEY: 'hush-hush' }, failure);
  assert.equal(events, [['warning', 'lineage-not-sent', 'not sent: ***']]);
});

test.run();
