/** Texts of one form are columns with a type: what other readers find, and what stays a text. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { pageCodecOf } from '../../../sinks/parquet/compression.js';
import { convert } from '../../../sinks/parquet/convert-file.js';
import { parquet } from '../../../sinks/parquet/parquet.js';
import { calm, inFolder } from '../lib.js';
import { nearlyTyped } from '../tables/typed-texts.js';
import { readParquet } from './read.js';

async function tableOf(dir: string, items: readonly object[], types: 'auto' | 'text' = 'auto') {
  const sink = parquet(dir, { types });
  await sink.write(batchOf('t', items), calm);
  await sink.close();
  return readParquet(join(dir, 't.parquet'));
}

const item = {
  day: '2024-02-29',
  at: '2024-01-02T03:04:05.120Z',
  local: '2024-01-02 03:04:05',
  id: '0123ABCD-0000-0000-0000-00000000FFFF',
  list: ['2024-01-01'],
};

test(
  'dates, dates with a time and UUIDs have types',
  inFolder(async (dir) => {
    const { types, rows, metadata } = await tableOf(dir, [item, { ...item, day: '1969-12-31' }]);
    assert.equal(types, {
      day: 'DATE',
      at: 'TIMESTAMP_MICROS',
      local: 'TIMESTAMP',
      id: 'UUID',
      'list.list.element': 'DATE',
    });
    const local = metadata.schema.find(({ name }) => name === 'local')?.logical_type;
    assert.equal(local, { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' });
    assert.equal(
      rows.map(({ day, at }) => [day, at]),
      [
        [new Date('2024-02-29'), new Date(item.at)],
        [new Date('1969-12-31'), new Date(item.at)],
      ],
    );
  }),
);

test(
  'types=text keeps texts, and so does what a type would not give back',
  inFolder(async (dir) => {
    const { types } = await tableOf(join(dir, 'a'), [item], 'text');
    assert.equal([...new Set(Object.values(types))], ['UTF8']);
    const near = Object.fromEntries(nearlyTyped.map((text, index) => [`x${index}`, text]));
    const nearly = await tableOf(join(dir, 'b'), [near]);
    assert.equal([...new Set(Object.values(nearly.types))], ['UTF8']);
    assert.equal(nearly.rows, [near]);
  }),
);

test(
  'an item beyond the sample that does not fit makes the column one of texts',
  inFolder(async (dir) => {
    const cases = [
      ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00+02:00'],
      ['2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00.50Z'],
      ['aaaaaaaa-0000-0000-0000-000000000001', 'AAAAAAAA-0000-0000-0000-000000000001'],
      ['2024-01-01', 5],
    ];
    for (const [index, [first, late]] of cases.entries()) {
      const [from, to] = [join(dir, `${index}/items`), join(dir, `${index}/t.parquet`)];
      mkdirSync(join(dir, String(index)));
      writeFileSync(from, [first, late].map((a) => `${JSON.stringify({ a })}\n`).join(''));
      const form = { dataType: 't', codec: pageCodecOf('snappy'), groupRows: 9, nestedAsJson: false, findsForms: true };
      await convert(from, to, { ...form, sampleBytes: 9, onLoneSurrogate: () => {} });
      const { types, rows } = await readParquet(to);
      assert.equal([types, rows], [{ a: 'UTF8' }, [{ a: first }, { a: String(late) }]]);
    }
  }),
);

test.run();
