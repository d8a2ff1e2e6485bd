/** A run that several members share at one PostgreSQL, in all modes: kills and suspended processes included. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { mustReject } from '../../sinks/conformance/watched.js';
import type { Earlier, Sink } from '../../sinks/contract.js';
import { calm, pageEnd, rejection } from '../sinks/lib.js';
import { mulberry32 } from '../support/mulberry32.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { begun } from './lib.js';
import { type Lent, typesIn, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

const theRun = 'run-0000-0000-00';

/** A process of a member. */
const member = (uri: string, name: string, part: Partial<Earlier> = {}): Promise<Sink> =>
  begun(uri, { run: theRun, member: name, ...part });

/** Stores a page of a member. */
async function put(sink: Sink, walk: string, page: number, items: readonly unknown[], dataType = 't'): Promise<void> {
  await sink.write(batchOf(dataType, items, { job: dataType, run: theRun, walk, page, offset: 0 }), calm);
  await sink.commit?.(pageEnd(dataType, { run: theRun, walk, page, keep: `k${page}`, count: items.length }), calm);
}

/** The last process of the run. */
async function publish(uri: string, part: Partial<Earlier> = {}, complete: readonly string[] = []): Promise<Sink> {
  const sink = await begun(uri, { run: theRun, phase: 'publishing', ...part });
  await sink.open?.('t', 't');
  await sink.close({ keep: new Set(), complete: new Set(complete) });
  return sink;
}

const rowsOf = async ({ sql }: Lent, columns: string, table = 't') =>
  (await sql(`SELECT concat_ws(' ', ${columns}) AS row FROM ${table} ORDER BY 1`)).map(({ row }) => row);

const modes = [
  ['?mode=append', ['1 a', '2 a', '2 b', '3 b', '9 old']],
  ['?mode=replace', ['1 a', '2 a', '2 b', '3 b']],
  ['?mode=merge&key=id', ['1 a', '2 b', '3 b', '9 old']],
  ['?mode=mirror&key=id', ['1 a', '2 b', '3 b']],
  ['?mode=history&key=id', ['1 a', '2 b', '3 b', '9 old']],
  ['?mode=append&log=true', ['1 a', '2 a', '2 b', '3 b', '9 old']],
] as const;

for (const form of ['item', 'typed']) {
  test(`members of one run fill one table, which the last process publishes once: columns=${form}`, () =>
    withPostgres(async (lent) => {
      for (const [index, [mode, expected]] of modes.entries()) {
        const schema = `mode_${index}`;
        const uri = lent.uri(`${mode}&columns=${form}&schema=${schema}`);
        const columns = form === 'typed' ? 'id, v' : `item ->> 'id', item ->> 'v'`;
        const rows = () => rowsOf(lent, columns, `${schema}.t`);
        const before = await begun(uri, { run: 'before' });
        await before.open?.('t', 't');
        await put(before, '0', 0, [{ id: 9, v: 'old' }]);
        await before.close();
        const [a, b] = await Promise.all([member(uri, 'J0-P0'), member(uri, 'J0-P1')]);
        await Promise.all([a.open?.('t', 't'), b.open?.('t', 't')]);
        await put(a, '0/0', 0, [
          { id: 1, v: 'a' },
          { id: 2, v: 'a' },
        ]);
        await put(b, '0/1', 0, [
          { id: 2, v: 'b' },
          { id: 3, v: 'b' },
        ]);
        assert.equal([...((await a.positions?.()) ?? [])], [['0', 'k0']]);
        for (const sink of [a, b]) await sink.leave?.();
        if (!mode.includes('log')) assert.equal(await rows(), ['9 old'], mode);
        await publish(uri, {}, ['t']);
        assert.equal(await rows(), expected, mode);
        await publish(uri, { epoch: 2 }, ['t']);
        assert.equal(await rows(), expected, mode);
        const staged = `SELECT FROM pg_tables WHERE schemaname = '${schema}' AND tablename ~ '^rxtract_[0-9a-f]{16}_'`;
        assert.equal([await lent.sql(staged), await lent.sql(`SELECT FROM ${schema}.rxtract_lanes`)], [[], []]);
      }
    }));
}

