import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments } from '../../src/cli/arguments.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { flag, text, word } from '../../src/core/options/kinds.js';
import { listOf } from '../../src/core/options/object-kinds.js';

const options = {
  to: { kind: listOf(text, 'texts'), value: 'URI', summary: '' },
  strict: { kind: flag, summary: '' },
  log: { kind: word('text', 'json'), summary: '' },
};

const refused = [
  { words: ['--tow', 'x'], says: 'unknown option "--tow"; did you mean "--to"?' },
  { words: ['--stict'], says: 'unknown option "--stict"; did you mean "--strict"?' },
  { words: ['--zzzzzz'], says: 'unknown option "--zzzzzz"' },
  { words: ['-x'], says: 'unknown option "-x"' },
  { words: ['--no-strict'], says: 'unknown option "--no-strict"; did you mean "--strict"?' },
  { words: ['--constructor'], says: 'unknown option "--constructor"' },
  { words: ['--to'], says: '--to needs a value: --to URI' },
  { words: ['--to', '--strict'], says: '--to needs a value: --to URI' },
  { words: ['--strict=yes'], says: '--strict takes no value' },
  { words: ['--log', 'jsno'], says: '--log is text or json, found "jsno"; did you mean "json"?' },
];

for (const { words, says } of refused) {
  test(`${words.join(' ')} is refused: ${says}`, () => {
    try {
      parseArguments(words, options);
    } catch (error) {
      assert.instance(error, ExtractError);
      assert.equal([(error as ExtractError).code, (error as ExtractError).message], ['ERR_USAGE', says]);
      return;
    }
    assert.unreachable();
  });
}

test('options can precede and follow CONFIG, with a blank or an equals sign', () => {
  const words = parseArguments(['--to', 'a', 'c.json', '--to=b', '--strict'], options);
  assert.equal(words.positionals, ['c.json']);
  assert.equal(words.list('to'), ['a', 'b']);
  assert.is(words.last('to'), 'b');
  assert.ok(words.has('strict'));
});

test('an option that was not given is absent', () => {
  const words = parseArguments([], options);
  assert.equal([words.list('to'), words.last('to'), words.has('strict')], [[], undefined, false]);
});

test('a lone - is CONFIG, and so is everything after --', () => {
  assert.equal(parseArguments(['-', '--strict'], options).positionals, ['-']);
  assert.equal(parseArguments(['--', '--strict'], options).positionals, ['--strict']);
});

test('a value may begin with dashes after an equals sign', () => {
  assert.equal(parseArguments(['--to=--strict'], options).list('to'), ['--strict']);
});

test.run();
