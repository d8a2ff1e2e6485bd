/** A select against a reference that parses: random items and selects, every digit, escapes, lists on the way. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { through } from '../../../sinks/decorators/through.js';
import { memory } from '../../../sinks/memory.js';
import { parseSelect, type SelectEntry } from '../../../sinks/select/parse-select.js';
import { selectMembers } from '../../../sinks/select/select-members.js';
import { createSelector } from '../../../sinks/select/selector.js';
import { type Items, joinItems } from '../../../src/core/model/batch.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { calm, rejection } from '../lib.js';

const itemsOf = (texts: readonly string[]): Items => joinItems(texts.map((text) => Buffer.from(`${text}\n`)));

function selected(select: string, ...texts: readonly string[]): readonly string[] {
  const { bytes, offsets, count } = createSelector(parseSelect(select).entries).select(itemsOf(texts));
  assert.is(offsets[count], bytes.length);
  return Array.from({ length: count }, (_, index) =>
    Buffer.from(bytes.subarray(offsets[index], (offsets[index + 1] ?? 1) - 1)).toString(),
  );
}

const user =
  '{"id":12345678901234567890,"name":"A\\u00e9","address":{"city":"X","zip":"1","geo":{"lat":1.50}},"tags":[1]}';

const cases: readonly [select: string, item: string, expected: string][] = [
  ['id', user, '{"id":12345678901234567890}'],
  ['name, id', user, '{"name":"A\\u00e9","id":12345678901234567890}'],
  ['address.city as city', user, '{"city":"X"}'],
  ['address.city', user, '{"address":{"city":"X"}}'],
  ['address.city, address.zip', user, '{"address":{"city":"X","zip":"1"}}'],
  ['address.geo.lat as lat, id as id', user, '{"lat":1.50,"id":12345678901234567890}'],
  ['address, !address.geo', user, '{"address":{"city":"X","zip":"1"}}'],
  ['address as a, !address.geo', user, '{"a":{"city":"X","zip":"1"}}'],
  ['address, address.geo.lat as lat', user, '{"address":{"city":"X","zip":"1","geo":{"lat":1.50}},"lat":1.50}'],
  ['!address, !tags', user, '{"id":12345678901234567890,"name":"A\\u00e9"}'],
  ['!address.geo.lat', '{"address":{"geo":{"lat":1}},"b":2}', '{"address":{"geo":{}},"b":2}'],
  ['*, name as title', '{"id":1,"name":"n","x":2}', '{"id":1,"x":2,"title":"n"}'],
  ['address.city as city, *', '{"city":"own","address":{"city":"X"}}', '{"city":"X","address":{"city":"X"}}'],
  ['name as id, id as name', '{"id":1,"name":"n"}', '{"id":"n","name":1}'],
  ['id as a, id as b', '{"id":1}', '{"a":1,"b":1}'],
  ['missing', '{"id":1}', '{}'],
  ['a.b', '{"a":null}', '{}'],
  ['a.b', '{"a":{"c":1}}', '{"a":{}}'],
  ['a.b', '{"a":[{"b":1,"c":2},3,{"c":4},[{"b":5}]]}', '{"a":[{"b":1},{},[{"b":5}]]}'],
  ['!a.b', '{"a":[{"b":1,"c":2},3,[]]}', '{"a":[{"c":2},3,[]]}'],
  ['a.b as c', '{"a":[{"b":1}]}', '{}'],
  ['!x', '{}', '{}'],
  ['*', '{"a":{"b":[]},"c":""}', '{"a":{"b":[]},"c":""}'],
  ['"a.b", "c, d" as "e\\"f"', '{"a.b":1,"c, d":2}', '{"a.b":1,"e\\"f":2}'],
  ['name', '{"n\\u0061me":1,"x":2}', '{"name":1}'],
  ['!name', '{"n\\u0061me":1,"x":"},{\\"name\\":1"}', '{"x":"},{\\"name\\":1"}'],
  ['id', '[1,2]', '[1,2]'],
  ['id', '"text"', '"text"'],
  ['as as as', '{"as":1}', '{"as":1}'],
  ['id', '{"id":1,"id":2}', '{"id":2}'],
  ['été', '{"été":1,"x":0}', '{"été":1}'],
];

for (const [select, item, expected] of cases) {
  test(`${select} of ${item}`, () => assert.equal(selected(select, item), [expected]));
}

test('items of other shapes follow each other', () => {
  assert.equal(selected('b, a', '{"a":1,"b":2}', '7', '{"b":3}', '{"c":0}', '{"b":4,"a":5}'), [
    ...['{"b":2,"a":1}', '7', '{"b":3}', '{}', '{"b":4,"a":5}'],
  ]);
});

const faults: readonly [select: string, message: RegExp][] = [
  ['', /expected a member at character 1, it ends there/],
  ['a,', /expected a member at character 3, it ends there/],
  ['a..b', /expected a member after the dot at character 3, found "\.b"/],
  ['a b', /expected a comma, "as" or the end at character 3, found "b"/],
  ['a as ', /expected a name after "as" at character 6/],
  ['"\\x"', /"\\x" is not a name: quotes contain a JSON string/],
  ['a, a', /"a" is given twice/],
  ['a.b, a.b', /"a\.b" is given twice/],
  ['a as x, b as x', /two members would be called "x": rename one with "as"/],
  ['x, b as x', /two members would be called "x"/],
  ['a, !a', /"a" is kept, and "!a" drops it/],
  ['a.b as c, !a', /"a\.b" is kept, and "!a" drops it/],
  ['*, *', /"\*" is given twice/],
  ['users:', /expected a member at character 7/],
];

for (const [select, message] of faults) {
  test(`explains what is wrong with "${select}"`, () =>
    rejection(() => parseSelect(select), 'ERR_USAGE', message).then());
}

test('reads the data type before the colon, quoted or not', () => {
  assert.is(parseSelect('users: id').dataType, 'users');
  assert.is(parseSelect('users/{id}.x : id').dataType, 'users/{id}.x');
  assert.is(parseSelect('"a: b": id').dataType, 'a: b');
  assert.is(parseSelect('id').dataType, undefined);
  assert.equal(parseSelect('!a').entries, [{ kind: 'all' }, { kind: 'drop', path: ['a'] }]);
});

test('names the paths that no item had', () => {
  const selector = createSelector(parseSelect('id, nmae, address.zip as zip, !passwrod').entries);
  assert.equal(selector.unseen(), []);
  selector.select(itemsOf(['{"id":1,"name":2,"address":{"zip":1}}']));
  assert.equal(selector.unseen(), [['nmae'], ['passwrod']]);
  assert.equal(selector.members(), ['id', 'name', 'address']);
});

test('is a transform before one sink, for one data type', async () => {
  const store = memory();
  const sink = through(store, selectMembers('users: id'));
  await sink.write(batchOf('users', [{ id: 1, name: 2 }]), calm);
  await sink.write(batchOf('orders', [{ id: 1, name: 2 }]), calm);
  assert.equal([store.items('users'), store.items('orders')], [[{ id: 1 }], [{ id: 1, name: 2 }]]);
});

type Plain = null | number | string | boolean | readonly Plain[] | { readonly [name: string]: Plain };
const isPlainObject = (value: Plain | undefined): value is { readonly [name: string]: Plain } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The meaning of a select over parsed items. */
function reference(entries: readonly SelectEntry[], item: Plain): Plain {
  if (!isPlainObject(item)) return item;
  const drops = entries.flatMap((entry) => (entry.kind === 'drop' ? [entry.path] : []));
  const keeps = entries.flatMap((entry) => (entry.kind === 'keep' && entry.as === undefined ? [entry.path] : []));
  const named = new Set(
    entries.flatMap((entry) => {
      if (entry.kind !== 'keep') return [];
      return [entry.as ?? entry.path[0], ...(entry.path.length === 1 ? [entry.path[0]] : [])];
    }),
  );
  const whole = (value: Plain, path: readonly string[]): Plain => within(value, path, true) ?? null;
  const within = (value: Plain, path: readonly string[], isWhole: boolean): Plain | undefined => {
    if (Array.isArray(value)) {
      return value.map((each: Plain) => within(each, path, isWhole)).filter((each) => each !== undefined);
    }
    if (!isPlainObject(value)) return isWhole ? value : undefined;
    const members = Object.entries(value).flatMap(([name, member]) => {
      const at = [...path, name];
      if (drops.some((drop) => same(drop, at))) return [];
      if (isWhole || keeps.some((keep) => same(keep, at))) return [[name, whole(member, at)] as const];
      const isOnWay = keeps.some((keep) => same(keep.slice(0, at.length), at));
      const part = isOnWay ? within(member, at, false) : undefined;
      return part === undefined ? [] : [[name, part] as const];
    });
    return Object.fromEntries(members);
  };
  const result: [string, Plain][] = [];
  const done = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === 'all') {
      for (const [name, value] of Object.entries(item)) {
        if (!named.has(name) && !drops.some((drop) => same(drop, [name]))) result.push([name, whole(value, [name])]);
      }
    } else if (entry.kind === 'keep' && entry.as !== undefined) {
      let value: Plain | undefined = item;
      for (const name of entry.path) {
        value = isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      }
      if (value !== undefined) result.push([entry.as, whole(value, entry.path)]);
    } else if (entry.kind === 'keep') {
      const [name = ''] = entry.path;
      const value = Object.hasOwn(item, name) && !done.has(name) ? item[name] : undefined;
      done.add(name);
      if (value === undefined) continue;
      const isWhole = keeps.some((keep) => same(keep, [name]));
      const part = within(value, [name], isWhole);
      if (part !== undefined) result.push([name, part]);
    }
  }
  return Object.fromEntries(result);
}

