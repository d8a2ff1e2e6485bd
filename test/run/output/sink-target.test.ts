/** The option `to` as the command line has it: addresses, alone and in lists, beside sinks and functions. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { lastValueFrom } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Batch, memory } from '../../../sinks/index.js';
import { parseArguments } from '../../../src/cli/arguments.js';
import { openSinks } from '../../../src/cli/open-sinks.js';
import { runFlags } from '../../../src/cli/run-flags.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { extract, run } from '../../../src/run/extract.js';
import { fakeShell } from '../../cli/fake-shell.js';
import { filesIn, inFolder, rejection } from '../../sinks/lib.js';
import { configOf, json, onNetwork } from '../../support/mock-network.js';

const jobs = [
  { endpoint: 'a', dataType: 'users' },
  { endpoint: 'b', dataType: 'orders' },
];
const routes = { 'GET /a': json([{ id: 1 }]), 'GET /b': json([{ id: 2 }]) };

test(
  'an address is a sink',
  inFolder((folder) =>
    onNetwork(routes, async ({ dispatcher }) => {
      await run(configOf(jobs), { to: `ndjson:${folder}`, dispatcher });
      assert.equal(filesIn(folder), { 'orders.ndjson': '{"id":2}\n', 'users.ndjson': '{"id":1}\n' });
    })(),
  ),
);

test(
  'extract takes addresses too, of single data types, beside sinks and functions',
  inFolder((folder) =>
    onNetwork(routes, async ({ dispatcher }) => {
      const kept = memory();
      const counts: string[] = [];
      const take = (batch: Batch) => void counts.push(`${batch.dataType} ${batch.count}`);
      const to = [`users=ndjson:${folder}`, kept, take, 'orders=null:'];
      const extraction = extract(configOf(jobs), { to, dispatcher });
      await lastValueFrom(extraction.receipts);
      assert.equal(filesIn(folder), { 'users.ndjson': '{"id":1}\n' });
      // As on the command line, a target without a name gets the data types that no other names.
      assert.equal([kept.items('users'), kept.items('orders'), counts], [[], [], []]);
    })(),
  ),
);

test(
  'in a list without names each target gets all',
  onNetwork(routes, async ({ dispatcher }) => {
    const kept = memory();
    await run(configOf(jobs), { to: ['null:', kept], dispatcher });
    assert.equal([kept.items('users'), kept.items('orders')], [[{ id: 1 }], [{ id: 2 }]]);
  }),
);

/** What the command line says of the same addresses. */
function saidByCommand(addresses: readonly string[]): ExtractError {
  try {
    openSinks(
      parseArguments(
        addresses.flatMap((each) => ['--to', each]),
        runFlags,
      ),
      fakeShell(),
      { notice: () => undefined, secretsIn: (create) => create() },
    );
  } catch (thrown) {
    if (thrown instanceof ExtractError) return thrown;
  }
  throw new Error(`the command line takes ${addresses}`);
}

const wrong: readonly (readonly string[])[] = [
  ['ndjsn:out'],
  ['out'],
  ['C:\\out'],
  [''],
  ['-'],
  ['ndjson:'],
  ['stdout:x'],
  ['csv:-'],
  ['ndjson:out?compres=gzip'],
  ['ndjson:out?compress=rar'],
  ['pg://localhost/db'],
  ['=ndjson:out'],
  ['users='],
  ['ndjson:out', 'ndjson:out'],
  ['users=csv:out', 'users=csv:./out/'],
  ['users=ndjson:out', 'ndjson:out'],
  ['users=duckdb:a.duckdb', 'orders=duckdb:./a.duckdb'],
  ['https://joe:${NO_SUCH_PASSWORD}@example.com/'],
];
for (const addresses of wrong) {
  test(`the errors of the command line: ${addresses.join(' ')}`, async () => {
    const expected = saidByCommand(addresses);
    const to = addresses.length === 1 ? addresses[0] : addresses;
    assert.ok(to !== undefined);
    for (const call of [() => run(configOf(jobs), { to }), async () => extract(configOf(jobs), { to })]) {
      const error = await rejection(call, 'ERR_USAGE');
      assert.is(error.message, expected.message.replaceAll('--to', 'to'));
      assert.is(error.where.remedy, expected.where.remedy);
    }
  });
}

test('variables of an address are those of the option env', async () => {
  const to = 'https://joe:${SINK_PASSWORD}@127.0.0.1:1/';
  const hidden = { SINK_PASSWORD: 's3cret-of-the-sink' };
  await rejection(run(configOf(jobs), { to }), 'ERR_USAGE', /SINK_PASSWORD/);
  const error = await rejection(
    run(configOf(jobs), { to: [to, 'nothing:'], env: hidden }),
    'ERR_USAGE',
    /unknown sink "nothing:"/,
  );
  assert.not.match(error.message, hidden.SINK_PASSWORD);
  extract(configOf(jobs), { to, env: hidden });
});

test('a list is a list of sinks, functions and addresses, of which there is one', async () => {
  for (const [to, message] of [
    [[], /at least one sink is needed/],
    [['null:', undefined], /^to\[1\]: expected a sink, .* or an address such as "ndjson:out"/],
    [['null:', 5], /^to\[1\]: expected a sink/],
    [5, /^to: expected a sink, .* or an address/],
  ] as const) {
    await rejection(async () => Reflect.apply(extract, undefined, [configOf(jobs), { to }]), 'ERR_USAGE', message);
  }
});

test.run();
