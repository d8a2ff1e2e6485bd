/**
 * The page scanner against `JSON.parse` and stream-json's verifier: random documents, whole and broken, in random
 * pieces.
 */
import fc from 'fast-check';
import { jsonVerifier } from 'stream-json/core/utils/verifier.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exactAt, stringifyExact } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import { mutationsOf } from './mutations.js';
import { isJson } from './oracles.js';
import { at, auto, failure, type Outcome, pieces, scanBody, scanChunks, WHOLE } from './scanner-run.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);
const runs = (numRuns: number) => ({ seed, numRuns });

/** A document as tokens, so that white space may be put between them. */
type Tokens = readonly string[];

const texts = [
  '',
  'a',
  'data',
  'dat\\u0061',
  'id',
  '0',
  '1',
  '__proto__',
  '\\"\\\\',
  '\\ud83d\\ude00',
  'é漢😀',
  '{[,:]}',
];
const numbers = [
  '0',
  '-0',
  '1',
  '12',
  '-1.5',
  '1e5',
  '1E+05',
  '0.0e-7',
  '123456789012345678901234567890',
  '10',
  '-20.25',
];

const string = fc
  .oneof(
    fc.constantFrom(...texts),
    fc.integer({ min: 10, max: 70 }).map((length) => 'x'.repeat(length)),
    fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => JSON.stringify(text).slice(1, -1)),
  )
  .map((text) => `"${text}"`);
const scalar = fc.oneof(string, fc.constantFrom(...numbers), fc.constantFrom('true', 'false', 'null'));

const separated = (parts: readonly Tokens[]) => parts.flatMap((part, index) => (index === 0 ? part : [',', ...part]));
const array = (parts: readonly Tokens[]): Tokens => ['[', ...separated(parts), ']'];
const object = (members: readonly (readonly [string, Tokens])[]): Tokens => [
  '{',
  ...separated(members.map(([name, value]) => [name, ':', ...value])),
  '}',
];

const { value } = fc.letrec<{ value: Tokens }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar.map((token) => [token]),
    fc.array(tie('value'), { maxLength: 5 }).map(array),
    fc.array(fc.tuple(string, tie('value')), { maxLength: 4 }).map(object),
  ),
}));

/** Mostly a page: an object with its list at 'data', and a member or two beside it. */
const page = fc
  .tuple(
    fc.array(fc.tuple(string, value), { maxLength: 2 }),
    fc.constantFrom('"data"', '"d\\u0061ta"', '"other"'),
    fc.oneof(fc.array(value, { maxLength: 6 }).map(array), value),
    fc.array(fc.tuple(fc.constantFrom('"meta"', '"data"', '"z"'), value), { maxLength: 1 }),
  )
  .map(([before, name, list, after]) => object([...before, [name, list], ...after]));
const document = fc.oneof({ weight: 4, arbitrary: page }, { weight: 1, arbitrary: value });

const space = fc.constantFrom('', '', ' ', '\n', '\r\n\t', '   ', ' '.repeat(33));
/** The document with white space between its tokens. */
const spaced = (tokens: Tokens) =>
  fc.infiniteStream(space).map((gaps) => tokens.map((token) => token + (gaps.next().value ?? '')).join(''));

const field = fc.constantFrom(auto, at('data'), at('data', '0'), at(), at('__proto__'), at('a'));
const path = fc.constantFrom(
  ...['data', 'data.0', 'data.1.id', 'data.1.a', 'meta', 'a', 'data.01', '__proto__', 'id.0'],
);
const captures = fc.array(
  path.map((text) => text.split('.')),
  { maxLength: 3 },
);

/** The text of a value without white space; it need not be valid. */
const compact = (text: string) =>
  text.replace(/("(?:[^"\\]|\\.)*")|\s+/gs, (_, token: string | undefined) => token ?? '');

