/** The sinks of examples/sinks, one for each recovery: each keeps every rule of the conformance kit. */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stagedTable } from '../../examples/sinks/cut.js';
import { queue } from '../../examples/sinks/ids.js';
import { appendedList } from '../../examples/sinks/none.js';
import { createCalls, listen, type Service, startService } from '../../examples/sinks/service.js';
import { log } from '../../examples/sinks/transaction.js';
import { failingRules } from '../../sinks/conformance/failing.js';
import { transactingRules } from '../../sinks/conformance/transacting.js';
import { waitingRules } from '../../sinks/conformance/waiting.js';
import { checkRules, checkSink } from '../../sinks/conformance.js';
import type { Recovery, Sink } from '../../sinks/contract.js';
import { aMinute } from '../sinks/lib.js';

const sinks: Readonly<Record<Recovery, (url: string) => Sink>> = {
  none: appendedList,
  ids: queue,
  cut: stagedTable,
  transaction: log,
};

type Calls = ReturnType<typeof createCalls>;

/** A service that treats one call in this way, and answers all others. `apply` carries the call out. */
async function startFaulty(
  { answer, items }: Calls,
  faulty: readonly string[],
  treat: (response: ServerResponse, apply: () => void) => void,
): Promise<Service> {
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const apply = () => answer(name, Buffer.concat(chunks).toString());
      if (faulty.includes(name)) return treat(response, apply);
      const [status, text] = apply();
      response.writeHead(status).end(text);
    });
  });
  return listen(server, items);
}

const writes = ['append', 'send', 'insert'];

for (const [recovery, make] of Object.entries(sinks)) {
  test(`the sink with recovery "${recovery}" keeps every rule`, async () => {
    const service = await startService();
    const checks = await checkSink(
      () => make(service.url),
      async (dataType) => service.items(dataType),
      { tooLong: aMinute },
    );
    service.close();
    assert.equal(
      checks.filter(({ outcome }) => outcome === 'fail'),
      [],
    );
    assert.is(make('').recovery ?? 'none', recovery);
  });

  if (recovery === 'transaction') {
    test(`the sink with recovery "${recovery}" ends a page whose commit is not answered`, async () => {
      const calls = createCalls();
      const sound = await startFaulty(calls, [], () => {});
      const silent = await startFaulty(calls, ['transaction'], (response, apply) => {
        apply();
        response.destroy();
      });
      const checks = await checkRules(
        transactingRules,
        () => make(sound.url),
        async (dataType) => calls.items(dataType),
        { unanswered: () => make(silent.url), tooLong: aMinute },
      );
      for (const each of [sound, silent]) each.close();
      assert.equal(
        checks.filter(({ outcome }) => outcome !== 'pass'),
        [],
      );
    });
  }

  // The log keeps the items of a page until it is committed: its writes neither wait nor fail.
  if (recovery !== 'transaction') {
    test(`the sink with recovery "${recovery}" waits for the service, and passes on its failures`, async () => {
      const [silent, refusing] = [
        await startFaulty(createCalls(), writes, () => {}),
        await startFaulty(createCalls(), writes, (reply) => reply.writeHead(503).end()),
      ];
      const service = await startService();
      const read = async (dataType: string) => service.items(dataType);
      const checks = [
        ...(await checkRules(waitingRules, () => make(service.url), read, {
          stuck: () => make(silent.url),
          tooLong: (signal) => setTimeout(2000, undefined, { signal }),
        })),
        ...(await checkRules(failingRules, () => make(service.url), read, {
          failing: () => make(refusing.url),
          tooLong: aMinute,
        })),
      ];
      for (const each of [silent, refusing, service]) each.close();
      assert.equal(
        checks.filter(({ outcome }) => outcome !== 'pass'),
        [],
      );
    });
  }

  test(`the sink with recovery "${recovery}" has less than 60 lines`, () => {
    const code = readFileSync(new URL(`../../examples/sinks/${recovery}.ts`, import.meta.url), 'utf8');
    assert.ok(code.split('\n').length < 60);
  });
}

test.run();
