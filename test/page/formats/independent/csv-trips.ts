/** CSV against the module csv of Python: it reads what our tables are written as, and writes tables that we read. */
import * as assert from 'uvu/assert';
import { readFormat, valuesOf } from '../format-run.js';
import { itemsOfTable, type RandomCsv, randomCsv } from '../random-csv.js';
import { inPython, seedsFrom, sizesFor } from './python.js';

const program = `
import csv, io
csv.field_size_limit(1 << 30)
def each(case):
    form = {'delimiter': case['delimiter'], 'quotechar': case['quote'], 'doublequote': True, 'strict': True}
    source = io.StringIO(case['text'], newline='')
    read = [row for row in csv.reader(source, **form) if row]
    made = io.StringIO(newline='')
    writer = csv.writer(made, quoting=case['quoting'], lineterminator=case['end'], **form)
    writer.writerows([case['names']] + case['table'])
    return {'read': read, 'written': made.getvalue()}
`;

interface PythonCsv {
  readonly read: readonly (readonly string[])[];
  readonly written: string;
}

const ALL = 1;
/** Of minimal, all, and all but numbers. */
const quotings = [0, ALL, 2];
const ends = ['\r\n', '\n', '\r'];

/** Throws for the first seed of so many with another result. */
export function csvTrips(first: number, count: number): void {
  const cases = seedsFrom(first, count).map((seed) => ({ seed, ...randomCsv(seed) }));
  const results = inPython(
    program,
    cases.map(({ seed, table, names, text, response }) => ({
      ...{ table, names, text: text.replace(/^\ufeff/, ''), ...waysOf(seed) },
      ...{ delimiter: response.delimiter, quote: response.quote },
    })),
  );
  for (const [at, made] of cases.entries()) compare(made.seed, made, results[at] as PythonCsv); // as the program says
}

/** Python leaves a return without quotes, unless it is a part of the line end. */
function waysOf(seed: number): { readonly quoting: number | undefined; readonly end: string | undefined } {
  const at = (seed >> 2) % 3;
  return { quoting: at === 0 ? quotings[seed % 3] : ALL, end: ends[at] };
}

function compare(seed: number, made: RandomCsv, python: PythonCsv): void {
  const expected = itemsOfTable(made);
  assert.equal(python.read, [made.names, ...made.table], `seed ${seed}: Python reads another table`);
  for (const text of [made.text, python.written]) {
    for (const size of sizesFor(seed, text.length)) {
      const found = valuesOf(readFormat(text, { response: made.response, size }));
      assert.equal(found, expected, `seed ${seed}, chunks of ${size}`);
    }
  }
}
