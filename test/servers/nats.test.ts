/** NATS JetStream against a real server: the conformance kit for both recoveries, rights, faults and restarts. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { connect } from '@nats-io/transport-node';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { createNatsSession } from '../../sinks/nats/nats-session.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { calm, earlierOf, pageEnd, rejection } from '../sinks/lib.js';
import { startLateProxy } from '../support/late-proxy.js';
import { natsBatchesMissing, natsMissing, startNats, type TestServer } from '../support/servers.js';
import { testWhere } from '../where.js';
import { begun, mustBeReplaced, mustKeepRules, mustStayEnded, mustStayReplaced } from './lib.js';

const test = testWhere(natsMissing);
const testBatches = testWhere(natsBatchesMissing);
const testOf = (options: string) => (options === '' ? test : testBatches);

type Reply = Readonly<Record<string, unknown>> & { readonly error?: { readonly description: string } };

interface Lent {
  readonly server: TestServer;
  readonly uri: (rest: string) => string;
  /** Calls the API of JetStream. */
  readonly call: (name: string, body?: object) => Promise<Reply>;
  /** The messages of a subject of the stream S. */
  readonly read: (subject: string) => Promise<readonly string[]>;
}

async function withNats(
  work: (lent: Lent) => Promise<void>,
  more: readonly string[] = [],
  credentials: object = {},
): Promise<void> {
  const server = await startNats(more);
  const call = async (name: string, body: object = {}): Promise<Reply> => {
    const client = await connect({ servers: `127.0.0.1:${server.port}`, reconnect: false, ...credentials });
    try {
      return (await client.request(`$JS.API.${name}`, JSON.stringify(body))).json();
    } finally {
      await client.close();
    }
  };
  const read = async (subject: string) => {
    const client = await connect({ servers: `127.0.0.1:${server.port}`, reconnect: false });
    const found: string[] = [];
    try {
      for (let seq = 1; ; ) {
        const reply = await client.request('$JS.API.STREAM.MSG.GET.S', JSON.stringify({ seq, next_by_subj: subject }));
        const { message } = reply.json<{ message?: { seq: number; data?: string } }>();
        if (message === undefined) return found;
        found.push(Buffer.from(message.data ?? '', 'base64').toString());
        seq = message.seq + 1;
      }
    } finally {
      await client.close();
    }
  };
  try {
    await work({ server, call, read, uri: (rest) => `nats://127.0.0.1:${server.port}/${rest}` });
  } finally {
    await server.close();
  }
}

for (const [options, more] of [
  ['', []],
  ['&transactions=true', ['max_payload: 8MB']],
] as const) {
  testOf(options)(`keeps every rule of the kit${options}`, () =>
    withNats(async ({ server, uri, read, call }) => {
      const subjects = ['s.*', 'rxtract.S.>'];
      await call('STREAM.CREATE.S', { name: 'S', subjects, allow_atomic: true, max_msg_size: 2_000_000 });
      const target = uri(`s.{dataType}?stream=S${options}`);
      const refused = 'x'.repeat(2_000_000);
      await mustKeepRules(target, (dataType) => read(`s.${dataType}`), options !== '', refused, server);
    }, more),
  );
}

for (const options of ['', '&transactions=true']) {
  testOf(options)(`items that are too long, or lack the value of their subject, are left out${options}`, () =>
    withNats(async ({ uri, read }) => {
      const sink = await begun(uri(`s.{item.to}?stream=S${options}`));
      const reasons: string[] = [];
      await sink.open?.('t', 'j', {
        onItemError: ({ batch, index, reason }) => void reasons.push(`${batch.offset + index} ${reason}`),
      });
      const items = [{ to: 'a' }, { n: 1 }, { to: 'b', text: 'x'.repeat(8 * 1024 * 1024) }, { to: 'c' }];
      await sink.write(batchOf('t', items), calm);
      await sink.write(batchOf('t', [{ n: 2 }], { offset: 4 }), calm);
      await sink.commit?.(pageEnd('t', { keep: 'k' }), calm);
      await sink.close();
      assert.equal(await read('s.*'), ['{"to":"a"}', '{"to":"c"}']);
      assert.equal(
        sink.summary?.().map((each) => each.items),
        [2],
      );
      assert.equal(
        reasons.map((reason) => reason.slice(0, 30)),
        ['1 has no text, number or boole', '2 has 8388628 bytes, and the s', '4 has no text, number or boole'],
      );
    }),
  );
}

