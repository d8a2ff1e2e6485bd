/**
 * Random configurations, drawn from the tables of keys: at some place, some of its keys get values that fit them, or do
 * not.
 */
import fc from 'fast-check';
import { type Exact, fromPlain } from '../../../src/core/json/exact.js';
import type { Kind, OptionRow } from '../../../src/core/options/kind.js';
import { attributesIn, overlaid, type Place, places } from './places.js';

const childOf = (placeholders: unknown) => [{ endpoint: 'x/{id}', placeholders }];

/** For every kind of value something that fits and something that does not. */
const values: readonly Exact[] = [
  ...[null, false, true, 0, 1, 2, -1, 1.5, 100, '', '0', '5', '-3', 'x', 'a.b', 'run', 'post', 'GET', 'json', 'é😀'],
  ...['https://api.example.com', 'HTTP://x/y?z', 'ftp://x', 'users/7', [], {}, [1], ['x'], [429, '503'], [1.5], [null]],
  ...[
    ['variables', 'after'],
    ['variables', ''],
    ['a', 1],
  ],
  ...[['https://a.example'], [[]], [{}], [{ endpoint: 'x' }], { a: { endpoint: 'x' } }, [{ endpoint: 'x', y: 1 }]],
  ...[[{ attr: 'key' }], { x: 1 }, { path: 'a' }, { path: 'a', delimiter: '/' }, { path: '' }, { 'a b': 'x' }],
  ...[{ x: ['é', 1] }, { x: '😀' }, { attr: 'key' }, { attr: null }, { x: { attr: 'key' } }, { x: { attr: {} } }],
  ...[{ x: { attr: 'key', y: 1 } }, { x: [{ attr: [] }] }, { x: { y: { attr: true } } }, { x: { y: [{ attr: 0 }] } }],
  ...[{ response: 'token' }, { response: 'a', relative: true }, { response: 'a', relative: 'x' }, { response: '' }],
  ...[{ x: { response: 'a' } }, { x: { response: null } }, { x: { time: 'currentStart' } }, { x: { time: [] } }],
  ...[{ function: 'sha1', args: ['x'] }, { x: { function: 'sha1', args: ['x'] } }, { x: { function: 'sha1' } }],
  ...[{ x: { function: 'sha1', args: { a: { attr: 'key' } } } }, { x: { function: 'sha1', args: ['x', 'y'] } }],
  ...[{ x: { function: 'none' } }, { x: { function: 'concat', args: null } }, { x: { function: 'concat', argz: [] } }],
  ...[{ x: { function: 'concat', args: [{ function: 'concat', args: 'x' }] } }, { x: { function: 5 } }],
  ...[{ a: { method: 'pagenum' } }, { a: {} }, { a: { method: 'x' } }, { a: 1 }, { a: { limitStop: { count: 1 } } }],
  ...[childOf({ id: 'id' }), childOf({ id: 5, 'b:x': '' }), childOf([]), childOf('id'), childOf({ id: { path: 'a' } })],
  ...[childOf({ id: { path: 'a', placeholder: 'value' } }), childOf({ id: { placeholder: 'value' } })],
  ...[childOf({ id: { path: 'a', function: 'urlencode', args: [{ placeholder: 'value' }] } })],
  ...[
    childOf({ id: { path: 'a', function: 'urlencode' } }),
    childOf({ id: { path: 'a', function: 'concat', args: 5 } }),
  ],
  ...[childOf({ id: { path: 'a', function: 'none' } }), childOf({ id: { path: 'a', function: 'concat', more: 1 } })],
].map((value) => fromPlain(value));

const any = fc.constantFrom(...values);

/** What a struct itself takes. One that leaves the check to a reader takes all. */
function fitting({ struct }: Kind<unknown>): fc.Arbitrary<Exact> {
  const fit = values.filter((value) => struct.validate(value, { coerce: true })[0] === undefined);
  return fit.length === 0 ? any : fc.constantFrom(...fit);
}

const valueFor = ({ kind }: OptionRow): fc.Arbitrary<Exact> =>
  fc.oneof({ weight: 3, arbitrary: fitting(kind) }, { weight: 1, arbitrary: any });

/** Some of the keys of a place, sometimes with an unknown one. */
function membersOf({ fields, isOpen }: Place): fc.Arbitrary<Exact> {
  const known = Object.entries(fields).map(([key, field]) => valueFor(field).map((value) => [key, value] as const));
  const stray = any.map((value) => ['noOneKnows', value] as const);
  const drawn = fc.oneof(...known.map((arbitrary) => ({ weight: 4, arbitrary })), {
    weight: isOpen ? 4 : 1,
    arbitrary: stray,
  });
  return fc.array(drawn, { minLength: 1, maxLength: 3 }).map((members) => new Map(members));
}

/** Configurations, bare or under `parameters`. */
export const configurations: fc.Arbitrary<Exact> = fc
  .oneof(...places().map((place) => membersOf(place).map((members) => overlaid(place.document, place.steps, members))))
  .chain((document) => {
    const attributes = new Map(attributesIn(document).map((key) => [key, 'a value']));
    const whole = overlaid(document, ['config'], attributes);
    return fc.constantFrom<Exact>(whole, whole, new Map([['parameters', whole]]));
  });
