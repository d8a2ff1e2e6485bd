/** Responses that have no place for items, in each format, beside the output of an earlier run: a black box. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeZip } from '../http/decoding/zip/make-zip.js';
import { type Reply, startApi } from '../loopback/api.js';
import { command, filesIn, inTemporary } from './command.js';

type Parts = Readonly<Record<string, unknown>>;

interface Case {
  readonly response: Parts;
  /** The bodies of its pages. */
  readonly pages: readonly (string | Uint8Array)[];
  /** Members of the job. */
  readonly job?: Parts;
  readonly type?: string;
  readonly words?: readonly string[];
  /** Absent: there is no output of an earlier run. */
  readonly earlier?: string;
}

/** Runs a job whose pages are numbered; its output is users.ndjson. */
function play({ response, pages, job, type = 'text/plain', words = [], earlier }: Case) {
  return inTemporary(async (directory) => {
    const answer = (target: string): Reply => {
      const page = Number(new URL(target, 'http://api').searchParams.get('page') ?? 1);
      return { headers: { 'content-type': type }, body: pages[page - 1] ?? '' };
    };
    const server = await startApi(({ target }) => answer(target));
    const path = join(directory, 'users.ndjson');
    try {
      if (earlier !== undefined) await writeFile(path, earlier);
      const pagination = pages.length === 1 ? {} : { pagination: { method: 'pagenum' } };
      const jobs = [{ endpoint: 'users', dataType: 'users', response, ...job }];
      const document = { api: { baseUrl: `${server.origin}/`, ...pagination }, config: { jobs } };
      const { exit, stderr } = await command(['run', '-', '--to', `ndjson:${directory}`, ...words], {
        stdin: JSON.stringify(document),
      });
      const codes = [...stderr.matchAll(/^ *(?:warning|error)\b[^\n]*\[([\w-]+)\]$/gm)].map(([, code]) => code);
      return { exit, stderr, codes, text: (await filesIn(directory))['users.ndjson'] };
    } finally {
      await server.close();
    }
  });
}

const earlier = '{"id":0}\n';
const feed = (inner: string) => `<feed><title>t</title>${inner}</feed>`;
const full = feed('<entry><id>1</id></entry>');
const kept = { exit: 0, codes: ['no-data', 'not-replaced'], text: earlier };

/** A misspelt element, the bodies, and what is said about it. */
const misspelt: readonly (readonly [string, string, readonly string[], string])[] = [
  ['its last name', 'feed.entri', [full], '; did you mean "feed.entry"?; "feed" has "title", "entry"'],
  [
    'a name in the middle',
    'feed.itmes.entry',
    [feed('<items><entry/></items>')],
    '; did you mean "feed.items.entry"?; "feed" has "title", "items"',
  ],
  ['a name unlike any other', 'feed.row', [full], '; "feed" has "title", "entry"'],
  [
    'a prefix',
    'feed.entry',
    [feed('<a:entry xmlns:a="u"/>')],
    '; did you mean "feed.a:entry"?; "feed" has "title", "a:entry"',
  ],
];

