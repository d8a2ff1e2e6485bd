/** PostgreSQL against a real server: the conformance kit, tables of another shape, rights, faults and restarts. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { once } from 'node:events';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { checkSink } from '../../sinks/conformance.js';
import { quoted } from '../../sinks/postgres/sql.js';
import { columnName } from '../../sinks/postgres/typed-columns.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { createLeafReader } from '../../sinks/tables/leaves.js';
import { ExactNumber } from '../../src/core/json/exact.js';
import { ownCommand } from '../blackbox/command.js';
import { items, json, startApi } from '../loopback/api.js';
import { makeCertificates } from '../loopback/certificates.js';
import { aMinute, calm, inFolder, pageEnd, rejection } from '../sinks/lib.js';
import { type LeafValue, leafRows } from '../sinks/tables/leaf-rows.js';
import { randomItem } from '../sinks/tables/random-items.js';
import { startLateProxy } from '../support/late-proxy.js';
import { mulberry32 } from '../support/mulberry32.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { begun, mustKeepRules } from './lib.js';
import { type Lent, pull, put, typesIn, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

/** The tables of the sink itself that are there, and how many rows of runs that have not ended its own tables have. */
async function remains({ sql }: Lent): Promise<readonly string[]> {
  const rows = await sql(`SELECT tablename FROM pg_tables WHERE starts_with(tablename, 'rxtract_') ORDER BY 1`);
  const runs = 'SELECT count(*) FROM rxtract_runs WHERE ended IS NULL';
  const counts = await sql(`SELECT (${runs}) + (SELECT count(*) FROM rxtract_lanes) AS n`);
  return [
    ...rows.map(({ tablename }) => String(tablename)).filter((name) => !/_(runs|lanes|columns)$/.test(name)),
    `${counts[0]?.n} rows`,
  ];
}

for (const options of ['?mode=replace&type=json', '?mode=append&type=json', '?mode=append&log=true&type=json']) {
  test(`keeps every rule of the kit: ${options}`, () =>
    withPostgres(async ({ uri, read, server }) => mustKeepRules(uri(options), read, true, undefined, server)));
}

test('replace publishes all tables at once, keeps their indexes, and leaves nothing else', () =>
  withPostgres(async (lent) => {
    const { uri, sql, read } = lent;
    await sql(
      `CREATE TABLE a (item jsonb); CREATE INDEX own ON a ((item ->> 'id')); INSERT INTO a VALUES ('{"id":0}')`,
    );
    const sink = await begun(uri());
    for (const dataType of ['a', 'b']) await sink.open?.(dataType, dataType);
    await put(sink, 'a', 0, [{ id: 1 }]);
    await put(sink, 'b', 0, [{ id: 2 }]);
    assert.equal([await read('a'), await read('b')], [['{"id": 0}'], []]);
    assert.equal(await sink.published?.('a'), ['public.a']);
    assert.equal(await sink.published?.('b'), []);
    await sink.close();
    assert.equal([await read('a'), await read('b')], [['{"id": 1}'], ['{"id": 2}']]);
    assert.is((await sql(`SELECT FROM pg_indexes WHERE indexname = 'own'`)).length, 1);
    assert.equal(await remains(lent), ['0 rows']);
    assert.match(sink.summary?.()[0]?.name ?? '', /^public.a at 127.0.0.1:\d+\/postgres$/);
  }));

test('append adds to what is there, at the end or with log at each page', () =>
  withPostgres(async (lent) => {
    const { uri, read } = lent;
    for (const [options, seen] of [
      ['?mode=append', 0],
      ['?mode=append', 1],
      ['?mode=append&log=true', 3],
    ] as const) {
      const sink = await begun(uri(options), { run: `r${seen}` });
      assert.is(sink.published, undefined);
      await sink.open?.('a', 'a');
      await put(sink, 'a', 0, [1]);
      await sink.commit?.(pageEnd('a', { page: 1, count: 0 }), calm);
      assert.is((await read('a')).length, seen);
      await sink.close();
    }
    assert.equal(await read('a'), ['1', '1', '1']);
    assert.equal(await remains(lent), ['0 rows']);
  }));