test('items arrive once by their ids, through restarts', () =>
  withNats(async ({ server, uri, read }) => {
    const sink = await begun(uri('items?stream=S'));
    assert.is(sink.window, 120_000);
    for (let page = 0; page < 12; page++) {
      const place = { run: 'r', walk: '0', page, offset: 0 };
      const writing = sink.write(
        batchOf(
          't',
          Array.from({ length: 50 }, (_, n) => ({ page, n })),
          place,
        ),
        calm,
      );
      if (page % 4 === 3) {
        await server.kill();
        await server.start();
      }
      await writing;
    }
    await sink.close();
    const found = await read('items');
    assert.equal([found.length, new Set(found).size], [600, 600]);
  }));

testBatches('a page and its position are one atomic batch, through restarts', () =>
  withNats(async ({ server, uri, read, call }) => {
    const sink = await begun(uri('items?stream=S&transactions=true'));
    for (let page = 0; page < 12; page++) {
      await sink.write(
        batchOf(
          't',
          Array.from({ length: 50 }, (_, n) => ({ page, n })),
        ),
        calm,
      );
      const committing = sink.commit?.(pageEnd('t', { page, keep: `k${page}` }), calm);
      if (page % 4 === 3) {
        await server.kill();
        await server.start();
      }
      await committing;
    }
    assert.equal([...((await sink.positions?.()) ?? [])], [['0', 'k11']]);
    await sink.close();
    const found = await read('items');
    assert.equal([found.length, new Set(found).size], [600, 600]);
    const { state } = (await call('STREAM.INFO.S', { subjects_filter: 'rxtract.>' })) as {
      state: { subjects?: object };
    };
    assert.equal(
      Object.keys(state.subjects ?? {}).map((subject) => subject.split('.').at(-1)),
      ['ended'],
    );
  }),
);

testBatches('a page whose first attempt arrives late is there once', () =>
  withNats(async ({ server, read }) => {
    const proxy = await startLateProxy(server.port);
    const sink = await begun(`nats://127.0.0.1:${proxy.port}/items?stream=S&transactions=true`);
    const put = async (page: number) => {
      await sink.write(batchOf('t', [{ page }]), calm);
      await sink.commit?.(pageEnd('t', { page, keep: `k${page}` }), calm);
    };
    await put(0);
    proxy.hold('Nats-Batch-Commit');
    await put(1);
    await proxy.release();
    await put(2);
    await sink.close();
    assert.equal(await read('items'), ['{"page":0}', '{"page":1}', '{"page":2}']);
    await proxy.close();
  }),
);

testBatches('earlier positions are removed in the middle of a run', () =>
  withNats(async ({ uri, call }) => {
    const sink = await begun(uri('items?stream=S&transactions=true'));
    for (let page = 0; page < 105; page++)
      await sink.commit?.(pageEnd('t', { page, keep: `k${page}`, count: 0 }), calm);
    const { state } = (await call('STREAM.INFO.S', { subjects_filter: 'rxtract.S.*.*.lane.*' })) as {
      state: { subjects: Record<string, number> };
    };
    assert.equal(Object.values(state.subjects), [6]);
    assert.equal([...((await sink.positions?.()) ?? [])], [['0', 'k104']]);
    await sink.abort(undefined);
  }),
);

testBatches('a stream that lost what was acknowledged ends the run', () =>
  withNats(async ({ server, uri, call }) => {
    for (const filter of ['rxtract.>', 'rxtract.*.*.*.lane.*']) {
      const sink = await begun(uri('items?stream=S&transactions=true'));
      const put = async (page: number) => {
        await sink.write(batchOf('t', [page]), calm);
        await sink.commit?.(pageEnd('t', { page, keep: `k${page}` }), calm);
      };
      await put(0);
      await call('STREAM.PURGE.S', { filter });
      await server.kill();
      await server.start();
      await rejection(put(1), 'ERR_SINK', /has lost/);
      await rejection(async () => sink.positions?.(), 'ERR_SINK', /has lost/);
      await sink.abort(undefined);
      await call('STREAM.PURGE.S');
    }
  }),
);

testBatches('a fresh start stops the run in its place', () =>
  withNats(async ({ uri, read }) => {
    const old = await begun(uri('items?stream=S&transactions=true'), { run: 'old' });
    const next = await begun(uri('items?stream=S&transactions=true'), { run: 'new', replaces: ['old'] });
    await mustBeReplaced(old);
    await next.close();
    assert.equal(await read('items'), []);
  }),
);