for (const [what, element, pages, said] of misspelt) {
  test(`an element whose path is wrong keeps the output of an earlier run: ${what}`, async () => {
    const { stderr, ...outcome } = await play({ response: { format: 'xml', element }, pages, earlier });
    assert.equal(outcome, kept, stderr);
    assert.ok(
      stderr.includes(`no response has an element "${element}" (\`response.element\`): no items${said}`),
      stderr,
    );
    assert.match(stderr, /users\.ndjson" keeps the items of an earlier run: no response of this one has the element/);
  });
}

const none = { ...kept, codes: ['no-data'], text: '' };

test('without an earlier output there is the warning alone, and the output is empty', async () => {
  const { stderr, ...outcome } = await play({ response: { format: 'xml', element: 'feed.entri' }, pages: [full] });
  assert.equal(outcome, none, stderr);
});

test('--strict ends the run, and --replace-empty replaces the output', async () => {
  const one = { response: { format: 'xml', element: 'feed.entri' }, pages: [full], earlier };
  const strict = await play({ ...one, words: ['--strict'] });
  assert.equal([strict.exit, strict.text], [1, earlier], strict.stderr);
  const replaced = await play({ ...one, words: ['--replace-empty'] });
  assert.equal([replaced.exit, replaced.codes, replaced.text], [0, ['no-data'], ''], replaced.stderr);
});

test('an element that one page has is not missing on the others', async () => {
  const pages = [full, full.replace('1', '2'), feed('')];
  const { stderr, ...outcome } = await play({ response: { format: 'xml', element: 'feed.entry' }, pages, earlier });
  const text = '{"id":"1"}\n{"id":"2"}\n';
  assert.equal(outcome, { exit: 0, codes: [], text }, stderr);
});

test('an element that no walk of a job has is one warning, and none if one walk has it', async () => {
  const response = { format: 'xml', element: 'feed.entry' };
  const job = { each: { page: [1, 2, 3] }, pagination: { method: 'none' } };
  const walked = await play({ response, job, pages: [feed(''), feed('<x/>'), feed('')], earlier });
  assert.equal([walked.codes, walked.text], [['no-data', 'not-replaced'], earlier], walked.stderr);
  const found = await play({ response, job, pages: [feed(''), full, feed('')], earlier });
  assert.equal([found.codes, found.text], [[], '{"id":"1"}\n'], found.stderr);
});

/** A format, the body, the warnings, and what becomes of the earlier output. */
const answers: readonly (readonly [string, Parts, string | Uint8Array, readonly string[], string?])[] = [
  [
    'an XML element without any child',
    { format: 'xml', element: 'r.list.i' },
    '<r><list n="0">\n</list></r>',
    ['emptied'],
  ],
  ['an XML root without any child', { format: 'xml', element: 'r.i' }, '<r/>', ['emptied']],
  [
    'an XML element with a text alone',
    { format: 'xml', element: 'r.i' },
    '<r>closed</r>',
    ['no-data', 'not-replaced'],
    earlier,
  ],
  [
    'a second XML list that has other children',
    { format: 'xml', element: 'r.l.i' },
    '<r><l/><l><j/></l></r>',
    ['no-data', 'not-replaced'],
    earlier,
  ],
  ['a CSV header without rows', { format: 'csv' }, 'id,name\n', ['emptied']],
  ['CSV without a header', { format: 'csv' }, '\n\n', ['no-body', 'not-replaced'], earlier],
  ['CSV that needs no header', { format: 'csv', header: false, names: ['id'] }, '', ['emptied']],
  ['no lines', { format: 'lines' }, '', ['emptied']],
  ['a text without a character', { format: 'text' }, '', ['no-body', 'not-replaced'], earlier],
  ['no bytes', { format: 'binary' }, '', ['no-body', 'not-replaced'], earlier],
  ['XML without a body', { format: 'xml', element: 'r.i' }, '', ['no-body', 'not-replaced'], earlier],
  [
    'an empty CSV file in an archive',
    { format: 'csv', decode: ['unzip'] },
    makeZip([{ name: 'a.csv', data: '' }]),
    ['no-body', 'not-replaced'],
    earlier,
  ],
  ['no lines in an archive', { format: 'lines', decode: ['unzip'] }, makeZip([{ name: 'a', data: '' }]), ['emptied']],
  [
    'an archive without files',
    { format: 'lines', decode: ['unzip'], members: ['*'] },
    makeZip([]),
    ['no-body', 'not-replaced'],
    earlier,
  ],
  [
    'an archive with an empty file beside one with a header',
    { format: 'csv', decode: ['unzip'], members: ['*'] },
    makeZip([
      { name: 'a.csv', data: 'id\n' },
      { name: 'b.csv', data: '\n' },
    ]),
    ['emptied'],
  ],
];

for (const [what, response, body, expected, text = ''] of answers) {
  test(`${what}: ${text === '' ? 'replaces an earlier output' : 'keeps an earlier output'}`, async () => {
    const { stderr, ...outcome } = await play({ response, pages: [body], earlier });
    assert.equal(outcome, { exit: 0, codes: expected, text }, stderr);
  });
}

test('an archive whose files no pattern matches is an error, which names them, and keeps the output of an earlier run', async () => {
  const response = { format: 'csv', decode: ['unzip'], members: ['orders-*.csv'] };
  const { exit, stderr, text } = await play({
    response,
    pages: [makeZip([{ name: 'a.csv', data: 'id\n1\n' }])],
    earlier,
  });
  assert.equal([exit, text], [1, earlier], stderr);
  assert.match(stderr, /has no file that matches `response\.members`, but "a\.csv"/);
});

test.run();
