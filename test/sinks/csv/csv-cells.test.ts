/** Cells from the bytes of JSON strings, compared with cells from their parsed texts. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCells } from '../../../sinks/csv/csv-cells.js';
import { createBytes } from '../../../sinks/growing-bytes.js';
import { mulberry32 } from '../../support/mulberry32.js';

/** Pieces of JSON strings, as they are written there. */
const pieces = [
  ...['a', '1', ' ', ',', ';', '=', '-', "'", 'č', '€', '😀', '/'],
  ...['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t'],
  ...['\\u0000', '\\u0022', '\\u002c', '\\u003d', '\\u007f', '\\u0080', '\\u07ff', '\\u0800', '\\u20ac', '\\uffff'],
  ...['\\ud83d\\ude00', '\\ud800', '\\udfff'],
];

function expected(text: string, delimiter: string, escapesFormulas: boolean): string {
  const whole = Buffer.from(text).toString();
  const safe = escapesFormulas && /^[=+\-@\t\r']/.test(whole) ? `'${whole}` : whole;
  const needsQuotes = safe === '' || [...'"\r\n', delimiter].some((each) => safe.includes(each));
  return needsQuotes ? `"${safe.replaceAll('"', '""')}"` : safe;
}

for (const delimiter of [',', ';', '\t']) {
  for (const escapesFormulas of [false, true]) {
    const title = `delimiter ${JSON.stringify(delimiter)}${escapesFormulas ? ', formulas escaped' : ''}`;
    test(`a JSON string becomes the cell of its text: ${title}`, () => {
      const seed = Math.floor(Math.random() * 2 ** 31);
      console.log(`seed ${seed}`);
      const next = mulberry32(seed);
      let halves = 0;
      const { writeNext } = createCells({
        delimiter: delimiter.charCodeAt(0),
        escapesFormulas,
        onLoneSurrogate() {
          halves += 1;
        },
      });
      for (let round = 0; round < 5000; round++) {
        const raw = Array.from({ length: next() % 5 }, () => pieces[next() % pieces.length]);
        const json = `"${raw.join('')}"`;
        const out = createBytes(1);
        const before = halves;
        assert.is(writeNext(Buffer.from(`${json},`), 0, out), Buffer.byteLength(json));
        const text: string = JSON.parse(json);
        assert.is(out.take().toString(), expected(text, delimiter, escapesFormulas), json);
        assert.is(halves - before, /\p{Surrogate}/u.test(text) ? 1 : 0, json);
      }
    });
  }
}

test.run();