testBatches('a process that begins after the end of its run is refused for some days', () =>
  withNats(async ({ uri, read, call, server }) => {
    await mustStayEnded(uri('items?stream=S&transactions=true'));
    const next = await mustStayReplaced(uri('items?stream=S&transactions=true'));
    await next.close();
    assert.equal(await read('items'), ['1']);
    const left = async () => {
      const { state } = await call('STREAM.INFO.S', { subjects_filter: 'rxtract.>' });
      const { subjects = {} } = state as { subjects?: object }; // of the reply
      return Object.keys(subjects).map((subject) => subject.split('.').slice(3).join('.'));
    };
    assert.equal((await left()).sort(), ['done.ended', 'never-begun.ended', 'next.ended']);
    const hosts = [{ host: '127.0.0.1', port: server.port }] as const;
    const session = createNatsSession({ server: { hosts }, stream: 'S', identity: 'i', fenceMs: 0 });
    await session.begin(earlierOf({ run: 'later' }));
    session.end();
    assert.equal(await left(), ['later.epoch']);
  }),
);

testBatches('a run that ends while an older process begins is not begun again', () =>
  withNats(async ({ uri, server, read }) => {
    const address = 'items?stream=S&transactions=true';
    const newer = await begun(uri(address), { epoch: 2 });
    const proxy = await startLateProxy(server.port);
    let isEnded = false;
    proxy.onChunk = async (text) => {
      // The older process has looked for the end of the run, and looks for its epoch now.
      if (isEnded || !/last_by_subj[^}]*[.]epoch/.test(text)) return;
      isEnded = true;
      await newer.close();
    };
    const late = begun(`nats://127.0.0.1:${proxy.port}/${address}`);
    await rejection(late, 'ERR_RESUME', /another process has resumed this run/);
    assert.equal([isEnded, await read('rxtract.S.*.*.epoch')], [true, []]);
    await proxy.close();
  }),
);

testBatches('a page of 999 items is the largest with transactions', () =>
  withNats(async ({ uri, read }) => {
    const sink = await begun(uri('items?stream=S&transactions=true'));
    const page = (count: number) =>
      batchOf(
        't',
        Array.from({ length: count }, (_, n) => n),
      );
    await sink.write(page(999), calm);
    await sink.commit?.(pageEnd('t', { keep: 'k' }), calm);
    assert.is((await read('items')).length, 999);
    await rejection(async () => sink.write(page(1000), calm), 'ERR_SINK', /^nats: the page has more than 999 items/);
    await sink.abort(undefined);
  }),
);

test('values of items are one token each', () =>
  withNats(async ({ uri, read }) => {
    const sink = await begun(uri('a.{item.to}.x-{job}?stream=S'));
    await sink.write(batchOf('t', [{ to: 'a.b *>~č' }], { job: 'j', run: 'r', walk: '0', page: 0, offset: 0 }), calm);
    assert.equal(await read('a.a%2Eb%20%2A%3E%7E%C4%8D.x-j'), ['{"to":"a.b *>~č"}']);
    assert.match(sink.summary?.()[0]?.name ?? '', /^a\.\{item\.to\}\.x-\{job\} at 127/);
    await sink.close();
  }));

test('a message that is too large names its item', () =>
  withNats(async ({ uri, call }) => {
    const long = batchOf('t', ['x', 'x'.repeat(8 << 20)], { job: 'j', run: 'r', walk: '0', page: 2, offset: 5 });
    const sink = await begun(uri('items?stream=S'));
    const error = await rejection(
      async () => sink.write(long, calm),
      'ERR_SINK',
      /^nats: item 6 of the page \(from 0\) has \d+ bytes, and the server accepts messages of 8388608/,
    );
    assert.equal([error.where.job, error.where.page], ['j', 2]);
    await call('STREAM.CREATE.T', { name: 'T', subjects: ['t'], max_msg_size: 1000 });
    const small = await begun(uri('t?stream=T'));
    await rejection(
      async () => small.write(batchOf('t', ['x'.repeat(900)]), calm),
      'ERR_SINK',
      /accepts messages of 1000/,
    );
    for (const each of [sink, small]) await each.abort(undefined);
  }));

