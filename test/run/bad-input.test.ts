/** Each format and step with input that is not what it should be: an error with its place, and nothing published. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../src/core/errors/errors.js';
import { run } from '../../src/run/extract.js';
import { makeZip } from '../http/decoding/zip/make-zip.js';
import { startApi } from '../loopback/api.js';
import { filesIn, inFolder } from '../sinks/lib.js';
import { configOf } from '../support/mock-network.js';

/** What comes out: the code and the message of an error, or the items. */
type Expected = RegExp | readonly unknown[];
type Case = readonly [what: string, body: () => string | Buffer, expected: Expected, response?: object];

const megabytes = (count: number) => Buffer.alloc(count << 20, 'x');
const around = (before: string, middle: Buffer, after: string) =>
  Buffer.concat([Buffer.from(before), middle, Buffer.from(after)]);
const hundred = (before: string, after: string) => around(before, megabytes(100), after);
const badByte = (before: string, after: string) => around(before, Buffer.of(0xff), after);
const nested = (open: string, close: string, count = 100_000) => open.repeat(count) + close.repeat(count);
const numbered = (count: number, one: (at: number) => string) => Array.from({ length: count }, (_, at) => one(at));
const wide = Object.fromEntries(numbered(100_000, (at) => `c${at}`).map((name) => [name, '1']));

const csv: readonly Case[] = [
  ['a file that is cut', () => 'a,b\n1,2\n3', /^ERR_CSV .*line 3: a row has 1 cells instead of 2/],
  ['a file that is cut in quotes', () => 'a,b\n1,"2', /^ERR_CSV .*line 2, cell 2: the quote that is opened in line 2/],
  ['mixed line ends', () => 'a,b\r\n1,2\n3,4\r5,6', ['12', '34', '56'].map(([a, b]) => ({ a, b }))],
  ['a byte-order mark', () => '\ufeffa\n1\n', [{ a: '1' }]],
  ['a NUL', () => 'a,b\n1,2\n3,\0\n', /^ERR_CSV .*line 3, cell 2: a NUL; if the text is UTF-16/],
  [
    'a quote never closed',
    () => 'a,b\n1,2\n"x,3\n4,5\n',
    /^ERR_CSV .*the quote that is opened in line 3 is never closed/,
  ],
  ['text after a quote', () => 'a,b\n1,"2"3\n', /^ERR_CSV .*line 2, cell 2: the closing quote/],
  ['a cell of 100 MB', () => hundred('a,b\n1,2\n3,', '\n'), /^ERR_ITEM_SIZE .*67108864 bytes at line 3, cell 2/],
  [
    'quotes around 100 MB',
    () => hundred('a\n"', '"\n'),
    /^ERR_ITEM_SIZE .*line 2, cell 1; a quote is open since line 2/,
  ],
  ['100,000 columns', () => `${Object.keys(wide).join()}\n${Object.values(wide).join()}\n`, [wide]],
  [
    '100,000 cells under three names',
    () => `a,b,c\n${'1,'.repeat(100_000)}\n`,
    /^ERR_CSV .*line 2: a row has more than 3 cells/,
  ],
  ['a header twice', () => 'a,b,a\n1,2,3\n', /^ERR_CSV .*the name "a" twice \(cells 1 and 3\).*line 1/],
  ['invalid UTF-8', () => badByte('a,b\n1,', '\n'), /^ERR_UTF8 invalid UTF-8 at line 2, cell 2/],
  [
    'UTF-16 that is cut',
    () => Buffer.from('\ufeffa\n1', 'utf16le').subarray(0, -1),
    /^ERR_UTF8 invalid UTF-16LE at line 2/,
  ],
  [
    'nesting of 100,000 in a cell that is parsed',
    () => `a\n${nested('[', ']')}\n`,
    /^ERR_DEPTH .*at "a".*item 0/,
    { parse: ['a'] },
  ],
];

