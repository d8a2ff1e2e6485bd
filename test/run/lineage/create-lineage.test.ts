/** Lineage of runs: the events of each outcome, what is in them, and where they go. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLineage, createMetrics, type RunOptions, run } from '../../../src/index.js';
import { openTarget } from '../../../src/run/lineage/send-events.js';
import { type Answer, type Api, headerOf, json, startApi } from '../../loopback/api.js';
import { inFolder, rejection } from '../../sinks/lib.js';

const answers: Answer = ({ method, target }) => {
  if (method === 'POST') return json({});
  if (target.startsWith('/v1/users?page=2')) return json([]);
  if (target.startsWith('/v1/users')) return json([{ id: 1, tags: [{ name: 'a' }], at: '2026-11-27' }, { id: 2.5 }]);
  if (target.startsWith('/v1/empty')) return json({});
  return { status: 404 };
};

const configOf = ({ origin }: Pick<Api, 'origin'>, endpoint = 'users') => ({
  api: { baseUrl: `${origin}/v1/`, pagination: { method: 'pagenum' as const, firstPage: 1 } },
  config: { '#key': 'hush-hush', jobs: [{ endpoint, dataType: 'users' }] },
});

type Event = ReturnType<typeof JSON.parse>;

const eventsIn = ({ requests }: Api): readonly Event[] =>
  requests.filter(({ target }) => target === '/api/v1/lineage').map(({ body }) => JSON.parse(body));

async function withLineage(answer: Answer, use: (api: Api) => Promise<void>): Promise<void> {
  const api = await startApi(answer);
  try {
    await use(api);
  } finally {
    await api.close();
  }
}

async function eventsOf(api: Api, endpoint?: string, options: RunOptions = {}) {
  const lineage = createLineage(api.origin, { job: 'orders', apiKey: 'k3y' });
  const failure = await run(configOf(api, endpoint), { ...options, observe: [lineage, await createMetrics()] }).catch(
    (thrown) => thrown,
  );
  await lineage.sent();
  return { events: eventsIn(api), failure };
}

test(
  'a run starts and completes, with its datasets, their columns and counts',
  inFolder((dir) =>
    withLineage(answers, async (api) => {
      const { events } = await eventsOf(api, 'users', { to: `ndjson:${dir}` });
      const [start, complete] = events;
      assert.equal(
        events.map(({ eventType }) => eventType),
        ['START', 'COMPLETE'],
      );
      assert.is(start.run.runId, complete.run.runId);
      assert.match(start.run.runId, /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/);
      assert.equal([start.job.namespace, start.job.name], ['rxtract', 'orders']);
      assert.equal(start.inputs, [{ namespace: api.origin, name: 'v1/users' }]);
      assert.equal(start.outputs, []);
      const [output] = complete.outputs;
      assert.equal([output.namespace, output.name], ['file', resolve(dir, 'users.ndjson')]);
      assert.equal(output.facets.schema.fields, [
        { name: 'id', type: 'number' },
        { name: 'tags', type: 'array', fields: [{ name: 'name', type: 'string' }] },
        { name: 'at', type: 'date' },
      ]);
      const { rowCount, size } = output.outputFacets.outputStatistics;
      assert.equal([rowCount, size], [2, readFileSync(join(dir, 'users.ndjson')).length]);
      const facets = [complete.run.facets, complete.job.facets, output.facets, output.outputFacets].flatMap((each) =>
        Object.values(each as Readonly<Record<string, Event>>),
      );
      for (const { _producer, _schemaURL } of facets) {
        assert.match(_producer, /^https:/);
        assert.match(_schemaURL, /^https:\/\/openlineage\.io\/spec\/facets\/\d-\d-\d\/(\w+)\.json#\/\$defs\/\1$/);
      }
      const post = api.requests.find(({ method }) => method === 'POST');
      assert.is(headerOf(post as never, 'authorization'), 'Bearer k3y');
    }),
  ),
);

test('a run that fails says why, without secrets, and one that is left is aborted', () =>
  withLineage(answers, async (api) => {
    const { events, failure } = await eventsOf(api, 'hush-hush/none');
    const [, end] = events;
    assert.is(end.eventType, 'FAIL');
    assert.is(end.run.facets.errorMessage.message, failure.message);
    assert.not.match(JSON.stringify(events), 'hush-hush');
    assert.equal(end.inputs, [{ namespace: api.origin, name: 'v1/***/none' }]);
    const stopping = new AbortController();
    const left = await eventsOf(api, 'users', { signal: stopping.signal, onReceipt: () => stopping.abort() });
    assert.is(left.events.at(-1).eventType, 'ABORT');
  }));

