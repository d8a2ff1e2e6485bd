import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as operators from '../../operators/index.js';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const chapter = read('docs/11-operators.md');
const sections = chapter.split(/^## /m).slice(1);

/** The text between fences, with its language in front. */
const fenced = (text: string): readonly string[] => text.split(/^```/m).filter((_, index) => index % 2 === 1);
const picturesOf = (text: string): readonly string[] => fenced(text).filter((block) => block.startsWith('\n'));

test('exports these names and no others', () => {
  assert.equal(Object.keys(operators).sort(), [
    'fromAbortable',
    'inTurn',
    'inTurnBy',
    'limited',
    'pull',
    'renewing',
    'retryTransient',
    'scroll',
  ]);
});

for (const name of Object.keys(operators)) {
  test(`has a section on ${name} with a marble picture, a snippet and what it is not for`, () => {
    const section = sections.find((text) => text.split('\n', 1)[0]?.split(' and ').includes(name)) ?? '';
    assert.is(picturesOf(section).length, 1);
    const snippets = fenced(section).filter((block) => block.startsWith('ts\n'));
    assert.ok(snippets.some((block) => /^import \{.*\} from 'rxtract\/operators';$/m.test(block)));
    assert.match(section, /^(Do not|It is not|It does not) /m);
  });
}

test('shows the pictures that the sources show', () => {
  const pictures = picturesOf(chapter);
  const files = ['scroll', 'from-abortable', 'renewing', 'in-turn', 'limited', 'retry-transient', 'pull'];
  const sources = files.map((file) => read(`operators/${file}.ts`).replaceAll(/^ \* ?/gm, '')).join('\n');
  assert.is(pictures.length, files.length);
  for (const picture of pictures) assert.ok(sources.includes(picture), picture);
});

test.run();
