/** Traces of the command: on where a variable says so, a warning where they cannot be exported, and never a failure. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments } from '../../src/cli/arguments.js';
import { rxtract } from '../../src/cli/main-command.js';
import { createReport } from '../../src/cli/report.js';
import { runFlags } from '../../src/cli/run-flags.js';
import { watchTraces } from '../../src/cli/watch-traces.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { traceAddress } from '../../src/run/traces/export-traces.js';
import { headerOf, items, json, startApi } from '../loopback/api.js';
import { rejection } from '../sinks/lib.js';
import { fakeShell } from './fake-shell.js';

const configOf = (origin: string) =>
  JSON.stringify({
    api: { baseUrl: `${origin}/` },
    config: { jobs: [{ endpoint: 'users', dataType: 'users' }] },
  });

test('a run that fails sends its spans too, and traceparent if asked', async () => {
  const api = await startApi(({ method, target }) => {
    if (method === 'POST') return json({});
    return target === '/users' ? json(items(1, 3)) : { status: 404 };
  });
  const spansOf = (from: number) =>
    api.requests
      .slice(from)
      .filter(({ target }) => target === '/v1/traces')
      .flatMap(({ body }) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans);
  try {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: api.origin };
    const words = ['run', '-', '--to', 'null:', '--log', 'json'];
    assert.is(await rxtract(words, fakeShell({ stdin: configOf(api.origin), env })), 0);
    assert.equal(
      spansOf(0)
        .map(({ name }) => name)
        .sort(),
      ['GET', 'commit', 'job users', 'page', 'run'],
    );
    assert.is(headerOf(api.requests[0] as never, 'traceparent'), undefined);
    const before = api.requests.length;
    const failing = fakeShell({ stdin: configOf(`${api.origin}/none`), env });
    assert.is(await rxtract([...words, '--traceparent'], failing), 1);
    const spans = spansOf(before);
    assert.equal(
      spans
        .filter(({ status }) => status.code === 2)
        .map(({ name }) => name)
        .sort(),
      ['GET', 'job users', 'page', 'run'],
    );
    const request = spans.find(({ name }) => name === 'GET');
    assert.match(headerOf(api.requests[before] as never, 'traceparent') ?? '', `-${request.spanId}-01`);
  } finally {
    await api.close();
  }
});

const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

/** Options as given, with an exporter that does what the test says. */
async function watch(words: readonly string[], given: Readonly<Record<string, string>>, flush = async () => {}) {
  const shell = fakeShell();
  const report = createReport(['--log', 'json'], shell);
  const args = parseArguments(words, runFlags);
  const made = { traces: { observer: () => assert.unreachable() }, flush, close: async () => {} };
  const create = async () => made as never;
  const watched = await watchTraces(args, report, { env: given, addressIn: traceAddress, create });
  return { watched, events: () => shell.events().map(({ level, code, message }) => [level, code, message]) };
}

test('without the variable there are no traces', async () => {
  assert.is((await watch([], {})).watched, undefined);
});

test('--traceparent without traces is refused', () =>
  rejection(watch(['--traceparent'], {}), 'ERR_USAGE', /^--traceparent: there are no traces: set OTEL_EXPORTER/).then(
    () => {},
  ));

test('spans that are lost are a warning, also with --strict', async () => {
  const lost = async () => {
    throw new ExtractError('ERR_TRANSPORT', '8 of 8 spans could not be exported');
  };
  const { watched, events } = await watch(['--strict'], env, lost);
  await watched?.push();
  await watched?.close();
  assert.equal(events(), [['warning', 'traces-not-exported', '8 of 8 spans could not be exported']]);
});

test('what cannot be exported is a warning, which can be allowed', async () => {
  const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' };
  const { watched, events } = await watch([], wrong);
  assert.is(watched, undefined);
  assert.match(events().join('\n'), /warning,traces-not-exported,OTEL_EXPORTER_OTLP_ENDPOINT: expected/);
  assert.equal((await watch(['--allow', 'traces-not-exported'], wrong)).events(), []);
});

test.run();
