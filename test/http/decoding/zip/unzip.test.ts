/** ZIP archives are read as they arrive, in every form of their records; what does not agree is an error. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../../src/core/errors/errors.js';
import { sourceOf } from '../../../../src/core/util/byte-source.js';
import { type Decoding, decodedBody } from '../../../../src/http/decoding/decode-body.js';
import { pieces } from '../../../page/scanner-run.js';
import { type FileInZip, makeZip, type ZipForm } from './make-zip.js';

/** The files of an archive, as they come out. */
async function filesIn(body: Uint8Array, { size = 1000, ...options }: Partial<Decoding> & { size?: number } = {}) {
  const files: string[] = [];
  let made: Uint8Array[] = [];
  const source = decodedBody(sourceOf(pieces(body, size)), { decode: ['unzip'], members: ['**'], ...options });
  await source.read(
    async (chunk) => {
      await Promise.resolve();
      made.push(chunk);
    },
    () => {
      files.push(Buffer.concat(made).toString());
      made = [];
    },
  );
  assert.equal(made, []);
  return files;
}

async function failureIn(body: Uint8Array, options?: Parameters<typeof filesIn>[1]): Promise<string> {
  const thrown = await filesIn(body, options).then(
    (files) => `no error: ${files.length} files`,
    (error: unknown) => error,
  );
  return thrown instanceof ExtractError ? `${thrown.code} ${thrown.message}` : String(thrown);
}

const a: FileInZip = { name: 'a.csv', data: 'a,b\n1,2\n'.repeat(40) };
const b: FileInZip = { name: 'folder/b.csv', data: 'x' };
const stored = 'PK\x07\x08 and PK\x03\x04, which are data here '.repeat(3);

const forms: readonly (readonly [string, readonly FileInZip[], ZipForm?])[] = [
  ['deflated', [a, b]],
  ['stored', [{ ...a, isStored: true }, b]],
  [
    'with sizes after the data',
    [
      { ...a, descriptor: 'signed' },
      { ...b, descriptor: 'bare' },
    ],
  ],
  [
    'with wide sizes after the data',
    [
      { ...a, descriptor: 'wide' },
      { ...b, descriptor: 'wide and bare' },
    ],
  ],
  ['stored, with sizes after the data', [{ name: 'a', data: stored, isStored: true, descriptor: 'signed' }, b]],
  ['stored and empty, with sizes after the data', [{ name: 'a', data: '', isStored: true, descriptor: 'wide' }, b]],
  [
    'of ZIP64',
    [
      { ...a, isWide: true },
      { ...b, isWide: true, extra: Buffer.from('\x55\x54\x01\x00x') },
    ],
    { isWide: true },
  ],
  ['of ZIP64, with sizes after the data', [{ ...a, isWide: true, descriptor: 'wide' }, b]],
  ['with a comment and a signature', [a, b], { comment: 'PK\x05\x06', isSigned: true }],
  ['with folders and empty files', [{ name: 'folder/', data: '', isStored: true }, { name: 'folder/c', data: '' }, b]],
  ['with the separators of Windows', [{ ...b, name: 'folder\\b.csv' }]],
];

for (const [what, files, form] of forms) {
  test(`reads archives ${what}, in chunks of every size`, async () => {
    const expected = files.filter(({ name }) => !name.endsWith('/')).map(({ data }) => data.toString());
    const archive = makeZip(files, form);
    for (const size of [1, 2, 3, 7, 64, 100_000]) assert.equal(await filesIn(archive, { size }), expected);
  });
}

test('an archive without files, and an empty body, have no files', async () => {
  assert.equal(await filesIn(makeZip([])), []);
  assert.equal(await filesIn(makeZip([{ name: 'folder/', data: '', isStored: true }])), []);
  assert.equal(await filesIn(Buffer.alloc(0)), []);
});