test('merge replaces items with the same key, the last one counts, and needs a key and an index', () =>
  withPostgres(async (lent) => {
    const { uri, sql, read } = lent;
    const options = '?mode=merge&key=id,o%2E.n&type=json';
    for (const round of [1, 2]) {
      const sink = await begun(uri(options), { run: `round${round}` });
      await sink.open?.('a', 'a');
      const item = (id: number, n: number, v: string) => ({ id, 'o.': { n }, v: `${v}${round}` });
      await put(sink, 'a', 0, [item(1, 1, 'x'), item(round, 2, 'y'), item(1, 1, 'z')]);
      await sink.close();
    }
    assert.equal(
      (await read('a')).map((text) => JSON.parse(text).v),
      ['y1', 'y2', 'z2'],
    );
    const sink = await begun(uri(options));
    const missing = /item 1 of the page \(from 0\)\): the value breaks a constraint \(23514, "has_key"\)$/;
    await rejection(put(sink, 'a', 0, [{ id: 1, 'o.': { n: 1 } }, { id: 2 }]), 'ERR_SINK', missing);
    await sink.abort(undefined);
    await sql('DROP INDEX a_expr_expr1_idx');
    const refused = await rejection(
      async () => (await begun(uri(options), { run: 'x' })).open?.('a', 'a'),
      'ERR_SINK',
      /^postgres: the table "public.a" has no unique index on the key: merge needs one$/,
    );
    assert.match(
      refused.where.remedy ?? '',
      /CREATE UNIQUE INDEX ON "public"."a" \(\(item ->> 'id'\), \(item -> 'o.' ->> 'n'\)\)/,
    );
  }));

test('an item that jsonb cannot hold ends the run with its place, and nothing is published', () =>
  withPostgres(async ({ uri, read }) => {
    const faults = [
      [{ text: 'a\u0000' }, /the value contains U\+0000, which this type cannot hold \(22P05\)/],
      [new Map([['n', new ExactNumber('1e400000')]]), /the number is out of range for this type \(22003\)/],
      [{ text: '\ud800' }, /the value is not valid for this type \(22P02\)/],
    ] as const;
    for (const [item, reason] of faults) {
      const sink = await begun(uri('?mode=append'));
      await put(sink, 'a', 0, [1]);
      const error = await rejection(put(sink, 'a', 1, [1, 2, item]), 'ERR_SINK', reason);
      assert.match(
        error.message,
        'postgres: cannot store a page (table "public.a", column "item", item 2 of the page (from 0)): ',
      );
      assert.equal([error.where.job, error.where.page], ['a', 1]);
      assert.equal([...((await sink.positions?.()) ?? [])], [['0', 'k0']]);
      await sink.abort(undefined);
    }
    assert.equal(await read('a'), []);
  }));

test('a page and its position are in one transaction, through restarts and broken connections', () =>
  withPostgres(async (lent) => {
    const { server, uri, sql, read } = lent;
    const sink = await begun(uri('?type=json'));
    for (let page = 0; page < 12; page++) {
      if (page === 5) await sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
      const committing = put(sink, 't', page, [
        { page, n: 1 },
        { page, n: 2 },
      ]);
      if (page % 4 === 3) {
        await server.kill();
        await server.start();
      }
      await committing;
    }
    assert.equal([...((await sink.positions?.()) ?? [])], [['0', 'k11']]);
    await server.kill();
    await server.start();
    await sink.close();
    const found = await read('t');
    assert.equal([found.length, new Set(found).size], [24, 24]);
    assert.equal(await remains(lent), ['0 rows']);
  }));

for (const text of ['BEGIN', 'COMMIT']) {
  test(`a page whose first ${text} arrives late is there once`, () =>
    withPostgres(async ({ server, read }) => {
      const proxy = await startLateProxy(server.port);
      const sink = await begun(`postgres://rx@127.0.0.1:${proxy.port}/postgres?mode=append&log=true`);
      await put(sink, 't', 0, [0]);
      proxy.hold(text);
      proxy.onChunk = async (chunk) => {
        if (chunk.includes('INSERT INTO')) await proxy.release();
      };
      await put(sink, 't', 1, [1]);
      await put(sink, 't', 2, [2]);
      await sink.close();
      assert.equal(await read('t'), ['0', '1', '2']);
      await proxy.close();
    }));
}

test('a large page is one transaction, sent in parts', () =>
  withPostgres(async ({ uri, sql, read }) => {
    for (const options of ['?mode=append&log=true&type=json', '?type=json']) {
      const sink = await begun(uri(options));
      const parts = [0, 1, 2, 3].map((n) =>
        batchOf('t', [{ n, text: 'x'.repeat(9 << 20) }], { job: 't', run: 'r', walk: '0', page: 0, offset: n }),
      );
      for (const part of parts.slice(0, 2)) await sink.write(part, calm);
      await sink.rollback?.('t');
      for (const part of parts) await sink.write(part, calm);
      assert.equal(await read('t'), []);
      await sink.commit?.(pageEnd('t', { keep: 'k', count: 4 }), calm);
      await sink.close();
      const found = await sql("SELECT item ->> 'n' AS n FROM t ORDER BY ctid");
      assert.equal(
        found.map(({ n }) => n),
        ['0', '1', '2', '3'],
      );
      await sql('DROP TABLE t');
    }
  }));