test('a stream that lacks something is an error before the first request', () =>
  withNats(async ({ uri, call, read }) => {
    await call('STREAM.CREATE.S', { name: 'S', subjects: ['a.*', 'b.>', 'rxtract.S.>'] });
    const faults: readonly [string, RegExp][] = [
      ['none?stream=T&create=false', /^nats: there is no stream "T", and create=false$/],
      ['a?stream=S', /^nats: the stream "S" does not have the subject a: add it/],
      ['a.{item.x}.y?stream=S', /does not have the subject a\.\*\.y/],
      ['b?stream=S', /does not have the subject b/],
      ['a.b?stream=S&transactions=true', /^nats: the stream "S" does not allow atomic batches/],
      ['a.b?stream=T', /^nats: stream "T": subjects overlap/],
    ];
    for (const [rest, message] of faults) await rejection(() => begun(uri(rest)), 'ERR_SINK', message);
    for (const rest of ['a.b?stream=S', 'a.{item.x}?stream=S', 'b.{dataType}.c?stream=S', 'new?stream=T'])
      await sinkFromUri(uri(rest)).check?.();
    assert.equal(await read('>'), []);
    assert.match((await call('STREAM.INFO.T')).error?.description ?? '', 'not found');
  }));

test('addresses that are wrong', async () => {
  const create = (uri: string) => () => sinkFromUri(uri);
  await rejection(
    create('nats://h/?stream=S'),
    'ERR_USAGE',
    /^nats: expected the subject of each item, .*, as in nats:/,
  );
  await rejection(create('nats://h/a..b?stream=S'), 'ERR_USAGE', /expected a subject/);
  await rejection(create('nats://h/a.*?stream=S'), 'ERR_USAGE', /expected a subject/);
  await rejection(create('nats://h/a?stream=S.T'), 'ERR_USAGE', /"S.T" is not a name of a stream/);
  await rejection(create('nats://h/a'), 'ERR_USAGE', /needs the option stream/);
});

const users = [
  'authorization { users = [',
  '{ user: ann, password: secret }',
  '{ user: joe, password: "p@ss/1", permissions: { publish: ["$JS.API.>"] } }',
  '] }',
];

test('users, passwords and rights', () =>
  withNats(
    async ({ server, call }) => {
      const at = (user: string) => `nats://${user}@127.0.0.1:${server.port}/items?stream=S`;
      await call('STREAM.CREATE.S', { name: 'S', subjects: ['items'] });
      await rejection(
        async () => sinkFromUri(at('joe:wrong')).check?.(),
        'ERR_SINK',
        /^nats: cannot connect to nats:\/\/127.0.0.1:\d+: the server rejects the user or the password/,
      );
      await rejection(
        async () => sinkFromUri(at('joe:${WORD}'), { env: { WORD: 'p@ss/1' } }).check?.(),
        'ERR_SINK',
        /the user lacks a permission/,
      );
      await sinkFromUri(at('ann:secret')).check?.();
      assert.equal(sinkFromUri(at('ann:secret')).secrets?.includes('secret'), true);
    },
    users,
    { user: 'ann', pass: 'secret' },
  ));

test('a token is a user alone', () =>
  withNats(
    async ({ server }) => {
      await begun(`nats://a-token@127.0.0.1:${server.port}/items?stream=S`).then((sink) => sink.close());
      await rejection(
        () => begun(`nats://other@127.0.0.1:${server.port}/items?stream=S`),
        'ERR_SINK',
        /rejects the user/,
      );
    },
    ['authorization { token: "a-token" }'],
  ));

test('a server that is not there, or has no JetStream, is one error', () =>
  withNats(
    async ({ server }) => {
      await rejection(
        () => begun('nats://127.0.0.1:1/items?stream=S'),
        'ERR_SINK',
        /^nats: cannot connect to nats:\/\/127.0.0.1:1: connection refused/,
      );
      await rejection(
        () => begun(`nats://127.0.0.1:${server.port}/items?stream=S`),
        'ERR_SINK',
        /JetStream not enabled for account/,
      );
    },
    ['accounts { A { users: [{ user: x, password: y }] } }', 'no_auth_user: x'],
  ));

test('a server without JetStream is one error', () =>
  withNats(
    async ({ uri }) => {
      await rejection(() => begun(uri('items?stream=S')), 'ERR_SINK', /JetStream is not available/);
    },
    ['jetstream: false'],
  ));

run.run();