test('a run whose sink does not open has failed, and what it did not write is no output', () =>
  withLineage(answers, async (api) => {
    const to = {
      open: () => Promise.reject(new Error('closed')),
      write: () => {},
      close: async () => {},
      abort: async () => {},
    };
    const { events } = await eventsOf(api, 'users', { to });
    assert.equal(
      events.map(({ eventType, outputs }) => [eventType, outputs]),
      [
        ['START', []],
        ['FAIL', []],
      ],
    );
  }));

test(
  'output of an earlier run, and items that wait for a resume, are not of this run',
  inFolder((dir) =>
    withLineage(answers, async (api) => {
      await eventsOf(api, 'users', { to: `ndjson:${dir}` });
      const to = `ndjson:${dir}`;
      const { events } = await eventsOf(api, 'empty', { to });
      assert.equal(events.at(-1).outputs, []);
      const failed = await eventsOf(api, 'none', { to });
      assert.equal(failed.events.at(-1).outputs, []);
    }),
  ),
);

test(
  'events go to the end of a file too',
  inFolder(async (dir) => {
    await withLineage(answers, async (api) => {
      const path = join(dir, 'made', 'lineage.ndjson');
      const lineage = createLineage(`file:${path}`, { job: 'orders', namespace: 'team' });
      for (let count = 0; count < 2; count += 1) await run(configOf(api), { observe: lineage });
      await lineage.sent();
      const events = readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.equal(
        events.map(({ eventType, job }) => `${eventType} ${job.namespace}`),
        ['START team', 'COMPLETE team', 'START team', 'COMPLETE team'],
      );
    });
    mkdirSync(join(dir, 'folder'));
    const broken = createLineage(`file:${join(dir, 'folder')}`, { job: 'orders' });
    broken.observer((text) => text).opens?.({ inputs: [], outputs: () => [], shapes: () => new Map() });
    await rejection(broken.sent(), 'ERR_INTERNAL');
    await broken.sent();
  }),
);

test('a server that fails is asked again once, and then named without the token', () =>
  withLineage(
    ({ method, target }, index) => (method === 'POST' ? { status: 503 } : answers({ target } as never, index)),
    async (api) => {
      const lineage = createLineage(`${api.origin}/lineage`, { job: 'orders', apiKey: 'k3y' });
      lineage.observer((text) => text).opens?.({ inputs: [], outputs: () => [], shapes: () => new Map() });
      const { message } = await rejection(
        lineage.sent(),
        'ERR_TRANSPORT',
        /START was not sent to http:.*: status 503$/,
      );
      assert.is(api.requests.filter(({ target }) => target === '/lineage').length, 2);
      assert.not.match(message, 'k3y');
    },
  ));

test('a server that is down is an error of the events alone', async () => {
  const send = openTarget('http://127.0.0.1:1');
  await rejection(send({ eventType: 'START' } as never), 'ERR_TRANSPORT', /ECONNREFUSED/);
});

test('an address that is none, one with a password, and a file without a folder are refused', () => {
  const refused = (address: string) => {
    try {
      return String(openTarget(address, ''));
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : '';
    }
  };
  assert.match(refused('collector'), /such as http:\/\/localhost:5000/);
  assert.match(refused('ftp://host'), /such as http:\/\/localhost:5000/);
  assert.match(refused('http://u:hush@host'), /has a password: give a token in OPENLINEAGE_API_KEY/);
  assert.match(refused('http://u@host'), /has a password/);
  assert.match(refused('file:'), /a file such as file:lineage.ndjson/);
  assert.match(refused('file:package.json/a.ndjson'), /cannot be written to package.json\/a.ndjson: /);
  assert.match(refused('http://host'), /=>/);
});

test('runs of one extraction that overlap are one run', async () => {
  const lineage = createLineage('http://127.0.0.1:1', { job: 'orders' });
  const seen: string[] = [];
  const observer = lineage.observer((text) => text);
  const description = { inputs: [], outputs: () => [], shapes: () => new Map() };
  observer.opens?.({ ...description, outputs: () => void seen.push('asked') as never });
  observer.opens?.(description);
  observer.begin({ jobs: () => [] });
  observer.end(new Error('first'));
  assert.equal(seen, []);
  observer.remembers([]);
  await rejection(lineage.sent(), 'ERR_TRANSPORT', /START/);
});

test('a run of which nothing is known has no event', async () => {
  const lineage = createLineage('http://127.0.0.1:1', { job: 'orders' });
  lineage.observer((text) => text).end(undefined);
  await lineage.sent();
});

test.run();