test('a large page whose connection breaks fails at its commit, with its position unchanged', () =>
  withPostgres(async ({ uri, sql, read }) => {
    const sink = await begun(uri());
    const large = batchOf('t', ['x'.repeat(17 << 20)]);
    await sink.write(large, calm);
    await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'`);
    await sink.write(large, calm);
    await sink.write(large, calm);
    await rejection(async () => sink.commit?.(pageEnd('t', { keep: 'k' }), calm), 'ERR_SINK', /cannot store a page/);
    assert.equal([...((await sink.positions?.()) ?? [])], []);
    await sink.write(large, calm);
    await sink.commit?.(pageEnd('t', { keep: 'k' }), calm);
    await rejection(async () => sink.write(batchOf('u', ['\0'.repeat(6 << 20)]), calm), 'ERR_SINK', /U\+0000/);
    await sink.write(batchOf('v', ['x'.repeat(17 << 20)]), calm);
    await sink.close();
    assert.is((await read('t')).length, 1);
  }));

test('a server that lost what it had acknowledged ends the run', () =>
  withPostgres(async ({ uri, sql }) => {
    const losses = [
      ['DELETE FROM rxtract_lanes', /the server has lost pages that it had acknowledged/],
      ['DELETE FROM rxtract_runs', /the server has lost the run/],
    ] as const;
    for (const [loss, message] of losses) {
      const sink = await begun(uri());
      await put(sink, 't', 0, [1]);
      await sql(loss);
      await rejection(async () => sink.positions?.(), 'ERR_SINK', message);
      await rejection(put(sink, 't', 1, [2]), 'ERR_SINK', message);
      await sink.abort(undefined);
    }
    const sink = await begun(uri());
    await sql('DELETE FROM rxtract_runs');
    await rejection(async () => sink.close(), 'ERR_SINK', /the server has lost the run/);
    const large = await begun(uri());
    await large.write(batchOf('t', ['x'.repeat(17 << 20)]), calm);
    await sql('UPDATE rxtract_runs SET epoch = 7');
    await rejection(async () => large.commit?.(pageEnd('t', { keep: 'k' }), calm), 'ERR_RESUME', /another process/);
    await rejection(async () => large.close(), 'ERR_RESUME', /another process has resumed this run/);
  }));

test('a fresh start removes what runs in its place have staged, and those without a state that are old', () =>
  withPostgres(async (lent) => {
    const { uri, sql } = lent;
    const old = await begun(uri(), { run: 'old' });
    await put(old, 't', 0, [1]);
    const other = await begun(uri('?mode=append'), { run: 'stateless', isStored: false });
    await put(other, 't', 0, [1]);
    await sql(`UPDATE rxtract_runs SET begun = now() - interval '8 days'`);
    const next = await begun(uri(), { run: 'new', replaces: ['old'] });
    assert.equal(await remains(lent), ['1 rows']);
    await rejection(put(old, 't', 1, [1]), 'ERR_RESUME', /another process has resumed this run/);
    await rejection(async () => old.positions?.(), 'ERR_RESUME', /another process has resumed this run/);
    await next.close();
    assert.equal(await remains(lent), ['0 rows']);
  }));

test('an aborted run without a state leaves nothing, one with a state what it has staged', () =>
  withPostgres(async (lent) => {
    for (const isStored of [false, true]) {
      const sink = await begun(lent.uri(), { isStored });
      await put(sink, 't', 0, [1, 2]);
      await sink.abort(undefined);
      await sink.abort(undefined);
      assert.is(sink.summary?.()[0]?.items, isStored ? 2 : 0);
      assert.is((await remains(lent)).length, isStored ? 2 : 1);
    }
    await sinkFromUri(lent.uri()).abort(undefined);
  }));

