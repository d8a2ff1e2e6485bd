/** The vectors were computed by `openssl dgst -sha256 -binary | basenc --base64url`, not by this code. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { idempotencyKey, itemBytes, messageIds, pageKey } from '../../../sinks/messages/message-id.js';
import { mulberry32 } from '../../support/mulberry32.js';

const page = { run: 'Jx0a9_Kq2Lm-Zp4T', walk: '3/7.0.14.2', page: 7 };
const batch = { ...batchOf('users', [{ id: 1 }, { id: 12345678901234567890n }]), ...page, offset: 35 };

test('makes the key of a page from run, walk and page', () => {
  assert.is(pageKey(page), 'IqYl0WHtFC1fnvw8');
});

test('gives each item an id of page key, offset and hash', () => {
  assert.equal(messageIds(batch), ['IqYl0WHtFC1fnvw8-z-A3ySFO73', 'IqYl0WHtFC1fnvw8-10-l01G2ZiP']);
});

test('gives a request a key of page key, offset, count and hash of its body', () => {
  assert.is(idempotencyKey(batch, batch.bytes), 'IqYl0WHtFC1fnvw8-z-2-t7SJLQJ8');
  assert.is(idempotencyKey(batch, Buffer.from(batch.bytes).toString()), 'IqYl0WHtFC1fnvw8-z-2-t7SJLQJ8');
});

test('gives no id where there is no item', () => {
  assert.equal(messageIds({ ...batchOf('users', []), ...page, offset: 0 }), []);
  assert.throws(() => itemBytes(batch, 2), /the batch has no item 2/);
});

test('keeps an id within 32 characters to 2 billion items a page', () => {
  const [last = ''] = messageIds({ ...batchOf('users', [1]), ...page, offset: 2 ** 31 - 1 });
  assert.is(last.length, 32);
  assert.match(last, /^[A-Za-z0-9_-]{16}-zik0zj-[A-Za-z0-9_-]{8}$/);
});

interface Place {
  readonly run: string;
  readonly walk: string;
  readonly page: number;
  readonly offset: number;
  readonly item: string;
}

const idOf = ({ item, ...place }: Place) => messageIds({ ...batchOf('any', [item]), ...place })[0] ?? '';

/** Short texts over a small alphabet, with what a careless join of run, walk and page would confuse. */
function drawPlace(draw: () => number): Place {
  const text = () => Array.from({ length: draw() % 4 }, () => '12/.,"\n'[draw() % 7]).join('');
  return { run: text(), walk: text(), page: draw() % 13, offset: draw() % 50, item: text() };
}

test('the same place and bytes have one id, and any other place or item another', () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed} (set SEED to repeat)`);
  const draw = mulberry32(seed);
  const places = new Map<string, string>();
  for (let n = 0; n < 5000; n++) {
    const place = drawPlace(draw);
    const [id, shown] = [idOf(place), JSON.stringify(place)];
    assert.is(id, idOf({ ...place }));
    assert.match(id, /^[A-Za-z0-9_-]{1,32}$/);
    assert.is(places.get(id) ?? shown, shown, 'two places with one id');
    places.set(id, shown);
  }
  assert.ok(places.size > 1000);
});

test('each of run, walk, page, offset and item changes the id', () => {
  const place = { run: 'r', walk: '1', page: 2, offset: 3, item: 'x' };
  const others = [{ run: 's' }, { walk: '2' }, { page: 3 }, { offset: 4 }, { item: 'y' }];
  const ids = [place, ...others.map((other) => ({ ...place, ...other }))].map(idOf);
  assert.is(new Set(ids).size, ids.length);
});

test('the batches that a page is cut into do not change an id', () => {
  const items = [{ n: 1 }, { n: 2 }, { n: 3 }];
  const whole = messageIds({ ...batchOf('any', items), ...page, offset: 0 });
  const cut = [0, 1].flatMap((at) =>
    messageIds({ ...batchOf('any', items.slice(at * 2, at * 2 + 2)), ...page, offset: at * 2 }),
  );
  assert.equal(cut, whole);
});

test.run();
