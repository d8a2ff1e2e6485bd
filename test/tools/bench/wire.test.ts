/** Latencies of requests, from what undici publishes, on a clock that the test sets. */
import { channel } from 'node:diagnostics_channel';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { watchRequests } from '../../../src/tools/bench/wire.js';

const publish = (name: string, message: object) => channel(`undici:request:${name}`).publish(message);

test('a request is measured to its head and to its end; a failure and an unknown request are not', () => {
  let ms = 0;
  const { latencies, end } = watchRequests(() => ms * 1e6);
  const [request, failed, unknown] = [{}, {}, {}];
  publish('create', { request });
  publish('create', { request: failed });
  ms = 5;
  publish('headers', { request, response: { statusCode: 103 } });
  ms = 50;
  publish('headers', { request, response: { statusCode: 200 } });
  publish('headers', { request: failed, response: { statusCode: 503 } });
  publish('headers', { request: unknown, response: { statusCode: 200 } });
  publish('headers', { request: unknown });
  ms = 70;
  for (const each of [request, failed, unknown]) publish('trailers', { request: each });
  end();
  publish('create', { request: unknown });
  publish('headers', { request: unknown, response: { statusCode: 200 } });
  const { firstByte, body, total } = latencies;
  assert.equal(
    [firstByte, body, total].map((each) => each.percentiles()).map(({ count, max }) => [count, Math.round(max)]),
    [
      [1, 50],
      [1, 20],
      [1, 70],
    ],
  );
});

test.run();