test('tables that cannot be used are errors before the first request', () =>
  withPostgres(async ({ uri, sql }) => {
    await sql(`CREATE TABLE other (id int); CREATE TABLE texts (item text); CREATE TABLE jsons (item json);
      CREATE TABLE more (item jsonb, owner text NOT NULL); CREATE VIEW seen AS SELECT 1 AS item;
      CREATE TABLE fine (id bigserial PRIMARY KEY, item jsonb, at timestamptz NOT NULL DEFAULT now())`);
    const faults: readonly [dataType: string, options: string, message: RegExp][] = [
      ['other', '', /^postgres: the table "public.other" has no column "item": it has another shape/],
      ['texts', '', /^postgres: the column "item" of the table "public.texts" is text, expected jsonb$/],
      ['jsons', '', /^postgres: the column "item" of the table "public.jsons" is json, expected jsonb$/],
      ['more', '', /^postgres: the column "owner" of the table "public.more" needs a value/],
      ['seen', '', /^postgres: "public.seen" is not a table$/],
      ['none', '?create=false', /^postgres: there is no table "public.none", and create=false$/],
      ['x'.repeat(64), '', /cannot be the name of a table: it has 64 bytes, and 63 are allowed$/],
      ['a\0b', '', /cannot be the name of a table: it contains U\+0000$/],
      ['a\ud800', '', /cannot be the name of a table: it contains half a surrogate pair$/],
      ['', '', /cannot be the name of a table: it is empty$/],
      ['rxtract_runs', '', /names that begin with rxtract_ are taken$/],
    ];
    for (const [dataType, options, message] of faults) {
      const sink = await begun(uri(options));
      await rejection(async () => sink.open?.(dataType, 'j'), 'ERR_SINK', message);
      await sink.abort(undefined);
    }
    const sink = await begun(uri());
    await sink.open?.('fine', 'j');
    await put(sink, 'fine', 0, [1]);
    await sink.close();
    assert.equal(await sql('SELECT id, item FROM fine'), [{ id: '1', item: 1 }]);
    await rejection(
      () => begun(uri('?schema=none&create=false')),
      'ERR_SINK',
      /there is no schema "none", and create=/,
    );
    await sql('CREATE TABLE late (item jsonb)');
    const late = await begun(uri('?create=false'), { run: 'late' });
    await late.open?.('late', 'j');
    await sql('DROP TABLE late');
    await rejection(
      async () => late.close(),
      'ERR_SINK',
      /^postgres: there is no table "public.late", and create=false$/,
    );
  }));

test('names of any kind stay names', () =>
  withPostgres(async ({ uri, sql }) => {
    await sql('CREATE TABLE victim (id int)');
    const evil = `x"."'; DROP TABLE victim; --\\`;
    const encoded = encodeURIComponent(evil);
    for (const options of [
      `?schema=${encoded}`,
      `?schema=${encoded}&mode=merge&key=${encoded.replaceAll('.', '%2E')}`,
    ]) {
      const sink = await begun(uri(`${options}&create=true`));
      await sink.open?.(evil, evil);
      await put(sink, evil, 0, [{ [evil]: 1 }]);
      await sink.close();
      await sql(`DROP TABLE ${quoted(evil, 'schema')}.${quoted(evil, 'table')}`);
    }
    assert.is((await sql(`SELECT to_regclass('victim') IS NOT NULL AS found`))[0]?.found, true);
  }));

test('users, passwords and rights', () =>
  withPostgres(async ({ server, sql }) => {
    await sql(`CREATE ROLE joe LOGIN PASSWORD 'p@ss/1'; CREATE SCHEMA own AUTHORIZATION joe;
      CREATE TABLE own.mine (item jsonb); CREATE SCHEMA closed`);
    const hba = join(server.folder, 'data', 'pg_hba.conf');
    writeFileSync(hba, `host all joe 127.0.0.1/32 scram-sha-256\n${readFileSync(hba, 'utf8')}`);
    await sql('SELECT pg_reload_conf()');
    const at = (user: string, options = '') => `postgres://${user}@127.0.0.1:${server.port}/postgres${options}`;
    const env = { WORD: 'p@ss/1' };
    const refused = /^postgres: cannot connect to postgres:\/\/127.0.0.1:\d+\/postgres: the server rejects the user/;
    await rejection(async () => sinkFromUri(at('joe:wrong')).check?.(), 'ERR_SINK', refused);
    const lacks = /: the user lacks a right \(permission denied for schema closed, 42501\)$/;
    await rejection(async () => sinkFromUri(at('joe:${WORD}', '?schema=closed'), { env }).check?.(), 'ERR_SINK', lacks);
    const error = await rejection(() => begun(at('joe:p%40ss%2F1', '?schema=closed')), 'ERR_SINK', lacks);
    assert.match(error.where.remedy ?? '', /^Grant CREATE on the schema \(on the database, if the schema is missing\)/);
    const missing = /there is no such database \(database "none" does not exist, 3D000\)$/;
    await rejection(
      async () =>
        sinkFromUri(
          at('rx')
            .replace('postgres?', 'none?')
            .replace(/postgres$/, 'none'),
        ).check?.(),
      'ERR_SINK',
      missing,
    );
    const sink = await begun(at('joe:p%40ss%2F1', '?schema=own'));
    await rejection(
      async () => sink.open?.('mine', 'j'),
      'ERR_SINK',
      /^postgres: the user lacks the right INSERT, DELETE, SELECT on the table "own.mine"$/,
    );
    await sink.abort(undefined);
    const next = await begun(at('joe:p%40ss%2F1', '?schema=own'), { run: 'next' });
    await next.open?.('new', 'j');
    await next.close();
    await sinkFromUri(at('joe:p%40ss%2F1', '?schema=own')).check?.();
    assert.equal(sinkFromUri(at('rx')).secrets, []);
    assert.ok(sinkFromUri(at('joe:p%40ss%2F1')).secrets?.includes('p@ss/1'));
  }));

