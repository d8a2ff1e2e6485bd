/** Each citation in a source or a test leads to something that is in the repository, or to a section of an RFC. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { anchorsIn } from './anchors.js';
import { root, type Source, sources } from './sources.js';

const self = 'test/rules/citations.test.ts';
const citing = ['src', 'operators', 'sinks', 'test', 'bench', 'docs'].flatMap((directory) =>
  sources(directory, /\.(ts|mjs)$/),
);
const decisions = sources('docs/decisions', /^docs\/decisions\/\d{3}-.*\.md$/).map(({ path }) => path);

/** What a text cites below docs/, the full stop of its sentence left out. */
const citedIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w./-])docs\/[\w./-]*(?:#[\w-]+)?/g)].map(([cited]) => cited.replace(/[./]+$/, ''));

/** What is wrong with a citation; undefined: it leads somewhere. */
function faultOf(cited: string): string | undefined {
  const [path = '', anchor] = cited.split('#');
  const decision = /^docs\/decisions\/(\d{3})$/.exec(path)?.[1];
  const file = decision === undefined ? path : decisions.find((each) => each.startsWith(`docs/decisions/${decision}-`));
  if (file === undefined || !existsSync(join(root, file.replace(/\.js$/, '.ts')))) return 'there is no such file';
  if (anchor === undefined || anchorsIn(readFileSync(join(root, file), 'utf8')).has(anchor)) return undefined;
  return 'there is no such heading';
}

/** The lines of comments, with those of code: a name of a test may cite too. */
function findings(files: readonly Source[], find: (line: string) => readonly string[]): readonly string[] {
  return files.flatMap(({ path, content }) =>
    content.split('\n').flatMap((line, index) => find(line).map((found) => `${path}:${index + 1}: ${found}`)),
  );
}

test('citations are found, and wrong ones are noticed', () => {
  assert.equal(citedIn('See docs/01-configuration.md#api, docs/decisions/012. In docs/reference/'), [
    'docs/01-configuration.md#api',
    'docs/decisions/012',
    'docs/reference',
  ]);
  assert.is(faultOf('docs/01-configuration.md#api'), undefined);
  assert.is(faultOf('docs/decisions/012'), undefined);
  assert.is(faultOf('docs/decisions/999'), 'there is no such file');
  assert.is(faultOf('docs/no-such-page.md'), 'there is no such file');
  assert.is(faultOf('docs/01-configuration.md#no-such-heading'), 'there is no such heading');
});

test('every citation of a page leads to a file and a heading', () => {
  const cited = citing.filter(({ path }) => path !== self);
  assert.ok(cited.flatMap(({ content }) => citedIn(content)).length > 100);
  assert.equal(
    findings(cited, (line) =>
      citedIn(line).flatMap((each) => {
        const fault = faultOf(each);
        return fault === undefined ? [] : [`${each}: ${fault}`];
      }),
    ),
    [],
  );
});

test('a citation of an RFC has its number, and its section in figures or letters', () => {
  const wellFormed = /^RFC \d{3,5}(?:,? (?:sections? )?\d+(?:\.\d+)*)?(?![\w-])/;
  assert.equal(
    findings(citing, (line) =>
      [...line.matchAll(/\bRFC.{0,24}/g)].map(([text]) => text).filter((text) => !wellFormed.test(text)),
    ).filter((found) => !found.startsWith(self)),
    [],
  );
});

test('no comment cites a document that is not in the repository, or a decision without its file', () => {
  const foreign = /\b(?:requests|output|decisions|seed|house)\.md\b|\b[Dd]ecisions? \d+\b|\bSeed \d+\.\d+/g;
  const own = citing.filter(({ path }) => path !== self);
  assert.equal(
    findings(own, (line) => [...line.matchAll(foreign)].map(([text]) => text)),
    [],
  );
});

test.run();