const xml: readonly Case[] = [
  ['a document that is cut', () => '<r><i><a>1</a></i>\n<i><a>2', /^ERR_XML .*line 2, in r\.i\.a: the document ends/],
  ['mixed line ends', () => '<r><i>1\r\n2\r3\n4</i></r>', [{ '#text': '1\n2\n3\n4' }]],
  ['a byte-order mark', () => '\ufeff<r><i/></r>', [{}]],
  ['a NUL', () => '<r>\n<i>\0</i></r>', /^ERR_XML .*: the control character 0/],
  ['a quote never closed', () => '<r><i/>\n<i a="1></i></r>', /^ERR_XML .*line 2, in r: the document ends/],
  [
    'a quote never closed in a long document',
    () => hundred('<r><i a="', ''),
    /^ERR_XML .*line 1, in r: a tag of more than 1048576/,
  ],
  [
    'a text of 100 MB',
    () => hundred('<r><i/><i>', '</i></r>'),
    /^ERR_ITEM_SIZE an item is larger than 67108864 bytes at line 1, in r\.i/,
  ],
  ['a comment of 100 MB', () => hundred('<r><i/><!--', '--></r>'), [{}]],
  [
    '100,000 names',
    () => `<r><i>${numbered(100_000, (at) => `<c${at}/>`).join('')}</i></r>`,
    /^ERR_XML .*more than 10000 names/,
  ],
  [
    '100,000 elements of one name',
    () => `<r><i>${'<c/>'.repeat(100_000)}</i></r>`,
    [{ c: numbered(100_000, () => '') }],
  ],
  [
    '100,000 attributes',
    () => `<r><i ${numbered(100_000, (at) => `a${at}=""`).join(' ')}/></r>`,
    /^ERR_XML .*(more than 10000 names|a tag of more than)/,
  ],
  ['an attribute twice', () => '<r>\n<i a="1" a="2"/></r>', /^ERR_XML .*line 2, in r\.i: the attribute a twice/],
  ['invalid UTF-8', () => badByte('<r>\n<i>', '</i></r>'), /^ERR_UTF8 invalid UTF-8 at line 2, in r\.i/],
  [
    'nesting of 100,000',
    () => `<r>${nested('<i>', '</i>')}</r>`,
    /^ERR_DEPTH .*deeper than 511 levels at line 1, in r\.i\.i/,
  ],
  [
    'a bomb of entities',
    () => '<!DOCTYPE r [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><r>&c;</r>',
    /^ERR_XML .*a document type definition/,
  ],
];

const json: readonly Case[] = [
  ['a document that is cut', () => '[{"a":1},{"a":', /^ERR_JSON .*byte 14/],
  ['mixed line ends', () => '[\r\n{"a":1}\r,\n{"a":2}]', [{ a: 1 }, { a: 2 }]],
  ['a byte-order mark', () => '\ufeff[{"a":1}]', [{ a: 1 }]],
  ['a NUL', () => '[{"a":1},{"a":"\0"}]', /^ERR_JSON .*byte 15/],
  ['a quote never closed', () => '[{"a":1},{"a":"x}]', /^ERR_JSON /],
  ['a text of 100 MB', () => hundred('[{"a":1},{"a":"', '"}]'), /^ERR_ITEM_SIZE .*67108864/],
  ['100,000 members', () => `[${JSON.stringify(wide)}]`, [wide]],
  ['a member twice', () => '[{"a":1,"a":2}]', [{ a: 2 }]],
  ['invalid UTF-8', () => badByte('[{"a":1},{"a":"', '"}]'), /^ERR_UTF8 .*byte 15/],
  ['nesting of 100,000', () => `[{"a":${nested('[', ']')}}]`, /^ERR_DEPTH /],
];

const lines: readonly Case[] = [
  ['a line that is cut', () => '{"a":1}\n{"a":', /^ERR_JSON /],
  ['mixed line ends', () => '{"a":1}\r\n{"a":2}\n\n{"a":3}', [{ a: 1 }, { a: 2 }, { a: 3 }]],
  ['a byte-order mark', () => '\ufeff{"a":1}\n', [{ a: 1 }]],
  ['a NUL', () => '{"a":1}\n\0\n', /^ERR_JSON .*byte 8/],
  ['a quote never closed', () => '{"a":1}\n{"a":"x}\n', /^ERR_JSON /],
  ['a line of 100 MB', () => hundred('{"a":1}\n{"a":"', '"}\n'), /^ERR_ITEM_SIZE .*67108864/],
  ['invalid UTF-8', () => badByte('{"a":1}\n{"a":"', '"}\n'), /^ERR_UTF8 .*byte 14/],
  ['nesting of 100,000', () => `{"a":1}\n{"a":${nested('[', ']')}}\n`, /^ERR_DEPTH /],
];