test('a check changes nothing', () =>
  withPostgres(async ({ uri, sql }) => {
    await sinkFromUri(uri('?schema=new')).check?.();
    assert.equal(await sql(`SELECT FROM pg_namespace WHERE nspname = 'new'`), []);
    const standby = sinkFromUri(uri());
    await sql(`ALTER SYSTEM SET default_transaction_read_only = on; `);
    await sql('SELECT pg_reload_conf()');
    await rejection(async () => standby.check?.(), 'ERR_SINK', /the server accepts no writes/);
  }));

test('a server that is not there is one error', async () => {
  await rejection(
    async () => sinkFromUri('postgres://127.0.0.1:1/db').check?.(),
    'ERR_SINK',
    /^postgres: cannot connect to postgres:\/\/127.0.0.1:1\/db: connection refused \(ECONNREFUSED\)$/,
  );
});

test('TLS is used as sslmode says', () =>
  withPostgres(
    async ({ server, sql, uri }) => {
      const { ca, server: pair } = makeCertificates();
      const file = (name: string) => join(server.folder, name);
      const local = (options: string) => uri(options).replace('127.0.0.1', 'localhost');
      const other = (options: string) => uri(options).replace('127.0.0.1', '127.0.0.2');
      await rejection(async () => sinkFromUri(uri('?sslmode=require')).check?.(), 'ERR_SINK', /does not support SSL/);
      await sinkFromUri(uri('?sslmode=disable')).check?.();
      for (const [name, text] of [
        ['cert', pair.cert],
        ['key', pair.key],
        ['ca', ca],
      ] as const) {
        writeFileSync(file(name), text, { mode: 0o600 });
        if (process.getuid?.() === 0) chownSync(file(name), 65_534, 65_534);
      }
      await sql(`ALTER SYSTEM SET ssl_cert_file = '${file('cert')}'`);
      await sql(`ALTER SYSTEM SET ssl_key_file = '${file('key')}'`);
      await sql('ALTER SYSTEM SET ssl = on');
      await sql('SELECT pg_reload_conf()');
      writeFileSync(join(server.folder, 'data', 'pg_hba.conf'), 'hostssl all all 127.0.0.0/8 trust\n');
      await server.kill();
      await server.start().catch(() => {}); // It refuses connections without TLS now.
      for (const options of ['', '?sslmode=require', `?ca=${file('ca')}`, `?sslmode=verify-ca&ca=${file('ca')}`]) {
        await sinkFromUri(local(options)).check?.();
      }
      await sinkFromUri(uri(`?sslmode=verify-ca&ca=${file('ca')}`)).check?.();
      await rejection(async () => sinkFromUri(uri('?sslmode=disable')).check?.(), 'ERR_SINK', /rejects the user|28000/);
      await rejection(
        async () => sinkFromUri(other(`?ca=${file('ca')}`)).check?.(),
        'ERR_SINK',
        /its certificate is for another host name/,
      );
      await rejection(
        async () => sinkFromUri(local('?sslmode=verify-full')).check?.(),
        'ERR_SINK',
        /the authority of its certificate is not trusted/,
      );
      await rejection(async () => sinkFromUri(local('?ca=none')).check?.(), 'ERR_SINK', /cannot read ca "none"/);
    },
    ['listen_addresses=127.0.0.1,127.0.0.2'],
  ));

for (const options of ['', '&mode=append&log=true']) {
  test(`typed columns keep every rule of the kit but that on items which are no rows${options}`, () =>
    withPostgres(async ({ uri, sql }) => {
      const read = async (table: string) => {
        const [found] = await sql(`SELECT to_regclass('"${table}"') IS NOT NULL AS found`);
        if (found?.found !== true) return [];
        const rows = await sql(
          `SELECT json_strip_nulls(row_to_json(t))::text AS item FROM "${table}" AS t ORDER BY ctid`,
        );
        return rows.map(({ item }) => String(item));
      };
      const checks = await checkSink(() => sinkFromUri(uri(`?columns=typed${options}`)), read, { tooLong: aMinute });
      const failed = checks.filter(({ outcome }) => outcome === 'fail').map(({ name }) => name);
      assert.equal(failed, ['keeps every character of an item']);
    }));
}

