/** The tasks of a run in one worker use one engine, unless one of them has failed, or each request needs a login. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../../sinks/index.js';
import type { Configuration } from '../../../src/config/configuration.js';
import { runToCompletion } from '../../../src/run/consume/run-to-completion.js';
import { createKeptEngines, type EngineUse, type RunWork } from '../../../src/run/shared/kept-engines.js';
import { configOf, json, listener, login, type Network, onNetwork, password } from '../../support/mock-network.js';

const token = (name: string) => json({ token: name });
const twice = { 'GET /a': [json([1]), json([2])] };

const configuration: Configuration = configOf([{ endpoint: 'a' }], login(), password);

const workOn = ({ dispatcher }: Network, given: Configuration = configuration): RunWork => ({
  configuration: given,
  options: { dispatcher },
});

/** The items that a task of the engine stores. */
async function itemsOf({ engine }: EngineUse): Promise<unknown> {
  const to = memory();
  await runToCompletion(() => engine.extract({ to }), { signals: [] });
  return to.items('a');
}

test(
  'tasks have one login and one client, and sinks of their own',
  onNetwork({ 'POST /login': token('first token'), ...twice }, async (network) => {
    const engines = createKeptEngines();
    const work = workOn(network);
    const [first, second] = [engines.use(work), engines.use(work)];
    assert.is(second.engine, first.engine, 'side by side');
    assert.equal(await itemsOf(first), [1]);
    first.end(true);
    second.end(true);
    const third = engines.use(work);
    assert.is(third.engine, first.engine, 'one after the other');
    assert.equal(await itemsOf(third), [2]);
    third.end(true);
    await engines.end();
    assert.equal(network.lines(), ['POST /login', 'GET /a', 'GET /a']);
    assert.is.not(engines.use(work).engine, first.engine, 'after the end');
  }),
);

test(
  'after a task that has failed the next one gets another engine, and those in progress keep theirs',
  onNetwork({ 'POST /login': token('first token'), 'GET /a': json([1]) }, async (network) => {
    const engines = createKeptEngines();
    const work = workOn(network);
    const [failed, other] = [engines.use(work), engines.use(work)];
    failed.end(false);
    const next = engines.use(work);
    assert.is.not(next.engine, failed.engine);
    assert.equal(await itemsOf(other), [1]);
    other.end(true);
    const last = engines.use(work);
    assert.is(last.engine, next.engine, 'the older one is not kept');
    next.end(true);
    last.end(true);
    await engines.end();
  }),
);

test(
  'with a login for each request, tasks side by side have engines of their own',
  onNetwork({ 'POST /login': ['one!', 'two!'].map(token), ...twice }, async (network) => {
    const { notify } = listener();
    const engines = createKeptEngines();
    const sequential = configOf([{ endpoint: 'a' }], login({ expires: 0 }), password);
    const work: RunWork = { configuration: sequential, options: { dispatcher: network.dispatcher, notify } };
    const first = engines.use(work);
    await itemsOf(first);
    const second = engines.use(work);
    assert.is.not(second.engine, first.engine);
    first.end(true);
    await itemsOf(second);
    second.end(true);
    const third = engines.use(work);
    assert.is(third.engine, second.engine, 'one after the other');
    third.end(true);
    await engines.end();
  }),
);

test(
  'an engine that is not used is closed after a while',
  onNetwork({}, async (network) => {
    const engines = createKeptEngines(1);
    const work = workOn(network);
    const { engine, end } = engines.use(work);
    end(true);
    let next = engines.use(work);
    while (next.engine === engine) {
      next.end(true);
      await sleep(5);
      next = engines.use(work);
    }
    next.end(true);
    await engines.end();
  }),
);

test.run();