test('files are chosen by patterns of their names', async () => {
  const names = ['a.csv', 'b.txt', 'f/a.csv', 'f/g/c1.csv', 'f/c22.csv', 'x+y.csv'];
  const archive = makeZip(
    names.map((name, at) => ({ name, data: name, ...(at % 2 === 0 ? {} : { descriptor: 'signed' }) })),
  );
  const chosen = async (...members: string[]) => (await filesIn(archive, { members })).join(' ');
  assert.is(await chosen('*.csv'), 'a.csv f/a.csv f/g/c1.csv f/c22.csv x+y.csv');
  assert.is(await chosen('f/*.csv'), 'f/a.csv f/c22.csv');
  assert.is(await chosen('f/**.csv'), 'f/a.csv f/g/c1.csv f/c22.csv');
  assert.is(await chosen('**/c?.csv'), 'f/g/c1.csv');
  assert.is(await chosen('x+y.csv', 'b.*'), 'b.txt x+y.csv');
  assert.match(
    await failureIn(archive, { members: ['*.json'] }),
    /no file that matches .*"a\.csv", "b\.txt", .* and 3 more/,
  );
});

test('files that are not chosen may be encrypted, or compressed otherwise', async () => {
  const others: FileInZip[] = [
    { name: 'secret', data: 'x', isEncrypted: true },
    { name: 'packed', data: 'x', method: 14 },
  ];
  assert.equal(await filesIn(makeZip([...others, b]), { members: ['*.csv'] }), ['x']);
});

test('without patterns an archive has one file', async () => {
  assert.equal(await filesIn(makeZip([{ name: 'f/', data: '', isStored: true }, b]), { members: undefined }), ['x']);
  assert.match(
    await failureIn(makeZip([a, b]), { members: undefined }),
    /^ERR_DECODE the file "folder\/b\.csv" of the ZIP archive is one of several, "a\.csv", "folder\/b\.csv": set `response\.members`/,
  );
});

test('each file passes the steps after it, also another archive', async () => {
  const files = [1, 2].map((at) => ({ name: `${at}.gz`, data: gzipSync(`file ${at}`) }));
  assert.equal(await filesIn(makeZip(files), { decode: ['unzip', 'gunzip'] }), ['file 1', 'file 2']);
  const outer = makeZip([{ name: 'inner.zip', data: makeZip([a, b]), isStored: true }]);
  assert.equal(await filesIn(outer, { decode: ['unzip', 'unzip'] }), [a.data, b.data, '']);
  const text = Buffer.from(makeZip([b]).toString('base64'));
  assert.equal(await filesIn(text, { decode: ['base64', 'unzip'], size: 5 }), ['x']);
});

const whole = makeZip([a, b]);
const faults: readonly (readonly [string, Buffer, RegExp])[] = [
  ['no archive', Buffer.from('a,b\n1,2\n'), /^ERR_DECODE the ZIP archive does not begin as one \(after 0 bytes\)/],
  ['less than a record', Buffer.from('PK'), /does not begin as one/],
  [
    'a name that leads out',
    makeZip([{ ...b, name: '../../etc/passwd' }]),
    /"\.\.\/\.\.\/etc\/passwd" .*has a name that leads out/,
  ],
  ['the same by Windows', makeZip([{ ...b, name: 'a\\..\\..\\b' }]), /has a name that leads out/],
  ['an absolute name', makeZip([{ ...b, name: '/etc/passwd' }]), /has a name that leads out/],
  ['a name with a drive', makeZip([{ ...b, name: 'c:\\x' }]), /has a name that leads out/],
  ['a name with a NUL', makeZip([{ ...b, name: 'a.csv\0.exe' }]), /has a name that leads out/],
  ['a name that is too long', makeZip([{ ...b, name: 'n'.repeat(5000) }]), /a name of more than 4096 characters/],
  [
    'an encrypted file',
    makeZip([{ ...b, isEncrypted: true }]),
    /^ERR_DECODE the file "folder\/b\.csv" of the ZIP archive is encrypted/,
  ],
  ['another method', makeZip([{ ...b, method: 14 }]), /is compressed with method 14 \(LZMA\); only Deflate/],
  ['an unknown method', makeZip([{ ...b, method: 77 }]), /method 77 \(unknown\)/],
  ['another checksum', makeZip([{ ...b, lies: { crc: 1 } }]), /has another checksum than/],
  ['more data than declared', makeZip([{ ...a, lies: { size: 10 } }]), /has more than the 10 bytes that are declared/],
  [
    'less data than declared',
    makeZip([{ ...b, lies: { size: 10 } }]),
    /has 1 bytes in 3, and is declared with 10 in 3/,
  ],
  ['packed data longer than declared', makeZip([{ ...a, lies: { packed: 4 } }]), /has more data than the 4 bytes/],
  [
    'packed data shorter than declared',
    makeZip([{ ...b, lies: { packed: 900 } }]),
    /has 1 bytes in 3, and is declared with 1 in 900/,
  ],
  [
    'a stored file with two sizes',
    makeZip([{ ...b, isStored: true, lies: { size: 2 } }]),
    /has 1 bytes in 1, and is declared with 2 in 1/,
  ],
  [
    'a descriptor that lies',
    makeZip([{ ...b, descriptor: 'signed', lies: { size: 2 } }]),
    /another checksum or size than the record after it/,
  ],
  [
    'a stored file whose descriptor lies',
    makeZip([{ ...b, isStored: true, descriptor: 'signed', lies: { size: 2 } }]),
    /is incomplete/,
  ],
  [
    'data that is not Deflate',
    makeZip([{ ...b, isStored: true, method: 8, data: Buffer.alloc(9, 0xff) }]),
    /is not valid: invalid block type/,
  ],
  [
    'another name in the directory',
    makeZip([{ ...b, otherName: 'a.csv' }]),
    /^ERR_DECODE the ZIP archive lists the file "a\.csv" otherwise/,
  ],
  [
    'a file that is not listed',
    Buffer.concat([makeZip([b]).subarray(0, 45), whole]),
    /otherwise than it is|does not list/,
  ],
  ['another number of files', makeZip([b], { files: 3 }), /declares another number of files/],
  ['one of several parts', makeZip([b], { part: 1 }), /is one of several parts/],
  ['bytes after it', Buffer.concat([whole, Buffer.from('\n')]), /is followed by other bytes/],
  [
    'other bytes before the end',
    Buffer.concat([whole.subarray(0, -22), Buffer.alloc(22)]),
    /other bytes than its records/,
  ],
];