test('typed: a column is added when it appears and widened when it must, never narrowed', () =>
  withPostgres(async (lent) => {
    const made = await pull(lent, '', [
      [
        { id: 1, at: { ok: true, no: null }, text: 'x\t"\\\n č' },
        { id: 2, tags: [1, 'a\n', { x: 1 }] },
      ],
      [{ id: 3.5, at: { ok: 2 } }, {}, null, 7, 'v', { tags: 'one' }],
    ]);
    const rows = await lent.sql('SELECT * FROM t');
    assert.equal(
      rows.map(({ id }) => id),
      ['1', '2', '3.5', null, null, null, null, null],
    );
    assert.equal(rows.map(({ at__ok }) => at__ok).slice(0, 3), ['true', null, '2']);
    assert.equal(
      [rows[0]?.text, rows[1]?.tags, rows[5]?.value, rows[7]?.tags],
      ['x\t"\\\n č', [1, 'a\n', { x: 1 }], '7', 'one'],
    );
    assert.is(await typesIn(lent, 't'), 'id numeric, at__ok text, text text, tags jsonb, value text');
    assert.equal([made?.items, made?.columns], [8, 5]);
    assert.equal(made?.changed, [
      { column: 'id', from: 'bigint', to: 'numeric' },
      { column: 'at__ok', from: 'boolean', to: 'text' },
    ]);
    const again = await pull(lent, '', [[{ id: 1 }]]);
    assert.equal([again?.columns, again?.changed], [1, undefined]);
    assert.match(await typesIn(lent, 't'), /^id numeric, at__ok text/);
    const added = await pull(lent, '&type=json&mode=append', [[{ id: 'x', more: [] }]]);
    assert.equal(added?.changed, [{ column: 'id', from: 'numeric', to: 'text' }]);
    await pull(lent, '&mode=append&log=true', [[{ id: 5 }], [{ id: [1] }], [{ last: true }]]);
    assert.is(
      await typesIn(lent, 't'),
      'id text, at__ok text, text text, tags jsonb, value text, more json, last boolean',
    );
    assert.equal(
      (await lent.sql('SELECT id::text FROM t')).map(({ id }) => id),
      ['1', 'x', '5', '[1]', null],
    );
    assert.equal(await remains(lent), ['0 rows']);
  }));

test('typed: every value of random items is read back', () =>
  withPostgres(async (lent) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = mulberry32(seed);
    // The table has no order of its own: rows fill free space.
    const items = Array.from({ length: 1000 }, (_, n) => new Map<string, unknown>([...randomItem(random), ['n', n]]));
    await pull(lent, '&type=json', [items.slice(0, 300), items.slice(300)]);
    const columns = (await typesIn(lent, 't')).split(', ').map((each) => {
      const space = each.lastIndexOf(' ');
      return { name: each.slice(0, space), type: each.slice(space + 1) };
    });
    const texts = columns.map(({ name }) => `${quoted(name, 'column')}::text`).join(', ');
    const rows = await lent.sql(`SELECT ARRAY[${texts}] AS texts FROM t ORDER BY n`);
    const leaves = createLeafReader({ nameOf: columnName, what: 'x' }).read([batchOf('t', items).bytes]);
    const { seen } = leaves;
    const expected = leafRows(leaves);
    const indexes = new Map([...seen.keys()].map(({ name, index }) => [name, index]));
    assert.equal([rows.length, columns.length], [1000, seen.size]);
    for (const [at, { texts }] of rows.entries()) {
      for (const [place, { name, type }] of columns.entries()) {
        const value = expected[at]?.[indexes.get(name) ?? -1];
        const found: unknown = Array.isArray(texts) ? texts[place] : undefined;
        const same = value === undefined ? found === null : isSame(String(found), value, type);
        assert.ok(same, `seed ${seed}, item ${at}, column ${name}: ${found}, expected ${value?.raw}`);
      }
    }
  }));

/** A number that was in a column of numbers may be written in another way. A column of JSON has values as JSON. */
function isSame(found: string, { kind, raw }: LeafValue, type: string): boolean {
  if ((kind === 'integer' || kind === 'decimal') && Number(found) === Number(raw)) return true;
  if (type === 'json') return found === (kind === 'text' ? `"${raw}"` : raw);
  return found === (kind === 'text' ? JSON.parse(`"${raw}"`) : raw);
}