const text: readonly Case[] = [
  ['a NUL, line ends and a mark', () => '\ufeff\0\r\n\r"', [{ text: '\0\r\n\r"' }]],
  ['100 MB', () => megabytes(100), /^ERR_ITEM_SIZE the body, which is one item, is larger than 67108864 bytes/],
  ['invalid UTF-8', () => badByte('é', ''), /^ERR_UTF8 invalid UTF-8 at the end of what is valid/],
];

const binary: readonly Case[] = [
  ['any byte', () => badByte('\0', '\ufeff'), [{ base64: 'AP/vu78=' }]],
  ['100 MB', () => megabytes(100), /^ERR_ITEM_SIZE the body, which is one item, is larger than 67108864 bytes/],
];

const rows = `a\n${'1\n'.repeat(300)}`;
const one = { name: 'a.csv', data: rows };
const decoded: readonly Case[] = [
  [
    'gzip that is cut',
    () => gzipSync(rows).subarray(0, -5),
    /^ERR_DECODE the gzip data ends before .*after \d+ bytes/,
    { decode: ['gunzip'] },
  ],
  [
    'gzip that is cut, by its first bytes',
    () => gzipSync(rows).subarray(0, -5),
    /^ERR_DECODE the gzip data ends before/,
  ],
  [
    'brotli that is cut',
    () => brotliCompressSync(rows).subarray(0, -2),
    /^ERR_DECODE the brotli data/,
    { decode: ['brotli'] },
  ],
  [
    'other characters than base64',
    () => 'YQox\nIQ!',
    /^ERR_DECODE the body is not base64 near byte/,
    { decode: ['base64'] },
  ],
  ['an archive that is cut', () => makeZip([one]).subarray(0, -30), /^ERR_DECODE .*is incomplete \(after \d+ bytes\)/],
  [
    'a name that leads out',
    () => makeZip([{ ...one, name: '../a.csv' }]),
    /^ERR_DECODE the file "\.\.\/a\.csv" .*leads out/,
  ],
  [
    'a size that lies',
    () => makeZip([{ ...one, lies: { size: 20 } }]),
    /^ERR_DECODE the file "a\.csv" .*more than the 20 bytes/,
  ],
  [
    'a checksum that lies',
    () => makeZip([{ ...one, lies: { crc: 20 } }]),
    /^ERR_DECODE the file "a\.csv" .*another checksum/,
  ],
  ['an encrypted file', () => makeZip([{ ...one, isEncrypted: true }]), /^ERR_DECODE the file "a\.csv" .*is encrypted/],
  [
    'a file of an archive that is invalid',
    () => makeZip([{ ...one, data: 'a\n1\n"' }]),
    /^ERR_CSV .*line 3.*, in the file "a\.csv" of the ZIP archive/,
    { decode: ['unzip'] },
  ],
];

const formats: Readonly<Record<string, readonly [object, readonly Case[]]>> = {
  CSV: [{ format: 'csv' }, csv],
  XML: [{ format: 'xml', element: 'r.i' }, xml],
  JSON: [{ format: 'json' }, json],
  'JSON lines': [{ format: 'lines' }, lines],
  text: [{ format: 'text' }, text],
  bytes: [{ format: 'binary' }, binary],
  'encoded CSV': [{ format: 'csv' }, decoded],
};

const earlier = '{"from":"the run before"}\n';

for (const [format, [usual, cases]] of Object.entries(formats)) {
  for (const [what, body, expected, more] of cases) {
    const ending = expected instanceof RegExp ? 'is an error, and the earlier output stays' : 'is read';
    test(
      `${format}: ${what} ${ending}`,
      inFolder(async (dir) => {
        writeFileSync(join(dir, 'rows.ndjson'), earlier);
        const server = await startApi(() => ({ body: body() }));
        try {
          const job = { endpoint: 'export', dataType: 'rows', response: { ...usual, ...more } };
          const running = run(configOf([job], { baseUrl: `${server.origin}/` }), { to: `ndjson:${dir}` });
          const thrown = await running.then(
            () => undefined,
            (error: unknown) => error,
          );
          const written = filesIn(dir)['rows.ndjson'] ?? '';
          if (expected instanceof RegExp) {
            assert.match(
              thrown instanceof ExtractError ? `${thrown.code} ${thrown.message}` : String(thrown),
              expected,
            );
            assert.is(written, earlier);
          } else {
            assert.is(thrown, undefined);
            const items = written
              .split('\n')
              .slice(0, -1)
              .map((line): unknown => JSON.parse(line));
            assert.equal(items, expected);
          }
        } finally {
          await server.close();
        }
      }),
    );
  }
}

test.run();
