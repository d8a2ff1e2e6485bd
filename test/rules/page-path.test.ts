/**
 * What a page passes must not make what V8 keeps or handles slowly: docs/decisions/023. Found in the sources, as no
 * test of a function would notice it.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sources } from './sources.js';

/** Rooms whose code runs with each page. */
const rooms = ['src/page', 'src/job', 'src/http', 'src/recording', 'src/run', 'src/pagination', 'operators'];
const files = rooms.flatMap((room) => sources(room, /\.ts$/));

/** Made once a run or once a connection, or used again, not once a page. */
const madeOnce = new Set([
  'src/http/credential-broker.ts',
  'src/http/transport/connect.ts',
  'src/http/transport/socks.ts',
  'src/http/transport/zlib-decoder.ts',
  'src/page/stages/body-prefix.ts',
  'src/pagination/prints.ts',
  'src/run/drain.ts',
  'src/run/lifecycle.ts',
]);

/** Lines that the pattern finds, as `path: line`. Getters of classes are made once: `isObject` is false. */
const found = (pattern: RegExp): readonly string[] =>
  files
    .filter(({ path }) => !madeOnce.has(path))
    .flatMap(({ path, content }) => [...content.matchAll(pattern)].map(([line]) => `${path}: ${line.trim()}`));

test('no object literal that is made with a page has a getter: V8 makes a hidden class for each', () => {
  // A member of an object literal ends with a comma, one of a class does not.
  assert.equal(found(/^ +get \w+\(\)[^{]*\{[^}]*\},$/gm), []);
});

test('no function is assigned to a member: V8 keeps it, and all that it refers to, until a full collection', () => {
  assert.equal(found(/^ *[\w.#]+\.#?\w+ = (?:async )?(?:\([^)]*\)|\w+) =>.*$/gm), []);
});

test('the exceptions are still there', () => {
  const paths = new Set(files.map(({ path }) => path));
  assert.equal(
    [...madeOnce].filter((path) => !paths.has(path)),
    [],
  );
});

test.run();