test('typed: merge, rows without a key, and a table that may not be changed', () =>
  withPostgres(async (lent) => {
    const { sql } = lent;
    const merge = '&mode=merge&key=o.id';
    await pull(lent, merge, [
      [
        { o: { id: 1 }, a: 1 },
        { o: { id: 2 }, a: 1 },
        { o: { id: 1 }, a: 2 },
      ],
    ]);
    await pull(lent, merge, [[{ o: { id: 2 }, a: 'x' }, { o: { id: 3 } }]]);
    await pull(lent, merge, []);
    assert.equal(await sql('SELECT * FROM t'), [
      { o__id: '1', a: '2' },
      { o__id: '2', a: 'x' },
      { o__id: '3', a: null },
    ]);
    await pull(lent, merge, [[{ o: { id: 3 } }]]);
    const noKey = /^postgres: item 1 of the page \(from 0\) has no key "o.id" \(table "public.t", job "t"\)$/;
    await rejection(pull(lent, merge, [[{ o: { id: 1 } }, { a: 1 }]]), 'ERR_SINK', noKey);
    await rejection(
      pull(lent, '&mode=merge&key=x', []),
      'ERR_SINK',
      /^postgres: the table "public.t" has no column "x" for the key$/,
    );
    await sql('DROP INDEX t_o__id_idx');
    await rejection(pull(lent, merge, []), 'ERR_SINK', /has no unique index on the key/);
    await rejection(
      pull(lent, '&create=false', [[{ b: 1 }]]),
      'ERR_SINK',
      /^postgres: the table "public.t" has no column "b", and create=false: it is not changed$/,
    );
    await rejection(
      pull(lent, '&create=false', [[{ o: { id: 'x' } }]]),
      'ERR_SINK',
      /cannot hold a value in "o__id", and create=false/,
    );
    await rejection(
      pull(lent, '&create=false&mode=append&log=true', [[{ o: { id: 'x' } }]]),
      'ERR_SINK',
      /cannot hold a value in "o__id"/,
    );
    await pull(lent, '&create=false', [[{ o: { id: 1 } }]]);
    await sql(
      'CREATE ROLE other; GRANT ALL ON t TO other; ALTER TABLE t OWNER TO other; CREATE ROLE joe LOGIN IN ROLE other',
    );
    await sql('GRANT CREATE ON SCHEMA public TO joe');
    await sql('DROP TABLE t');
    await pull(lent, merge, []);
    assert.is(await typesIn(lent, 't'), '');
    await rejection(
      pull(lent, '&create=false', [])
        .then(() => sql('DROP TABLE t'))
        .then(() => pull(lent, '&create=false', [])),
      'ERR_SINK',
      /there is no table/,
    );
  }));

test('typed: columns of other types stay, and a value that does not fit has its place', () =>
  withPostgres(async (lent) => {
    const { sql } = lent;
    await sql(`CREATE TABLE t (id smallint, at timestamptz, owner text NOT NULL, flag text NOT NULL DEFAULT 'f')`);
    await pull(lent, '', [
      [
        { id: 1, at: '2026-01-02T03:04:05Z', owner: 'me' },
        { id: '2', owner: 'me' },
      ],
    ]);
    assert.equal(
      (await sql('SELECT id, at, flag FROM t')).map(({ id, at, flag }) => [id, at instanceof Date, flag]),
      [
        [1, true, 'f'],
        [2, false, 'f'],
      ],
    );
    for (const options of ['', '&mode=append&log=true']) {
      const faults: readonly [item: unknown, message: RegExp][] = [
        [{ id: 70_000, owner: 'x' }, /column "id", item 1 of the page \(from 0\)\): the number is out of range/],
        [
          { at: 'soon', owner: 'x' },
          /column "at", item 1 of the page \(from 0\)\): the value does not fit the type \(22007\)/,
        ],
        [
          { owner: 'a\0' },
          /item 1 of the page \(from 0\)\): the text is not valid in the encoding of the database \(22021\)/,
        ],
        [
          { id: 1 },
          /column "owner", item 1 of the page \(from 0\)\): the value is missing, and the column needs one \(23502\)/,
        ],
        [Object.fromEntries(Array.from({ length: 1601 }, (_, n) => [`c${n}`, n])), /1,600 columns/],
      ];
      for (const [item, message] of faults) {
        const error = await rejection(pull(lent, options, [[{ id: 5, owner: 'x' }, item]]), 'ERR_SINK', message);
        assert.equal([error.where.job, error.where.page], ['t', 0]);
      }
    }
    await sql(
      'CREATE ROLE joe LOGIN; CREATE SCHEMA own AUTHORIZATION joe; CREATE TABLE own.t (id bigint); GRANT ALL ON own.t TO joe',
    );
    const joe = { ...lent, uri: (options = '') => lent.uri(options).replace('rx@', 'joe@') };
    const notOwned = /^postgres: the table "own.t" has no column "a", and the user does not own it: it is not changed$/;
    await rejection(pull(joe, '&schema=own', [[{ id: 1, a: 1 }]]), 'ERR_SINK', notOwned);
    await pull(joe, '&schema=own', [[{ id: 1 }]]);
    assert.is((await sql('SELECT FROM t')).length, 2);
    const collapse = /the members \["a__b"\] and \["a","b"\] would be one column, "a__b"$/;
    await rejection(pull(lent, '', [[{ a__b: 1, owner: '' }], [{ a: { b: 1 }, owner: '' }]]), 'ERR_SINK', collapse);
  }));

