/** Comments fit on a line. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Source, sources } from './sources.js';

/** Longer lines are hard to read beside code. */
const longest = 120;

const files = ['src', 'sinks', 'operators', 'test', 'bench', 'scripts', 'examples', 'docs']
  .flatMap((directory) => sources(directory, /\.(ts|mjs)$/))
  .filter(({ path }) => !path.startsWith('src/generated/'));

/** Lines that are a comment as a whole, as `path:line: text`. Those for the linter keep the form that it wants. */
const commentsIn = ({ path, content }: Source): readonly { readonly place: string; readonly line: string }[] =>
  content
    .split('\n')
    .map((line, index) => ({ place: `${path}:${index + 1}: ${line.trim()}`, line }))
    .filter(({ line }) => /^\s*(?:\/\/|\/?\*)/.test(line) && !line.includes('biome-ignore'));

const comments = files.flatMap(commentsIn);

test(`no comment is longer than ${longest} characters`, () => {
  assert.ok(comments.length > 3000, `${comments.length} lines of comments`);
  assert.equal(
    comments.filter(({ line }) => line.length > longest).map(({ place }) => place),
    [],
  );
});

test('comments are found, and what is in the code is not', () => {
  const content = "/** It is so. */\nconst text = 'so'; // so\n  // so\n * so\n// biome-ignore so";
  assert.equal(
    commentsIn({ path: 'a.ts', content }).map(({ place }) => place),
    ['a.ts:1: /** It is so. */', 'a.ts:3: // so', 'a.ts:4: * so'],
  );
});

test.run();