test('members add and widen columns of one table side by side, and no value changes', () =>
  withPostgres(async (lent) => {
    const uri = lent.uri('?columns=typed&type=json');
    const values = [7, 2.5, '007', ['x'], true, null, 12345678901234567890n, '2024-01-01'];
    const seed = Number(process.env.SEED ?? Date.now() % 100_000);
    console.log(`seed ${seed}`);
    const random = mulberry32(seed);
    const pick = () => values[random() % values.length];
    const itemOf = (id: string) => ({ id, a: pick(), [`b${random() % 5}`]: pick() });
    const all = [0, 1, 2].map((number) =>
      Array.from({ length: 6 }, (_, page) => Array.from({ length: 4 }, (_, n) => itemOf(`${number}-${page}-${n}`))),
    );
    const names = all.map((_, number) => `J${number}`);
    const sinks = await Promise.all(names.map((name) => member(uri, name)));
    await Promise.all(
      sinks.map(async (sink, number) => {
        await sink.open?.('t', 't');
        for (const [page, items] of (all[number] ?? []).entries()) await put(sink, `0/${number}`, page, exact(items));
        await sink.leave?.();
      }),
    );
    await publish(uri);
    const alone = lent.uri('?columns=typed&type=json&schema=alone');
    const one = await begun(alone, { run: 'alone' });
    await one.open?.('t', 't');
    for (const [number, pages] of all.entries())
      for (const [page, items] of pages.entries()) {
        await one.write(batchOf('t', exact(items), { run: 'alone', walk: `0/${number}`, page }), calm);
        await one.commit?.(pageEnd('t', { run: 'alone', keep: `${number} ${page}`, count: items.length }), calm);
      }
    await one.close();
    const [mine, theirs] = await Promise.all(['public', 'alone'].map((schema) => valuesIn(lent, schema)));
    assert.equal(mine, theirs);
  }));

test('a column that another member has widened since is read again', () =>
  withPostgres(async (lent) => {
    const uri = lent.uri('?columns=typed&type=json');
    const [a, b] = await Promise.all([member(uri, 'a'), member(uri, 'b')]);
    for (const sink of [a, b]) await sink.open?.('t', 't');
    await put(a, '0/0', 0, [{ a: 7 }]);
    await put(b, '0/1', 0, [{ a: 8 }]);
    await put(a, '0/0', 1, [{ a: [1] }]);
    await put(b, '0/1', 1, [{ a: 'x' }]);
    await put(b, '0/1', 2, [{ a: '8' }]);
    for (const sink of [a, b]) await sink.leave?.();
    await publish(uri);
    assert.is(await typesIn(lent, 't'), 'a json');
    assert.equal(await rowsOf(lent, 'a'), ['"8"', '"x"', '7', '8', '[1]']);
  }));

/** Whole numbers of 64 bits are texts of digits in JSON. */
const exact = (items: readonly Record<string, unknown>[]) =>
  items.map(
    (item) =>
      new Map(Object.entries(item).map(([key, value]) => [key, typeof value === 'bigint' ? String(value) : value])),
  );

/** By id and column: the text of each value. */
async function valuesIn({ sql }: Lent, schema: string): Promise<readonly string[]> {
  const rows = await sql(
    `SELECT id, key, value FROM ${schema}.t, json_each_text(to_json(t)) WHERE value IS NOT NULL ORDER BY 1, 2`,
  );
  return rows.map(({ id, key, value }) => `${id} ${key} ${value}`);
}