/** An item with so many columns. */
const wide = (count: number, value: unknown, name = 'c') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name}${n}`, value]));

test('typed: the error of an item with too many columns, or too wide a row, has its place', () =>
  withPostgres(async (lent) => {
    const small = Array.from({ length: 3 }, () => ({ c0: 1 }));
    const cases: readonly (readonly [items: readonly unknown[], place: number])[] = [
      [[wide(1595, 1), wide(1595, 1)], 0],
      [[...small, wide(1595, 1), ...small], 3],
      [[{ c0: 'x' }, wide(1595, 'x'.repeat(10)), { c0: 'x' }], 1],
      [[...Array(1200).fill({ c0: 1 }), wide(1595, 1), ...small], 1200],
      [[...small, wide(1601, 1), ...small], 3],
      [[...small, wide(1000, 1), wide(1000, 1, 'd'), ...small], 4],
    ];
    for (const options of ['', '&mode=append&log=true']) {
      for (const [items, place] of options === '' ? cases : cases.slice(0, 1)) {
        const shown = new RegExp(`\\(table "public.t", item ${place} of the page \\(from 0\\)\\): .*\\(540\\d\\d\\)$`);
        const error = await rejection(pull(lent, options, [small, items]), 'ERR_SINK', shown);
        assert.equal([error.where.job, error.where.page], ['t', 1]);
        await lent.sql('DROP TABLE IF EXISTS t');
      }
    }
    const sink = await begun(lent.uri('?columns=typed'));
    await sink.write(batchOf('t', [{ c0: 'x'.repeat(17 << 20) }]), calm);
    await sink.write(batchOf('t', [{ c0: 'x' }, wide(1595, 1)], { offset: 1 }), calm);
    const end = async () => sink.commit?.(pageEnd('t', { keep: 'k', count: 3 }), calm);
    await rejection(end, 'ERR_SINK', /item 2 of the page \(from 0\)\)/);
    await sink.abort(undefined);
  }));

test('typed: a large page that is rolled back adds no column', () =>
  withPostgres(async (lent) => {
    const sink = await begun(lent.uri('?columns=typed'));
    const large = (name: string) => batchOf('t', [{ [name]: 'x'.repeat(17 << 20) }]);
    await sink.write(large('a'), calm);
    await sink.write(large('a'), calm);
    await sink.rollback?.('t');
    await sink.write(large('b'), calm);
    await sink.commit?.(pageEnd('t', { keep: 'k' }), calm);
    await sink.close();
    assert.is(await typesIn(lent, 't'), 'b text');
  }));

test('an aborted run connects once, to a server that is gone too', () =>
  withPostgres(async ({ server, uri }) => {
    const sink = await begun(uri(), { isStored: false });
    await server.kill();
    let connections = 0;
    const broken = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(server.port, '127.0.0.1');
    await once(broken, 'listening');
    await sink.abort(undefined);
    broken.close();
    assert.is(connections, 1);
  }));

test('one line for all runs: killed, continued, followed by the next; a run without items empties nothing unseen', () =>
  withPostgres(({ uri, read }) =>
    inFolder(async (folder) => {
      let count = 6;
      let kill: (() => void) | undefined;
      const api = await startApi(({ target }) => {
        const page = Number(/page=(\d+)/.exec(target)?.[1] ?? 1);
        if (page === 3) kill?.();
        return json(page * 2 > count ? [] : items(page * 2, 2).map(({ id }) => ({ id })));
      });
      const document = {
        api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum' } },
        config: { jobs: [{ endpoint: 'users', dataType: 'users' }] },
      };
      const stdin = JSON.stringify(document);
      const start = async (options: readonly string[], isKilled = false) => {
        const words = ['run', '-', '--to', uri(), '--state', 'st', '--log', 'json', ...options];
        const before = api.requests.length;
        const onStart = (signal: (name: NodeJS.Signals) => void) => {
          kill = isKilled ? () => signal('SIGKILL') : undefined;
        };
        const { exit, stderr } = await ownCommand(words, { cwd: folder, stdin, onStart });
        const { ran } = isKilled ? { ran: undefined } : JSON.parse(stderr.trim().split('\n').at(-1) ?? '{}');
        return { result: [exit, api.requests.length - before, ran], stderr };
      };
      const expected = () => Array.from({ length: count }, (_, index) => `{"id": ${index + 2}}`);
      try {
        for (count of [6, 8]) {
          await start(['--resume'], true);
          assert.equal((await start(['--resume'])).result, [0, count / 2 - 1, true]);
          assert.equal(await read('users'), expected());
          assert.equal((await start(['--resume-only'])).result, [0, 0, false]);
        }
        count = 10;
        assert.equal((await start(['--resume'])).result, [0, 6, true]);
        const full = expected();
        count = 0;
        for (const options of [['--min-items', '1'], ['--strict']]) {
          assert.equal((await start([...options, '--resume'])).result, [1, 1, true], 'each is a new run');
          assert.equal(await read('users'), full);
        }
        const { result, stderr } = await start(['--resume']);
        assert.equal([result, await read('users')], [[0, 1, true], []]);
        assert.match(
          stderr,
          /"emptied","message":"\\"public.users\\" loses the items of an earlier run: this run has none"/,
        );
      } finally {
        await api.close();
      }
    })(),
  ));

run.run();
