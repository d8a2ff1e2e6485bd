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
import { waitingRules } from '../../sinks/conformance/waiting.js';
import { checkRules, checkSink } from '../../sinks/conformance.js';
import type { Recovery, Sink } from '../../sinks/contract.js';

const sinks: Readonly<Record<Recovery, (url: string) => Sink>> = {
  none: appendedList,
  ids: queue,
  cut: stagedTable,
  transaction: log,
};

/** A service that treats items in this way, and answers all other calls. */
async function startFaulty(write: (response: ServerResponse) => void): Promise<Service> {
  const { answer } = createCalls();
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (['append', 'send', 'insert'].includes(name)) return write(response);
      const [status, text] = answer(name, Buffer.concat(chunks).toString());
      response.writeHead(status).end(text);
    });
  });
  return listen(server, () => []);
}

for (const [recovery, make] of Object.entries(sinks)) {
  test(`the sink with recovery "${recovery}" keeps every rule`, async () => {
    const service = await startService();
    const checks = await checkSink(
      () => make(service.url),
      async (dataType) => service.items(dataType),
    );
    service.close();
    assert.equal(
      checks.filter(({ outcome }) => outcome === 'fail'),
      [],
    );
    assert.is(make('').recovery ?? 'none', recovery);
  });

  // The log keeps the items of a page until it is committed: its writes neither wait nor fail.
  if (recovery !== 'transaction') {
    test(`the sink with recovery "${recovery}" waits for the service, and passes on its failures`, async () => {
      const [silent, refusing] = [
        await startFaulty(() => {}),
        await startFaulty((reply) => reply.writeHead(503).end()),
      ];
      const service = await startService();
      const checks = await checkRules(
        [...waitingRules, ...failingRules],
        () => make(service.url),
        async (dataType) => service.items(dataType),
        {
          stuck: () => make(silent.url),
          failing: () => make(refusing.url),
          tooLong: (signal) => setTimeout(500, undefined, { signal }),
        },
      );
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
