import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createFileNames } from '../../../sinks/files/file-names.js';

const hash = '[0-9a-f]{8}';

const cases: readonly [rule: string, dataType: string, name: RegExp, because?: RegExp][] = [
  ['keeps letters, digits, dots, hyphens and underscores', 'Users_2.v-1', /^Users_2\.v-1$/],
  ['replaces each other character by _', 'a/b c?d=*:<>|"\\😀\u200d\u3164', /^a_b_c_d_{11}$/],
  ['keeps letters and digits of every script', 'é顧客データ_Ж٣ไทยक्षि한', /^é顧客データ_Ж٣ไทยक्षि한$/],
  ['writes accents in one way', 'e\u0301', /^\u00e9$/],
  ['replaces leading dots', '..hidden.x', /^__hidden\.x$/],
  ['adds a hash to a device of Windows', 'CON', new RegExp(`^CON-${hash}$`), /Windows reserves/],
  ['adds it before the extension of a device', 'com1.users', new RegExp(`^com1-${hash}\\.users$`), /Windows reserves/],
  ['knows the devices with a small digit', 'com¹', new RegExp(`^com¹-${hash}$`), /Windows reserves/],
  ['leaves names that only begin like a device', 'console', /^console$/],
  ['adds a hash behind a dot at the end', 'users.', new RegExp(`^users\\.-${hash}$`), /dot at the end/],
  ['cuts a long name and adds a hash', 'x'.repeat(300), new RegExp(`^x{200}-${hash}$`), /longer than 200/],
  ['counts bytes, and cuts no letter', '顧'.repeat(80), new RegExp(`^顧{66}-${hash}$`), /longer than 200 bytes/],
  ['names the empty data type', '', new RegExp(`^-${hash}$`), /no name/],
];

for (const [rule, dataType, name, because] of cases) {
  test(rule, () => {
    const found = createFileNames().of(dataType);
    assert.match(found.name, name);
    if (because === undefined) assert.is(found.because, undefined);
    else assert.match(found.because ?? '', because);
  });
}

test('gives the plain name to the first of two that meet, and a hash to the second', () => {
  const names = createFileNames();
  assert.is(names.of('a/b').name, 'a_b');
  const { name, because } = names.of('a_b');
  assert.match(name, new RegExp(`^a_b-${hash}$`));
  assert.match(because ?? '', /^"a\/b" has the same/);
});

test('distinguishes names that differ by case alone', () => {
  const names = createFileNames();
  names.of('Users');
  assert.match(names.of('users').name, new RegExp(`^users-${hash}$`));
});

for (const [one, other] of [
  ['é', 'e\u0301'],
  ['É', 'e\u0301'],
  ['\uac01', '\u1100\u1161\u11a8'],
  ['straße', 'STRASSE'],
  ['Σίσυφος', 'σίσυφοσ'],
  ['Ж', 'ж'],
  ['\u00c5', '\u212b'],
] as const) {
  test(`distinguishes ${JSON.stringify(one)} and ${JSON.stringify(other)}, which are one name on some systems`, () => {
    const names = createFileNames();
    const first = names.of(one).name;
    const { name, because } = names.of(other);
    assert.match(name, new RegExp(`-${hash}$`));
    assert.not.equal(name, first);
    assert.match(because ?? '', 'has the same file name');
  });
}

test('a name that an earlier process gave stays, and is taken', () => {
  const names = createFileNames();
  names.keep('a', 'users');
  assert.is(names.of('a').name, 'users');
  assert.match(names.of('Users').name, new RegExp(`^Users-${hash}$`));
});

test('a run that an earlier version began has its form of names', () => {
  const names = createFileNames();
  names.useAscii();
  assert.is(names.of('顧客').name, '__');
  assert.match(names.of('注文').name, new RegExp(`^__-${hash}$`));
});

test('letters that a file system refuses are replaced', () => {
  const names = createFileNames();
  assert.is(names.refuseLetters('users'), false);
  names.of('users');
  assert.is(names.refuseLetters('users'), false);
  assert.is(names.of('顧客').name, '顧客');
  assert.is(names.refuseLetters('顧客'), true);
  assert.is(names.of('顧客').name, '__');
  assert.match(names.of('顧客').because ?? '', 'takes no letters beyond ASCII');
});

test('gives a data type the same name each time', () => {
  const names = createFileNames();
  for (const dataType of ['users', 'Users', 'nul', 'users']) assert.equal(names.of(dataType), names.of(dataType));
});

test('gives a longer hash where a data type is called like the short one', () => {
  const { name } = createFileNames().of('nul');
  const names = createFileNames();
  assert.is(names.of(name).name, name);
  assert.match(names.of('nul').name, /^nul-[0-9a-f]{16}$/);
});

test.run();
