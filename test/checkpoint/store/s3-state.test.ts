/** A state in an object store: what it costs, lost answers, and stores that do not compare. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAddressSecrets } from '../../../sinks/addresses/address-secrets.js';
import { s3State } from '../../../src/checkpoint/store/s3-state.js';
import type { StateServer } from '../../../src/checkpoint/store/state-server.js';
import { rejection } from '../../sinks/lib.js';
import { type FakeS3, startFakeS3 } from '../../support/fake-s3.js';
import { opened, storeRules } from './store-kit.js';

type Use = (store: FakeS3, connect: () => StateServer) => Promise<void>;

const withStore = (use: Use) => async () => {
  const store = await startFakeS3();
  const credentials = { accessKeyId: 'KEY', secretAccessKey: 'SECRET-VALUE' };
  const { excerpt, secrets } = createAddressSecrets();
  const bucket = { bucket: 'lake', origin: store.origin, region: 'us-east-1', basePath: '/lake', credentials, excerpt };
  const wait = async () => {};
  try {
    await use(store, () =>
      s3State({ bucket, prefix: 'states/orders/', shown: 's3://lake/states/orders', secrets, wait }),
    );
  } finally {
    await store.close();
  }
};

for (const [name, rule] of Object.entries(storeRules))
  test(
    name,
    withStore((_, connect) => rule(connect)),
  );

const headOf = (store: FakeS3) => store.text('lake/states/orders/state') ?? '';

test(
  'a record is one request, and objects that are not needed any more are removed',
  withStore(async (store, connect) => {
    const state = await opened(connect);
    await state.replace(['begin']);
    store.calls.length = 0;
    await state.append(['1']);
    assert.equal(store.calls, ['PUT lake/states/orders/state']);
    await state.append(['x'.repeat(70_000)]);
    await state.append(['2']);
    assert.equal([...store.objects.keys()].sort(), [
      'lake/states/orders/check',
      'lake/states/orders/segment-1-1',
      'lake/states/orders/state',
    ]);
    assert.equal(headOf(store).split('\n').length, 3);
    await state.replace(['short']);
    assert.equal([...store.objects.keys()].sort(), ['lake/states/orders/check', 'lake/states/orders/state']);
    await state.close();
  }),
);

test(
  'a segment that a killed process left is removed by the next replacement',
  withStore(async (store, connect) => {
    const state = await opened(connect);
    await state.replace(['begin']);
    store.fault = ({ method, path }) => (method === 'PUT' && path.endsWith('/state') ? { status: 403 } : undefined);
    await rejection(
      state.append(['x'.repeat(70_000)]),
      'ERR_STATE',
      /cannot write "states\/orders\/state": access .* denied/,
    );
    store.fault = () => undefined;
    assert.ok(store.objects.has('lake/states/orders/segment-1-1'));
    const next = await opened(connect);
    assert.equal(next.records, ['begin']);
    await next.replace(['new']);
    assert.not.ok(store.objects.has('lake/states/orders/segment-1-1'));
    await next.close();
  }),
);

test(
  'a write whose answer is lost counts once, and is not taken for another process',
  withStore(async (store, connect) => {
    const state = await opened(connect);
    await state.replace(['begin']);
    let left = 1;
    store.fault = ({ method }) => (method === 'PUT' && left-- > 0 ? { hangUp: true, late: true } : undefined);
    await state.append(['1']);
    await state.append(['2']);
    await state.close();
    assert.equal((await opened(connect)).records, ['begin', '1', '2']);
  }),
);

test(
  'a conflict with a request under way is tried again, but not for ever',
  withStore(async (store, connect) => {
    const state = await opened(connect);
    await state.replace(['begin']);
    let conflicts = 3;
    store.fault = ({ method }) =>
      method === 'PUT' && conflicts-- > 0 ? { status: 409, code: 'ConditionalRequestConflict' } : undefined;
    await state.append(['1']);
    conflicts = 100;
    await rejection(state.append(['2']), 'ERR_STATE', /status 409, ConditionalRequestConflict/);
    assert.is(conflicts, 90);
  }),
);

test(
  'a state that was removed meanwhile is lost for its process',
  withStore(async (store, connect) => {
    const state = await opened(connect);
    await state.replace(['begin']);
    store.objects.clear();
    await rejection(state.append(['1']), 'ERR_STATE', /another run took over "s3:\/\/lake\/states\/orders"/);
    await state.close();
  }),
);

for (const header of ['if-none-match', 'if-match']) {
  test(
    `a store that ignores ${header} is refused, with what to use instead`,
    withStore(async (store, connect) => {
      store.ignored.add(header);
      const error = await rejection(opened(connect), 'ERR_STATE', /the object store ignores the header If-/);
      assert.is(error.message.includes('If-None-Match'), header === 'if-none-match');
      assert.match(error.where.remedy ?? '', /Cloudflare R2/);
      assert.is(headOf(store), '');
    }),
  );
}

test(
  'a head of other origin, or without its segments, is not replaced',
  withStore(async (store, connect) => {
    for (const text of ['something else', '00000000 {"format":1}', '']) {
      store.objects.set('lake/states/orders/state', { bytes: Buffer.from(text), headers: {} });
      await rejection(
        opened(connect),
        'ERR_STATE',
        /has an object "state" of other origin: it is damaged or not a state/,
      );
      assert.is(headOf(store), text);
    }
    store.objects.clear();
    const state = await opened(connect);
    await state.replace(['begin']);
    await state.append(['x'.repeat(70_000)]);
    await state.close();
    store.objects.delete('lake/states/orders/segment-1-1');
    await rejection(opened(connect), 'ERR_STATE', /lacks records of "segment-1-1"/);
  }),
);

test.run();
