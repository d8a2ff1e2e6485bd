/** NATS without a server: addresses that are wrong, and the summary. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sinkFromUri } from '../../../sinks/registry.js';
import { rejection } from '../lib.js';

test('addresses that are wrong', async () => {
  for (const [uri, message] of [
    ['nats://h/a?stream=S.T', /"S.T" is not a name of a stream$/],
    ['nats://h/a?stream={dataType}', /"\{dataType\}" is not a name of a stream: placeholders are for the subject$/],
    ['nats://h/a..b?stream=S', /expected a subject after the host/],
    ['nats://h/a.*?stream=S', /expected a subject after the host/],
  ] as const) {
    await rejection(() => sinkFromUri(uri), 'ERR_USAGE', message);
  }
});

test('the summary names subjects, with * for the job', async () => {
  const sink = sinkFromUri('nats://h/items.{dataType}.{job}?stream=S');
  await sink.open?.('a b', 'j');
  assert.is(sink.summary?.()[0]?.name, 'items.a%20b.* at h:4222');
  await sink.abort(undefined);
});

test.run();
