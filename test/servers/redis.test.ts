/** Redis Streams against a real server: the conformance kit, rights, faults, restarts, and two processes of one run. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { createClient } from '@redis/client';
import { CloudEvent } from 'cloudevents';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import type { Sink } from '../../sinks/contract.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { commandHere } from '../blackbox/command.js';
import { calm, pageEnd, rejection } from '../sinks/lib.js';
import { startLateProxy } from '../support/late-proxy.js';
import { redisMissing, startRedis, type TestServer } from '../support/servers.js';
import { testWhere } from '../where.js';
import { begun, mustBeReplaced, mustKeepRules, mustStayEnded, mustStayReplaced } from './lib.js';

const test = testWhere(redisMissing);

/** Lends a server and a client that reads it. */
async function withRedis(
  work: (redis: {
    server: TestServer;
    uri: (rest: string) => string;
    command: (...words: string[]) => Promise<unknown>;
  }) => Promise<void>,
  more: readonly string[] = [],
): Promise<void> {
  const server = await startRedis(more);
  const command = async (...words: string[]) => {
    const client = createClient({
      socket: { host: '127.0.0.1', port: server.port, reconnectStrategy: false },
      RESP: 2,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      return await client.sendCommand(words);
    } finally {
      client.destroy();
    }
  };
  try {
    await work({ server, command, uri: (rest) => `redis://127.0.0.1:${server.port}${rest}` });
  } finally {
    await server.close();
  }
}

/** The texts in the field `data` of a stream. */
const dataIn = (reply: unknown): readonly string[] =>
  Array.isArray(reply) ? reply.map(([, [field, text]]) => (field === 'data' ? text : `other field ${field}`)) : [];

for (const options of ['', '&transactions=false']) {
  test(`keeps every rule of the kit${options}`, () =>
    withRedis(
      async ({ server, uri, command }) => {
        const read = async (dataType: string) => dataIn(await command('XRANGE', `s:${dataType}`, '-', '+'));
        await mustKeepRules(uri(`/0?stream=s:{dataType}${options}`), read, options === '', undefined, server);
      },
      ['--appendfsync', 'always'],
    ));
}

for (const options of ['', '&transactions=false']) {
  test(`items that are too long, or lack the value of their key, are left out${options}`, () =>
    withRedis(
      async ({ uri, command }) => {
        const sink = await begun(uri(`/0?stream=s:{item.to}${options}`));
        const reasons: string[] = [];
        await sink.open?.('t', 'j', {
          onItemError: ({ batch, index, reason }) => void reasons.push(`${batch.offset + index} ${reason}`),
        });
        const items = [{ to: 'a' }, { n: 1 }, { to: 'a', text: 'x'.repeat(1_200_000) }, { to: 'a', n: 2 }];
        await sink.write(batchOf('t', items), calm);
        await sink.commit?.(pageEnd('t', { keep: 'k' }), calm);
        await sink.close();
        assert.equal(dataIn(await command('XRANGE', 's:a', '-', '+')), ['{"to":"a"}', '{"to":"a","n":2}']);
        assert.equal(
          sink.summary?.().map((each) => each.items),
          [2],
        );
        assert.equal(reasons, [
          '1 has no text, number or boolean at "to", which the stream needs',
          '2 has 1200020 bytes, and a value may have 1048576: see proto-max-bulk-len of the server',
        ]);
      },
      ['--proto-max-bulk-len', '1mb'],
    ));
}

test('CloudEvents have the start of the run and the address of the API', () =>
  withRedis(async ({ uri, command }) => {
    const startedAt = Date.UTC(2026, 0, 2);
    for (const [option, source] of [
      ['', 'http://api.example.com/v1/#j'],
      ['&source=http://other.example/', 'http://other.example/#j'],
    ]) {
      const sink = await begun(uri(`/0?stream=items&envelope=cloudevents${option}`), { run: `r${option}`, startedAt });
      await sink.open?.('t', 'j', { address: 'http://api.example.com/v1/?x=1' });
      await sink.write(batchOf('t', [{ id: 1.5 }], { job: 'j', run: 'r', walk: '0', page: 0, offset: 0 }), calm);
      await sink.commit?.(pageEnd('t', { keep: 'k' }), calm);
      await sink.close();
      const [text = ''] = dataIn(await command('XRANGE', 'items', '-', '+'));
      const event = new CloudEvent(JSON.parse(text));
      assert.equal(
        [event.validate(), event.source, event.time, event.data],
        [true, source, '2026-01-02T00:00:00.000Z', { id: 1.5 }],
      );
      await command('DEL', 'items');
    }
    const unknown = await begun(uri('/0?stream=items&envelope=cloudevents'));
    await rejection(
      async () => unknown.write(batchOf('t', [1]), calm),
      'ERR_SINK',
      /no address of the API is known: add source=URL/,
    );
    await unknown.abort(undefined);
    await rejection(
      () => sinkFromUri(uri('/0?stream=s&source=http://x')),
      'ERR_USAGE',
      /source needs envelope=cloudevents/,
    );
    await rejection(() => sinkFromUri(uri('/0?stream=s&envelope=cloudevents&source=x')), 'ERR_USAGE', /expected a URL/);
  }));

test('addresses that are wrong', async () => {
  const create = (uri: string) => () => sinkFromUri(uri);
  await rejection(
    create('redis://h/x?stream=s'),
    'ERR_USAGE',
    /^redis: database: expected a whole number from 0 to 99999, found "x"$/,
  );
  await rejection(create('redis://a,b/0?stream=s'), 'ERR_USAGE', /expected one host/);
  await rejection(create('redis://h/0'), 'ERR_USAGE', /needs the option stream/);
});

test('a page and its position are in one transaction, through a restart and a broken connection', () =>
  withRedis(
    async ({ server, uri, command }) => {
      const sink = await begun(uri('/0?stream=items'));
      for (let page = 0; page < 20; page++) {
        await sink.write(
          batchOf('t', [
            { page, n: 1 },
            { page, n: 2 },
          ]),
          calm,
        );
        if (page === 5) await command('CLIENT', 'KILL', 'TYPE', 'normal');
        const committing = sink.commit?.(pageEnd('t', { page, keep: `{"m":${page + 1}}` }), calm);
        if (page % 4 === 3) {
          await server.kill();
          await server.start();
        }
        await committing;
      }
      assert.equal([...((await sink.positions?.()) ?? [])], [['0', '{"m":20}']]);
      await sink.close();
      const found = dataIn(await command('XRANGE', 'items', '-', '+'));
      assert.is(found.length, 40);
      assert.is(new Set(found).size, 40);
      const [key = '', ...more] = (await command('KEYS', 'rxtract:*')) as string[];
      assert.equal([await command('HKEYS', key), more], [['epoch', 'ended'], []]);
    },
    ['--appendfsync', 'always'],
  ));

for (const moment of ['before', 'after']) {
  test(`a page whose first attempt arrives late, ${moment} the second, is there once`, () =>
    withRedis(async ({ server, command }) => {
      const proxy = await startLateProxy(server.port);
      const sink = await begun(`redis://127.0.0.1:${proxy.port}/0?stream=items`);
      const put = async (page: number) => {
        await sink.write(batchOf('t', [{ page }]), calm);
        await sink.commit?.(pageEnd('t', { page, keep: `k${page}` }), calm);
      };
      await put(0);
      proxy.hold('MULTI');
      proxy.onChunk = async (text) => {
        if (moment === 'before' && text.includes('MULTI')) await proxy.release();
      };
      await put(1);
      await proxy.release();
      await put(2);
      await sink.close();
      assert.equal(dataIn(await command('XRANGE', 'items', '-', '+')), ['{"page":0}', '{"page":1}', '{"page":2}']);
      await proxy.close();
    }));
}

test('a restart that loses acknowledged pages ends the run', () =>
  withRedis(
    async ({ server, uri }) => {
      const sink = await begun(uri('/0?stream=items'));
      const put = async (page: number) => {
        await sink.write(batchOf('t', [page]), calm);
        await sink.commit?.(pageEnd('t', { page, keep: `k${page}` }), calm);
      };
      await put(0);
      await server.kill();
      await server.start();
      await rejection(put(1), 'ERR_SINK', /the server has lost/);
      await sink.abort(undefined);
    },
    ['--appendonly', 'no'],
  ));

test('without transactions a restart loses nothing', () =>
  withRedis(async ({ server, uri, command }) => {
    const sink = await begun(uri('/0?stream=items&transactions=false'));
    for (let page = 0; page < 10; page++) {
      const writing = sink.write(
        batchOf(
          't',
          Array.from({ length: 50 }, (_, n) => ({ page, n })),
        ),
        calm,
      );
      if (page % 3 === 1) {
        await server.kill();
        await server.start();
      }
      await writing;
    }
    await sink.close();
    assert.is(new Set(dataIn(await command('XRANGE', 'items', '-', '+'))).size, 500);
  }));

test('a server that lost what it had acknowledged ends the run, also at held', () =>
  withRedis(async ({ uri, command }) => {
    for (const loss of ['FLUSHALL', 'HDEL']) {
      const sink = await begun(uri('/0?stream=items'));
      const put = async (page: number) => {
        await sink.write(batchOf('t', [page]), calm);
        await sink.commit?.(pageEnd('t', { page, keep: `k${page}` }), calm);
      };
      await put(0);
      const [key = ''] = (await command('KEYS', 'rxtract:*')) as string[];
      if (loss === 'FLUSHALL') await command('FLUSHALL');
      else await command('HDEL', key, 'lane:0');
      if (loss === 'FLUSHALL') await rejection(put(1), 'ERR_SINK', /the server has lost the key/);
      await rejection(async () => sink.positions?.(), 'ERR_SINK', /the server has lost/);
      await rejection(put(2), 'ERR_SINK', /the server has lost/);
      await sink.abort(undefined);
      await command('FLUSHALL');
    }
  }));

test('a fresh start removes what a run in its place had stored', () =>
  withRedis(async ({ uri, command }) => {
    const old = await begun(uri('/0?stream=items'), { run: 'old' });
    const next = await begun(uri('/0?stream=items'), { run: 'new', replaces: ['old'] });
    const keys = (await command('KEYS', 'rxtract:*')) as string[];
    const fields = keys.map(async (key) => [key.split(':').at(-1), await command('HKEYS', key)]);
    assert.equal((await Promise.all(fields)).sort(), [
      ['new', ['epoch']],
      ['old', ['epoch', 'ended']],
    ]);
    await mustBeReplaced(old);
    await next.close();
  }));

test('the members of a run store pages side by side, and leave one hash when it has ended', () =>
  withRedis(async ({ uri, command }) => {
    const to = uri('/0?stream=items');
    const [a, b] = await Promise.all(['a', 'b'].map((member) => begun(to, { run: 'shared', member })));
    const put = async (sink: Sink | undefined, walk: string) => {
      await sink?.write(batchOf('t', [walk], { run: 'shared', walk }), calm);
      await sink?.commit?.(pageEnd('t', { run: 'shared', walk, keep: walk }), calm);
    };
    await Promise.all([put(a, '0/0'), put(b, '0/1')]);
    assert.equal([...((await a?.positions?.()) ?? [])], [['0', '0/0']]);
    for (const sink of [a, b]) await sink?.leave?.();
    assert.is(((await command('KEYS', 'rxtract:*')) as string[]).length, 3);
    await (await begun(to, { run: 'shared', phase: 'publishing' })).close();
    assert.equal([...dataIn(await command('XRANGE', 'items', '-', '+'))].sort(), ['"0/0"', '"0/1"']);
    const [key = '', ...more] = (await command('KEYS', 'rxtract:*')) as string[];
    assert.equal([await command('HKEYS', key), more], [['epoch', 'ended'], []]);
    await rejection(
      begun(to, { run: 'shared', member: 'a', epoch: 2 }),
      'ERR_RESUME',
      /the run "shared" has ended|another process/,
    );

    await begun(to, { run: 'old', member: 'a' });
    await (await begun(to, { run: 'new', replaces: ['old'] })).abort(undefined);
    await rejection(begun(to, { run: 'old', member: 'a', epoch: 9 }), 'ERR_RESUME', /another process/);
    const ofMembers = ((await command('KEYS', 'rxtract:*')) as string[]).filter((name) => name.includes('member'));
    assert.equal(ofMembers, []);
  }));

test('a process that begins after the end of its run is refused for seven days', () =>
  withRedis(async ({ uri, command }) => {
    await mustStayEnded(uri('/0?stream=items'));
    await mustStayReplaced(uri('/0?stream=items'));
    for (const key of (await command('KEYS', 'rxtract:*')) as string[]) {
      const seconds = Number(await command('TTL', key));
      const isInSevenDays = seconds > 600_000 && seconds <= 604_800;
      assert.ok(key.endsWith(':next') ? seconds === -1 : isInSevenDays, `${key}: ${seconds}`);
    }
  }));

test('a run without a state leaves nothing for good', () =>
  withRedis(async ({ uri, command }) => {
    const sink = await begun(uri('/0?stream=items'), { isStored: false });
    const [key = ''] = (await command('KEYS', 'rxtract:*')) as string[];
    assert.ok(Number(await command('TTL', key)) > 0);
    await sink.abort(undefined);
    assert.equal(await command('KEYS', 'rxtract:*'), []);
  }));

test('maxlen removes older entries, and a database is chosen', () =>
  withRedis(async ({ uri, command }) => {
    const sink = await begun(uri('/3?stream=items&maxlen=100&transactions=false'));
    await sink.write(
      batchOf(
        't',
        Array.from({ length: 1000 }, (_, n) => n),
      ),
      calm,
    );
    await sink.close();
    assert.is(await command('EXISTS', 'items'), 0);
    const client = createClient({ url: uri('/3') });
    await client.connect();
    const length = await client.xLen('items');
    client.destroy();
    assert.ok(length >= 100 && length < 300, String(length));
  }));

test('items choose their stream, 1,000 at the most', () =>
  withRedis(async ({ uri, command }) => {
    const sink = await begun(uri('/0?stream={job}:{item.to}'));
    await sink.write(
      batchOf('t', [{ to: 'a b' }, { to: 7 }], { job: 'j', run: 'r', walk: '0', page: 0, offset: 0 }),
      calm,
    );
    await sink.commit?.(pageEnd('t', { keep: 'k' }), calm);
    assert.equal(dataIn(await command('XRANGE', 'j:a b', '-', '+')), ['{"to":"a b"}']);
    assert.equal(dataIn(await command('XRANGE', 'j:7', '-', '+')), ['{"to":7}']);
    const many = batchOf(
      't',
      Array.from({ length: 1001 }, (_, to) => ({ to })),
    );
    await rejection(async () => sink.write(many, calm), 'ERR_SINK', /more than 1000 different values/);
    assert.match(sink.summary?.()[0]?.name ?? '', /\{item.to\} at 127/);
    await sink.abort(undefined);
  }));

test('a key that is no stream, and a missing one with create=false, are errors before the first request', () =>
  withRedis(async ({ uri, command }) => {
    await command('SET', 'text', 'x');
    for (const rest of ['', '&transactions=false']) {
      await rejection(
        () => begun(uri(`/0?stream=text${rest}`)),
        'ERR_SINK',
        /^redis: the key "text" is a string, not a stream$/,
      );
      await rejection(
        () => begun(uri(`/0?stream=none&create=false${rest}`)),
        'ERR_SINK',
        /^redis: there is no stream "none", and create=false$/,
      );
    }
    await rejection(async () => sinkFromUri(uri('/0?stream=text')).check?.(), 'ERR_SINK', /not a stream/);
    await sinkFromUri(uri('/0?stream=new')).check?.();
    assert.equal(await command('EXISTS', 'new'), 0);
  }));

test('a stream that becomes another type is stored in part, and the run says so', () =>
  withRedis(async ({ uri, command }) => {
    const sink = await begun(uri('/0?stream={item.to}'));
    const put = async (page: number) => {
      await sink.write(batchOf('t', [{ to: 'a' }, { to: 'b' }]), calm);
      await sink.commit?.(pageEnd('t', { page, keep: `k${page}` }), calm);
    };
    await put(0);
    await command('SET', 'b', 'text');
    await rejection(put(1), 'ERR_SINK', /^redis: a page is stored in part/);
    await rejection(async () => sink.positions?.(), 'ERR_SINK', /stored in part/);
    const next = await begun(uri('/0?stream={item.to}'), { epoch: 2 });
    assert.equal([...((await next.positions?.()) ?? [])], [['0', 'k0']]);
    await next.abort(undefined);
  }));

test('users, passwords and rights', () =>
  withRedis(async ({ server, uri, command }) => {
    await command('ACL', 'SETUSER', 'joe', 'on', '>p@ss/1', '~*', '+@all', '-xadd');
    await command('ACL', 'SETUSER', 'ann', 'on', '>secret', '~*', '+@all');
    const at = (user: string) => `redis://${user}@127.0.0.1:${server.port}/0?stream=items`;
    const env = { WORD: 'p@ss/1' };
    const refused = await rejection(
      async () => sinkFromUri(at('joe:wrong')).check?.(),
      'ERR_SINK',
      /^redis: cannot connect to redis:\/\/127.0.0.1:\d+: the server rejects the user or the password/,
    );
    assert.not.match(refused.message, 'wrong ');
    await rejection(
      async () => sinkFromUri(at('joe:${WORD}'), { env }).check?.(),
      'ERR_SINK',
      /the user lacks a permission/,
    );
    await rejection(() => begun(at('joe:p%40ss%2F1')), 'ERR_SINK', /the user lacks a permission/);
    await sinkFromUri(at('ann:secret')).check?.();
    assert.is(sinkFromUri(at('ann:secret')).name, uri('/0?stream=items').replace('//', '//***@'));
  }));

test('a server without AUTH repeats the password, and no command shows it', () =>
  withRedis(
    async ({ server }) => {
      const word = 'hush-hush-hush';
      for (const args of [
        ['doctor', '-', '--json'],
        ['validate', '-', '--connect'],
        ['run', '-'],
      ]) {
        const to = `redis://joe:${word}@127.0.0.1:${server.port}/0?stream=items`;
        const config = { api: { baseUrl: 'http://127.0.0.1:1/' }, config: { jobs: [{ endpoint: 'users' }] } };
        const env = { RXTRACT_DEBUG: '1' };
        const { stdout, stderr } = await commandHere([...args, '--to', to], { stdin: JSON.stringify(config), env });
        assert.match(`${stdout}${stderr}`, "unknown command 'AUTH'");
        assert.not.match(`${stdout}${stderr}`, word);
      }
    },
    ['--rename-command', 'AUTH', ''],
  ));

test('a server that is not there is one error', async () => {
  await rejection(
    () => begun('redis://127.0.0.1:1/0?stream=items'),
    'ERR_SINK',
    /^redis: cannot connect to redis:\/\/127.0.0.1:1: connection refused \(ECONNREFUSED\)$/,
  );
  await rejection(() => begun('rediss://127.0.0.1:1/0?stream=items'), 'ERR_SINK', /rediss:\/\/127.0.0.1:1/);
});

test('a page that is too large for memory is refused', () =>
  withRedis(async ({ uri }) => {
    const sink = await begun(uri('/0?stream=items'));
    const large = batchOf('t', ['x'.repeat(100 << 20)]);
    for (let part = 0; part < 2; part++) await sink.write(large, calm);
    await rejection(async () => sink.write(large, calm), 'ERR_SINK', /has more than 268435456 bytes/);
    await sink.abort(undefined);
  }));

test('a full server refuses a page, and nothing of it is stored', () =>
  withRedis(async ({ uri, command }) => {
    const sink = await begun(uri('/0?stream=items'));
    await command('CONFIG', 'SET', 'maxmemory', '1');
    await sink.write(batchOf('t', [1, 2]), calm);
    await rejection(async () => sink.commit?.(pageEnd('t', { keep: 'k' }), calm), 'ERR_SINK', /memory limit/);
    await command('CONFIG', 'SET', 'maxmemory', '0');
    assert.equal([...((await sink.positions?.()) ?? [])], []);
    assert.is(await command('EXISTS', 'items'), 0);
    await sink.abort(undefined);
  }));

run.run();
