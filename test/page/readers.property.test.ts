/**
 * Rows of JSON texts against the page scanner on the list of the same values: random values, whole and broken, in
 * random pieces.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../src/core/errors/errors.js';
import { jsonSeq, ndjson, type Reader } from '../../src/page/readers.js';
import type { ScanOptions } from '../../src/page/scanner/scanner.js';
import { mutationsOf } from './mutations.js';
import { isRow } from './oracles.js';
import { at, auto, type Outcome, pieces, scanBody, scanChunks } from './scanner-run.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);
const runs = (numRuns: number) => ({ seed, numRuns });

const names = fc.constantFrom('"a"', '"rows"', '"r\\u006fws"', '"\\"\\\\"', '"é漢😀"', '"__proto__"');
const scalars = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '1E+05', '123456789012345678901234567890', 'true', 'false', 'null', '""'),
  names,
  fc.constantFrom('"\\ud83d\\ude00"', '"\\ud800"', '"{[,:]}"', `"${'x'.repeat(70)}"`, '"\u2028\u2029"'),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => JSON.stringify(text)),
);
const separated = (parts: readonly (readonly string[])[]) =>
  parts.flatMap((part, index) => (index === 0 ? part : [',', ...part]));

/** A value as tokens, so that white space may be put between them. */
const { value } = fc.letrec<{ value: readonly string[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalars.map((token) => [token]),
    fc.array(tie('value'), { maxLength: 4 }).map((parts) => ['[', ...separated(parts), ']']),
    fc
      .array(fc.tuple(names, tie('value')), { maxLength: 4 })
      .map((members) => ['{', ...separated(members.map(([name, member]) => [name, ':', ...member])), '}']),
  ),
}));

const spaced = (space: fc.Arbitrary<string>) =>
  value.chain((tokens) =>
    fc.infiniteStream(space).map((gaps) => tokens.map((token) => (gaps.next().value ?? '') + token).join('')),
  );
const inLine = spaced(fc.constantFrom('', '', ' ', '\t', '\r', '   '));
const anywhere = spaced(fc.constantFrom('', '', ' ', '\n', '\r\n\t'));
const blanks = fc.array(fc.constantFrom('', ' ', '\r', '\t '), { maxLength: 2 });

interface Row {
  readonly reader: Reader;
  readonly body: string;
  readonly texts: readonly string[];
}

const lines: fc.Arbitrary<Row> = fc
  .tuple(fc.array(fc.tuple(blanks, inLine), { maxLength: 8 }), fc.boolean())
  .map(([rows, ends]) => ({
    reader: ndjson,
    body: rows.map(([before, text]) => [...before, text].join('\n')).join('\n') + (ends ? '\n' : ''),
    texts: rows.map(([, text]) => text),
  }));
const sequence: fc.Arbitrary<Row> = fc.array(fc.tuple(blanks, anywhere), { maxLength: 8 }).map((rows) => ({
  reader: jsonSeq,
  body: rows.map(([before, text]) => ['', ...before, `${text}\n`].join('\x1e')).join(''),
  texts: rows.map(([, text]) => text),
}));
const row = fc.oneof(lines, sequence);

const list = (texts: readonly string[]) => `[${texts.join(',')}]`;
const read = ({ reader, body }: Pick<Row, 'reader' | 'body'>, options: Partial<ScanOptions>, size: number) =>
  scanChunks(pieces(Buffer.from(body), size), options, reader.start);

const shown = ({ slabs: _, ...outcome }: Outcome) => outcome;
const sizes = fc.integer({ min: 1, max: 120 });
const captures = fc.array(
  fc.constantFrom('0', '1.rows', '0.rows.0', '2.a', 'rows', '1.__proto__').map((text) => text.split('.')),
  { maxLength: 3 },
);

test('returns what the scanner returns for the list of the values', () => {
  fc.assert(
    fc.property(
      row,
      captures,
      fc.boolean(),
      fc.constantFrom(1, 40, 1 << 20),
      sizes,
      (given, paths, isWhole, batch, size) => {
        const options = { captures: paths, fingerprint: true, batchBytes: batch };
        const expected = scanBody(list(given.texts), { ...options, dataField: at() });
        assert.equal(shown(read(given, { ...options, dataField: isWhole ? at() : auto }, size)), shown(expected));
      },
    ),
    runs(1000),
  );
});

test('returns by path what the scanner returns by it for each value, one after the other', () => {
  let found = 0;
  fc.assert(
    fc.property(row, fc.constantFrom('rows', 'rows.0', '0', 'a.rows', '__proto__'), sizes, (given, text, size) => {
      const dataField = at(...text.split('.'));
      const each = given.texts.map((value) => scanBody(value, { dataField }));
      const items = each.flatMap((outcome) => outcome.items);
      const outcome = read(given, { dataField, fingerprint: true, batchBytes: 50 }, size);
      assert.equal(outcome.items, items);
      assert.is(outcome.count, items.length);
      assert.equal(
        outcome.chain,
        scanBody(list(given.texts), { dataField: at(), fingerprint: true, batchBytes: 50 }).chain,
      );
      found += items.length;
    }),
    runs(800),
  );
  assert.ok(found > 150, `${found} found`);
});

const mutated = mutationsOf(
  lines.map(({ body }) => body),
  3,
);

/** What reading shows, or the fault it ends with. */
function outcome(body: Uint8Array, chunks: Iterable<Uint8Array>): unknown {
  try {
    return shown(scanChunks(chunks, { fingerprint: true }, ndjson.start));
  } catch (thrown) {
    if (!(thrown instanceof ExtractError)) throw thrown;
    const { offset = -1 } = thrown.where;
    assert.ok(thrown.code !== 'ERR_INTERNAL' && offset >= 0 && offset <= body.length, thrown.message);
    return thrown.message;
  }
}

test('accepts and rejects lines as JSON.parse does', () => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(mutated, sizes, (body, size) => {
      const isValid = isRow(body);
      if (isValid) accepted++;
      else refused++;
      assert.is(typeof outcome(body, pieces(body, size)) !== 'string', isValid);
    }),
    runs(2000),
  );
  assert.ok(accepted > 200 && refused > 200, `${accepted} accepted, ${refused} refused`);
});

test('returns the same at every split, errors too', () => {
  fc.assert(
    fc.property(
      mutated.filter((body) => body.length < 150),
      (body) => {
        const whole = outcome(body, [body]);
        for (let cut = 0; cut <= body.length; cut++)
          assert.equal(outcome(body, [body.subarray(0, cut), body.subarray(cut)]), whole);
        assert.equal(outcome(body, pieces(body, 1)), whole);
      },
    ),
    runs(150),
  );
});

const unclosed = ['0"\r]\n""\n', '0"\n""\n', '{}"a\n1\n', '""""\n""\n'];

for (const text of unclosed) {
  test(`an open string after a value is an error of its own line, at every split: ${JSON.stringify(text)}`, () => {
    const body = Buffer.from(text);
    const whole = outcome(body, [body]);
    assert.type(whole, 'string');
    for (let size = 1; size < body.length; size++) assert.is(outcome(body, pieces(body, size)), whole);
  });
}

test.run();
