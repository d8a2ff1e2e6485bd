/** The address of PostgreSQL sinks, and the same options in code. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { postgres } from '../../../sinks/postgres/postgres.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { rejection } from '../lib.js';

const faults: readonly [rest: string, message: RegExp][] = [
  ['h', /^postgres: expected the name of the database, as in postgres:\/\/localhost:5432\/db\?mode=append$/],
  ['h/', /expected the name of the database/],
  ['h/a/b', /^postgres: database: expected one name, in which a slash is written %2F, found "a\/b"$/],
  ['a,b/db', /^postgres: expected one host$/],
  ['h/db?schema=a%00', /"a\\u0000" cannot be the name of a schema: it contains U\+0000$/],
  ['h/db?mode=merge', /^postgres: mode=merge needs key=..., such as key=id$/],
  ['h/db?key=id', /^postgres: key needs mode=merge, mirror or history$/],
  ['h/db?mode=merge&key=id,,x', /^postgres: key: expected paths of members such as id or org.id, found "id,,x"$/],
  ['h/db?mode=merge&key=a%00', /^postgres: key: expected paths/],
  ['h/db?log=true', /^postgres: log=true needs mode=append$/],
  [
    'h/db?mode=replcae',
    /mode: expected replace, append, merge, mirror or history, found "replcae"; did you mean "replace"\?$/,
  ],
  ['h/db?type=text', /type: expected jsonb or json, found "text"/],
  ['h/db?sslmode=require&ca=x', /^postgres: ca needs sslmode=verify-ca or verify-full: with require no certificate/],
  ['h/db?sslmode=disable&ca=x', /ca, cert and certkey need a connection with TLS: leave out sslmode=disable$/],
  ['h/db?table=x', /^postgres: unknown option "table": expected schema, /],
];

for (const [rest, message] of faults) {
  test(`explains what is wrong with postgres://${rest}`, async () => {
    await rejection(() => sinkFromUri(`postgres://${rest}`), 'ERR_USAGE', message);
  });
}

for (const rest of [
  'h/db?mode=append&log=true',
  'h/db?sslmode=verify-ca&ca=x',
  'h/db?ca=x',
  'h/db?sslmode=disable',
  'h/db?type=json',
]) {
  test(`accepts postgres://${rest}, and opens no connection`, async () => {
    const sink = sinkFromUri(`postgres://${rest}`);
    assert.is(sink.recovery, 'transaction');
    await sink.abort(new Error('not begun'));
  });
}

test('a user alone is a name, and a password is a secret', () => {
  const alone = sinkFromUri('postgresql://postgres@h/db');
  assert.equal([alone.name, alone.secrets], ['postgresql://***@h/db', []]);
  const { secrets } = sinkFromUri('postgres://u:p%40ss@h/db');
  assert.ok(secrets?.includes('p@ss'));
});

test('in code the options are those of the address', async () => {
  const sink = postgres({ server: 'h:1', database: 'a b', user: 'u', mode: 'merge', key: 'id', create: false });
  assert.equal([sink.name, sink.recovery], ['postgres://***@h:1/a%20b?mode=merge&key=id&create=false', 'transaction']);
  assert.not.ok(sink.secrets?.includes('u'));
  await rejection(() => postgres({ server: 'h', database: '' }), 'ERR_USAGE', /the option "database" needs a value/);
});

test.run();