for (const [what, archive, expected] of faults) {
  test(`${what} is an error`, async () => {
    for (const size of [1, 5, 1000]) assert.match(await failureIn(archive, { size }), expected);
  });
}

test('an archive that is cut anywhere is incomplete', async () => {
  const archive = makeZip([a, { ...b, descriptor: 'signed' }], { comment: 'x', isWide: true });
  for (let length = 4; length < archive.length; length++) {
    assert.match(
      await failureIn(archive.subarray(0, length), { size: 16 }),
      /^ERR_DECODE .*(?:is incomplete|another checksum)/,
    );
  }
});

test('an archive of too many files is refused', async () => {
  const one = makeZip([{ name: 'a', data: '', isStored: true }]).subarray(0, 31);
  const archive = Buffer.concat(Array.from({ length: 65_536 }, () => one));
  assert.match(
    await failureIn(archive, { members: ['b'] }),
    /^ERR_BODY_SIZE the ZIP archive has more than 65535 files/,
  );
});

test('an archive that grows too much is refused', async () => {
  const layer = gzipSync(Buffer.alloc(90 << 20));
  const archive = makeZip([{ name: 'a.gz', data: gzipSync(layer) }]);
  assert.match(
    await failureIn(archive, { decode: ['unzip', 'gunzip', 'gunzip'] }),
    /^ERR_BODY_SIZE .*more than 1000 times/,
  );
});

test('errors of the reader and of the body stay what they are', async () => {
  const source = decodedBody(sourceOf([whole]), { decode: ['unzip'], members: ['**'] });
  const mine = new RangeError('mine');
  const thrown = await source
    .read(() => {
      throw mine;
    })
    .catch((error: unknown) => error);
  assert.is(thrown, mine);

  async function* broken() {
    yield whole.subarray(0, 40);
    throw mine;
  }
  assert.is(
    await decodedBody(sourceOf(broken()), { decode: ['unzip'] })
      .read(() => {})
      .catch((error: unknown) => error),
    mine,
  );
});

test('data that cannot be packed passes too', async () => {
  const data = randomBytes(300_000);
  const archive = makeZip([{ name: 'a', data, descriptor: 'signed' }]);
  for (const size of [1000, 65_536, 1 << 20]) assert.equal(await filesIn(archive, { size }), [data.toString()]);
});

test.run();
