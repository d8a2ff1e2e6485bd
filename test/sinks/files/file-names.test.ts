import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createFileNames } from '../../../sinks/files/file-names.js';

const hash = '[0-9a-f]{8}';

const cases: readonly [rule: string, dataType: string, name: RegExp, because?: RegExp][] = [
  ['keeps letters, digits, dots, hyphens and underscores', 'Users_2.v-1', /^Users_2\.v-1$/],
  ['replaces each other character by _', 'a/b c?d=é😀', /^a_b_c_d___$/],
  ['replaces leading dots', '..hidden.x', /^__hidden\.x$/],
  ['adds a hash to a device of Windows', 'CON', new RegExp(`^CON-${hash}$`), /Windows reserves/],
  ['adds it before the extension of a device', 'com1.users', new RegExp(`^com1-${hash}\\.users$`), /Windows reserves/],
  ['leaves names that only begin like a device', 'console', /^console$/],
  ['adds a hash behind a dot at the end', 'users.', new RegExp(`^users\\.-${hash}$`), /dot at the end/],
  ['cuts a long name and adds a hash', 'x'.repeat(300), new RegExp(`^x{200}-${hash}$`), /longer than 200/],
  ['names the empty data type', '', new RegExp(`^-${hash}$`), /no name/],
];

for (const [rule, dataType, name, because] of cases) {
  test(rule, () => {
    const found = createFileNames()(dataType);
    assert.match(found.name, name);
    if (because === undefined) assert.is(found.because, undefined);
    else assert.match(found.because ?? '', because);
  });
}

test('gives the plain name to the first of two that meet, and a hash to the second', () => {
  const nameOf = createFileNames();
  assert.is(nameOf('a/b').name, 'a_b');
  const { name, because } = nameOf('a_b');
  assert.match(name, new RegExp(`^a_b-${hash}$`));
  assert.match(because ?? '', /^"a\/b" has the same/);
});

test('tells names apart that differ by case alone', () => {
  const nameOf = createFileNames();
  nameOf('Users');
  assert.match(nameOf('users').name, new RegExp(`^users-${hash}$`));
});

test('gives a data type the same name each time', () => {
  const nameOf = createFileNames();
  for (const dataType of ['users', 'Users', 'nul', 'users']) assert.equal(nameOf(dataType), nameOf(dataType));
});

test('gives a longer hash where a data type is called like the short one', () => {
  const { name } = createFileNames()('nul');
  const nameOf = createFileNames();
  assert.is(nameOf(name).name, name);
  assert.match(nameOf('nul').name, /^nul-[0-9a-f]{16}$/);
});

test.run();