const same = (one: readonly string[], other: readonly string[]): boolean => one.join('\0') === other.join('\0');

test('random items and selects agree with the reference', () => {
  const seed = Number(process.env.SELECT_SEED ?? 4711);
  console.log(`seed ${seed} (set SELECT_SEED for another)`);
  const next = mulberry32(seed);
  const below = (most: number) => next() % most;
  const names = ['a', 'b', 'cc', 'd"d', 'é', 'as'];
  const pick = () => names[below(names.length)] ?? 'a';
  const value = (depth: number): Plain => {
    const kind = below(depth > 2 ? 5 : 8);
    if (kind === 0) return null;
    if (kind === 1) return below(100);
    if (kind < 5) return ['', 'x', '{"a":', '\\', ']', '\u0000', 'é'][below(7)] ?? '';
    if (kind === 5) return Array.from({ length: below(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: below(5) }, () => [pick(), value(depth + 1)]));
  };
  const path = () => Array.from({ length: 1 + below(3) }, pick);
  let agreed = 0;
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 1 + below(4) }, () => {
      const shown = path()
        .map((name) => JSON.stringify(name))
        .join('.');
      return ['*', shown, shown, `!${shown}`, `${shown} as ${JSON.stringify(pick())}`][below(5)];
    }).join(', ');
    let entries: readonly SelectEntry[];
    try {
      ({ entries } = parseSelect(text));
    } catch {
      continue;
    }
    const items = Array.from({ length: 4 }, () => value(0));
    const made = selected(text, ...items.map((item) => JSON.stringify(item)));
    for (const [index, item] of items.entries()) {
      const where = `${text} of ${JSON.stringify(item)}`;
      assert.is(made[index], JSON.stringify(reference(entries, item)), where);
      agreed += 1;
    }
  }
  assert.ok(agreed > 4000, `${agreed}`);
});

test.run();