/** What a scan shows, or the fault it ends with. */
function outcome(scan: () => Outcome): unknown {
  try {
    const { slabs: _, restarts: __, ...shown } = scan();
    return shown;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : thrown;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * stream-chain's `none`, which ends a stage's input, by its registered symbol: its type is a unique symbol over there.
 */
const endOfInput = Symbol.for('object-stream.none') as never;

function isVerified(body: Uint8Array): boolean {
  try {
    const verify: (text: never) => unknown = jsonVerifier();
    verify(decoder.decode(body) as never); // a stage takes text or its end
    verify(endOfInput);
    return true;
  } catch {
    return false;
  }
}

/** Every cut in two, and single bytes. */
const everySplit = (body: Buffer) => [
  ...Array.from({ length: body.length }, (_, cut) => [body.subarray(0, cut), body.subarray(cut)]),
  pieces(body, 1),
];

/** Bytes of the document with some of them removed and others put in. */
const mutated = mutationsOf(document.chain(spaced), 3);

test('accepts and rejects as JSON.parse does', () => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(mutated, fc.integer({ min: 1, max: 60 }), (body, size) => {
      const isValid = isJson(body);
      if (isValid) accepted++;
      else refused++;
      assert.is(failure(body, { dataField: at('data') }, size) === undefined, isValid);
    }),
    runs(4000),
  );
  assert.ok(accepted > 500 && refused > 500, `${accepted} accepted, ${refused} refused`);
});

test('accepts and rejects as the verifier of stream-json does', () => {
  fc.assert(
    fc.property(mutated, (body) => {
      assert.is(failure(body, { dataField: at('data') }) === undefined, isVerified(body));
    }),
    runs(2000),
  );
});

test('returns the same at every split: items, captures, chain and errors', () => {
  fc.assert(
    fc.property(
      mutated.filter((body) => body.length < 200),
      field,
      captures,
      (body, dataField, paths) => {
        const options = { dataField, captures: paths, fingerprint: true };
        const whole = outcome(() => scanBody(body, options));
        for (const chunks of everySplit(body))
          assert.equal(
            outcome(() => scanChunks(chunks, options)),
            whole,
          );
      },
    ),
    runs(150),
  );
});

test('returns the items with their own text', () => {
  fc.assert(
    fc.property(
      fc.array(value, { maxLength: 8 }).chain((items) =>
        fc.tuple(
          fc.constant(items),
          spaced(
            object([
              ['"x"', ['1']],
              ['"data"', array(items)],
            ]),
          ),
        ),
      ),
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom(1, 50, 1 << 20),
      ([items, text], size, batchBytes) => {
        const got = scanBody(text, { dataField: at('data'), batchBytes }, size);
        assert.equal(
          got.items,
          items.map((tokens) => tokens.join('')),
        );
      },
    ),
    runs(1500),
  );
});

test('captures what exactAt finds', () => {
  let present = 0;
  fc.assert(
    fc.property(
      document.chain(spaced),
      captures,
      fc.boolean(),
      fc.integer({ min: 1, max: 90 }),
      (text, paths, fingerprint, size) => {
        const root = parseExact(Buffer.from(text));
        const { captured } = scanBody(text, { dataField: at('data'), captures: paths, fingerprint }, size);
        for (const [index, segments] of paths.entries()) {
          const want = exactAt(root, segments);
          const got = captured[index];
          assert.is(got === undefined, want === undefined);
          if (got === undefined || want === undefined) continue;
          present++;
          assert.is(stringifyExact(parseExact(Buffer.from(got))), stringifyExact(want));
          assert.ok(compact(text).includes(got));
        }
      },
    ),
    runs(2500),
  );
  assert.ok(present > 300, `${present} captured`);
});

test('chains two documents alike exactly when they are equal up to white space', () => {
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(
      document.chain((tokens) => fc.tuple(spaced(tokens), spaced(tokens))),
      fc.constantFrom(at('data'), at(), at('a')),
      fc.integer({ min: 1, max: 90 }),
      ([one, two], dataField, size) => {
        const chain = (text: string, piece: number) =>
          `${JSON.stringify(dataField)}: ${scanBody(text, { dataField, fingerprint: true }, piece).chain}`;
        const expected = chain(one, WHOLE);
        assert.is(chain(two, size), expected);
        const source = compact(one);
        assert.is(seen.get(expected) ?? source, source);
        seen.set(expected, source);
      },
    ),
    runs(2000),
  );
});

test.run();
