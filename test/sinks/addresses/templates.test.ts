/** Names with placeholders: what they are for each item, and what is wrong with others. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { countTargets, mostTargets, readTemplate } from '../../../sinks/addresses/templates.js';
import { batchOf } from '../../../sinks/batch.js';
import { rejection } from '../lib.js';

const options = { what: 'the subject', escape: (value: string) => value.replaceAll('.', '_') };
const batch = batchOf(
  'a.b',
  [
    { to: 'x.y', n: { id: 12345678901234567890n.toString() } },
    { to: true, n: { id: 1.5 } },
  ],
  { job: 'j' },
);

test('a name without placeholders never changes', () => {
  const name = readTemplate('items.%7Ball%7D', options);
  assert.is(name.isConstant, true);
  assert.equal(name.findNames(batch), ['items.{all}', 'items.{all}']);
  assert.is(name.text, 'items.{all}');
});

test('placeholders are replaced by escaped values', () => {
  const name = readTemplate('{job}.{dataType}.{item.to}.{item.n.id}', options);
  assert.equal(name.findNames(batch), ['j.a_b.x_y.12345678901234567890', 'j.a_b.true.1_5']);
  assert.equal([name.isConstant, name.readsItems], [false, true]);
  assert.is(name.pattern('*'), '*.*.*.*');
});

test('a name of data types is one for all items', () => {
  const name = readTemplate('q.{dataType}.{job}', options);
  assert.is(name.nameOf(batch), 'q.a_b.j');
  assert.equal(name.findNames(batch), ['q.a_b.j', 'q.a_b.j']);
  assert.is(name.readsItems, false);
  const percent = readTemplate('q.{dataType}.{job}', { ...options, escape: encodeURIComponent });
  assert.is(percent.summaryOf('a b'), 'q.a%20b.*');
  const bytes = readTemplate('q.{job}', { ...options, escape: (value) => Buffer.from(value).toString('hex') });
  assert.is(bytes.summaryOf('a'), 'q.*');
});

for (const item of [{}, { to: null }, { to: '' }, { to: {} }, { to: [] }, [1], 'x']) {
  test(`an item may have no name, for a reason: ${JSON.stringify(item)}`, () => {
    const names = readTemplate('{item.to}', options).findNames(batchOf('t', [item, { to: 'x' }]));
    assert.equal(names, [{ reason: 'has no text, number or boolean at "to", which the subject needs' }, 'x']);
  });
}

const faults: readonly [text: string, message: RegExp][] = [
  [
    '{datatype}',
    /^the subject: unknown placeholder "\{datatype\}": expected \{dataType\}, \{job\}, \{item.PATH\}; did you mean "dataType"\?$/,
  ],
  ['{}', /unknown placeholder/],
  ['{item.}', /unknown placeholder/],
  ['{item.a..b}', /unknown placeholder/],
  ['a{b', /^the subject: a brace that is no placeholder is written %7B or %7D$/],
];
for (const [text, message] of faults) {
  test(`explains ${text}`, () => rejection(() => readTemplate(text, options), 'ERR_USAGE', message).then());
}

test('items may be left out of a name', () =>
  rejection(
    () => readTemplate('{item.a}', { ...options, withoutItems: true }),
    'ERR_USAGE',
    /expected \{dataType\}, \{job\}$/,
  ).then());

test('a run has 1,000 names, and no more', async () => {
  const targets = countTargets('the subject');
  for (let n = 0; n < mostTargets; n++) assert.is(targets.add(String(n)), true);
  assert.is(targets.add('7'), false);
  const error = await rejection(
    () => targets.add('more'),
    'ERR_SINK',
    /^the subject has more than 1000 different values in this run$/,
  );
  assert.match(error.where.remedy ?? '', 'Use a placeholder of --to with fewer different values');
});

test.run();
