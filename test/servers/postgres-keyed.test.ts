/** `mode=mirror` and `mode=history` in a real PostgreSQL: the tables of a model, and what does not fit. */
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { sinkFromUri } from '../../sinks/registry.js';
import { rejection } from '../sinks/lib.js';
import { checkPulls, pullItems } from '../sinks/tables/random-pulls.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { type Lent, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

const tableOf = ({ uri, sql }: Lent, more = '') => ({
  sink: (options: string) => sinkFromUri(uri(`?${options}${more}`)),
  drop: () => sql('DROP TABLE IF EXISTS t'),
  async read(form: string, column: string | undefined) {
    const columns = (await sql(`SELECT attname FROM pg_attribute WHERE attrelid = 't'::regclass`)).map(
      (each) => each.attname,
    );
    if (form === 'typed' && !columns.includes('id')) return [];
    const name = form === 'item' ? `item ->> 'name'` : columns.includes('name') ? 'name' : 'NULL';
    const rows = await sql(
      `SELECT ${form === 'item' ? `item ->> 'id'` : 'id'} AS id, ${name} AS name, ${column === undefined ? 'true' : `${column} IS NULL`} AS now FROM t`,
    );
    return rows.map(({ id, name, now }) => `${id} ${name ?? ''} ${now}`);
  },
});

test('a table is that of a model after random pulls, with seeds 1 and 2', () =>
  withPostgres(async (lent) => {
    await checkPulls(tableOf(lent), 1);
    await checkPulls(tableOf(lent, '&type=json'), 2);
  }));

test('a version ends at the time from which the next one counts', () =>
  withPostgres(async ({ uri, sql }) => {
    const history = () => sinkFromUri(uri('?columns=typed&mode=history&key=id'));
    await pullItems(history(), [{ id: 1, name: 'a' }], true);
    await pullItems(history(), [{ id: 1, name: 'b' }], true);
    const [found] = await sql(`SELECT count(*)::int AS rows, count(valid_to)::int AS ended,
      max(valid_to) = max(valid_from) AS joined FROM t`);
    assert.equal(found, { rows: 2, ended: 1, joined: true });
  }));

test('a table and items that do not fit the mode are refused', () =>
  withPostgres(async ({ uri, sql }) => {
    const sink = (options: string) => sinkFromUri(uri(`?columns=typed&${options}`));
    await sql('CREATE TABLE t (id bigint)');
    const plain = () => pullItems(sink('mode=history&key=id'), [{ id: 1 }], true);
    await rejection(plain, 'ERR_SINK', /the table "public.t" has no column "valid_from", which mode=history needs/);
    const noIndex = () => pullItems(sink('mode=mirror&key=id'), [{ id: 1 }], true);
    await rejection(noIndex, 'ERR_SINK', /has no unique index on the key/);
    await sql('DROP TABLE t');
    const items = [{ id: 1, gone: 1 }];
    const own = () => pullItems(sink('mode=mirror&key=id&deleted=gone'), items, true);
    await rejection(own, 'ERR_SINK', /items have a member for the column "gone" of the table "public.t"/);
  }));

run.run();
