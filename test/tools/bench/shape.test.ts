import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultShape, parseShape, shapeText } from '../../../src/tools/bench/shape.js';

test('without texts the shape is the default', () => {
  assert.equal(parseShape([]), defaultShape);
});

test('the last value of a key counts', () => {
  const { pages, latency, item, failures } = parseShape(['pages=5,latency=50', 'pages=7,item=tiny', 'failures=.05']);
  assert.equal({ pages, latency, item, failures }, { pages: 7, latency: 50, item: 'tiny', failures: 0.05 });
});

const refused: readonly (readonly [text: string, message: RegExp])[] = [
  ['page=5', /^--shape page: unknown; did you mean "pages"\?$/],
  ['x=5', /^--shape x: unknown: expected pages, items, /],
  ['pages', /^--shape pages: expected a whole number from 1 to 9999999, found ""$/],
  ['pages=0', /^--shape pages: expected a whole number from 1 to 9999999, found "0"$/],
  ['latency=5s', /^--shape latency: expected a whole number from 0 to 60000, found "5s"$/],
  ['failures=5', /^--shape failures: expected a share from 0 to 0.9, such as 0.05, found "5"$/],
  ['failures=x', /found "x"$/],
  ['item=tinny', /expected customer, tiny, text or numbers, found "tinny"; did you mean "tiny"\?$/],
  ['paging=none', /^--shape paging: expected page, offset, cursor or link, found "none"$/],
  ['pages=0,items=0', /^--shape pages: .*\n--shape items: /],
];
for (const [text, message] of refused) {
  test(`${text} is refused`, () => {
    assert.throws(
      () => parseShape([text]),
      (error: Error) => message.test(error.message),
    );
  });
}

test('a shape is named by how much there is, and what is unusual', () => {
  assert.is(shapeText(defaultShape), 'pages=200,items=1000');
  assert.is(shapeText({ ...defaultShape, items: 5, seed: 3 }), 'pages=200,items=5,seed=3');
});

test.run();
