/** The automaton against looking for each value at each place. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createMatcher } from '../../../src/core/secrets/matcher.js';
import { mulberry32 } from '../../support/mulberry32.js';

/** At each byte of the text, the longest value that ends there and the longest beginning of one. */
function read(values: readonly string[], text: string) {
  const matcher = createMatcher(values);
  let state = 0;
  return [...Buffer.from(text)].map((byte) => {
    state = matcher.step(state, byte);
    return [matcher.endsAt(state), matcher.depthOf(state)];
  });
}

function lookedFor(values: readonly string[], text: string) {
  const bytes = Buffer.from(text).toString('latin1');
  const written = values.map((value) => Buffer.from(value).toString('latin1'));
  return Array.from({ length: bytes.length }, (_, at) => {
    const before = bytes.slice(0, at + 1);
    const whole = written.filter((value) => before.endsWith(value)).map(({ length }) => length);
    const begun = written.flatMap((value) =>
      Array.from({ length: value.length }, (_, length) => length + 1).filter((length) =>
        before.endsWith(value.slice(0, length)),
      ),
    );
    return [Math.max(0, ...whole), Math.max(0, ...begun)];
  });
}

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`finds what searching for each value finds, also nested and overlapping values (SEED=${seed})`, () => {
  const next = mulberry32(seed);
  for (let round = 0; round < 400; round += 1) {
    const letters = ['ab', 'abcé', 'abcdefgh'][next() % 3] ?? 'ab';
    const word = (most: number) =>
      Array.from({ length: 1 + (next() % most) }, () => [...letters][next() % [...letters].length]).join('');
    const values = Array.from({ length: 1 + (next() % 12) }, () => word(9));
    const text = word(60);
    assert.equal(read(values, text), lookedFor(values, text), `${values} in ${text}`);
  }
});

test('a plus and a blank are the same', () => {
  assert.equal(
    read(['a b', 'c+d'], 'a+bc d').map(([length]) => length),
    [0, 0, 3, 0, 0, 3],
  );
});

test('nothing is found of bytes that are no UTF-8', () => {
  const matcher = createMatcher(['abcd']);
  const states = [0x61, 0x62, 0xff, 0x63, 0xff].map((byte, _, all) => matcher.step(matcher.step(0, all[0] ?? 0), byte));
  assert.equal(states.map(matcher.endsAt), [0, 0, 0, 0, 0]);
  assert.is(matcher.depthOf(matcher.step(0, 0xff)), 0);
});

test('a repetitive value costs no more than another if it fails again and again', () => {
  const matcher = createMatcher([`${'a'.repeat(200_000)}x`]);
  let state = 0;
  const started = process.cpuUsage();
  for (let at = 0; at < 400_000; at += 1)
    state = matcher.step(at % 200_000 === 199_999 ? state : matcher.step(state, 0x61), 0x61);
  for (let at = 0; at < 2000; at += 1) matcher.step(state, 0x62);
  const { user } = process.cpuUsage(started);
  assert.ok(user < 5e6, `${user} microseconds`);
});

test.run();