test('tables of lists of several members are published together', () =>
  withPostgres(async (lent) => {
    const uri = lent.uri('?columns=typed&lists=tables&mode=merge&key=id');
    const [a, b] = await Promise.all([member(uri, 'a'), member(uri, 'b')]);
    await Promise.all([a, b].map((sink) => sink.open?.('t', 't')));
    await Promise.all([
      put(a, '0/0', 0, [{ id: 1, tags: [{ n: 1 }, { n: 2 }] }]),
      put(b, '0/1', 0, [{ id: 2, tags: [{ n: 3 }], notes: [{ text: 'x' }] }]),
    ]);
    for (const sink of [a, b]) await sink.leave?.();
    await publish(uri);
    assert.is((await lent.sql('SELECT FROM t')).length, 2);
    const tables = await lent.sql(`SELECT tablename FROM pg_tables WHERE tablename ~ '^t_' ORDER BY 1`);
    const counts = await Promise.all(
      tables.map(async ({ tablename }) => `${tablename} ${(await lent.sql(`SELECT FROM "${tablename}"`)).length}`),
    );
    assert.equal(counts, ['t__notes 1', 't__tags 3']);
    assert.match(await typesIn(lent, 't'), /id bigint/);
  }));

test('a member that is suspended in a large page neither stops the last process nor stores anything', () =>
  withPostgres(async (lent) => {
    const uri = lent.uri('?columns=item&type=json');
    const old = await member(uri, 'a');
    await old.open?.('t', 't');
    // Its transaction is open.
    await old.write(batchOf('t', ['x'.repeat(17 << 20)], { run: theRun, walk: '0/0' }), calm);
    const next = await member(uri, 'a', { epoch: 2 });
    await next.open?.('t', 't');
    await put(next, '0/0', 0, [1]);
    await next.leave?.();
    await publish(uri);
    await mustReject(Promise.resolve(old.commit?.(pageEnd('t', { run: theRun, keep: 'k' }), calm)), 'it was accepted');
    await old.abort(undefined);
    assert.equal(await lent.read('t'), ['1']);
  }));

test('a process has a run alone, or shares it', () =>
  withPostgres(async ({ uri }) => {
    await begun(uri(), { run: theRun, epoch: 1 });
    await rejection(member(uri(), 'a', { epoch: 5 }), 'ERR_RESUME', /another process has resumed this run/);
  }));

test('the last process publishes when no member has stored anything', () =>
  withPostgres(async (lent) => {
    const uri = lent.uri();
    const a = await member(uri, 'a');
    await a.open?.('t', 't');
    await a.leave?.();
    await publish(uri, { member: 'publish' });
    assert.equal(await lent.read('t'), []);
    assert.is((await lent.sql('SELECT FROM t')).length, 0);
    await rejection(member(uri, 'a', { epoch: 2 }), 'ERR_RESUME', /the run "run-0000-0000-00" has ended/);
  }));

const child = fileURLToPath(new URL('postgres-member.ts', import.meta.url));

/** A process of the operating system. `last`: it commits so many pages before the one at which it is ended. */
function spawned(uri: string, name: string, epoch: number, last: number): ChildProcess {
  return fork(child, [uri, name, String(epoch), String(last)], { execArgv: process.execArgv });
}

test('processes that are killed and suspended lose nothing, and store nothing twice', () =>
  withPostgres(async (lent) => {
    const uri = lent.uri('?mode=append&columns=typed');
    const suspended: ChildProcess[] = [];
    const names = ['a', 'b', 'c'];
    await Promise.all(
      names.map(async (name, number) => {
        for (const epoch of [1, 2, 3]) {
          const each = spawned(uri, name, epoch, epoch - 1);
          await once(each, 'message');
          const isKilled = (number + epoch) % 2 === 0;
          each.kill(isKilled ? 'SIGKILL' : 'SIGSTOP');
          if (!isKilled) suspended.push(each);
        }
        const [code] = await once(spawned(uri, name, 4, -1), 'exit');
        assert.is(code, 0);
      }),
    );
    await publish(uri);
    const rows = await rowsOf(lent, 'id');
    const ids = names.flatMap((name) =>
      Array.from({ length: 12 }, (_, page) => [`${name}-${page}-0`, `${name}-${page}-1`]),
    );
    assert.equal(rows, ids.flat().sort());
    const ends = suspended.map((each) => once(each, 'exit'));
    for (const each of suspended) {
      each.kill('SIGCONT');
      each.send('continue');
    }
    for (const [code] of await Promise.all(ends)) assert.is(code, 3, 'it was refused');
    assert.equal(await rowsOf(lent, 'id'), rows);
  }));

run.run();
