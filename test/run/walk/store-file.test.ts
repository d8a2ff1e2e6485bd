/** A child with `download`: its responses are files of the sinks, with an item each. docs/14-any-response.md#files. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  all,
  csv,
  memory,
  ndjson,
  parquet,
  routes,
  type Sink,
  selectMembers,
  sinkFromUri,
  stdout,
  through,
} from '../../../sinks/index.js';
import { sinks as entries } from '../../../sinks/registry.js';
import { stateFolder } from '../../../src/checkpoint/store/folder-store.js';
import { fromPlain, isObject } from '../../../src/core/json/exact.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { defined } from '../../../src/core/util/defined.js';
import { recordExchanges } from '../../../src/recording/record.js';
import { replayExchanges } from '../../../src/recording/replay.js';
import { run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { planRun } from '../../../src/run/plan/make-plan.js';
import { noPlace } from '../../../src/run/walk/store-file.js';
import { planText } from '../../../src/tools/plan/plan-text.js';
import { type Api, headerOf, json, type RecordedRequest, type Reply, startApi } from '../../loopback/api.js';
import { filesIn, inFolder, rejection } from '../../sinks/lib.js';
import { startClock } from '../../support/virtual-clock.js';
import { unchecked } from '../../unchecked.js';

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** Each file is its path, repeated; it has an ETag, and parts of it are sent. */
const contentOf = (path: string) => Buffer.from(`${path};`.repeat(2000));

type Answer = (request: RecordedRequest, path: string) => Reply | undefined;

const filed = (path: string, more: Reply['headers'] = {}): Reply => ({
  headers: { 'content-type': 'application/pdf', etag: `"${path}"`, ...more },
  body: contentOf(path),
});

/** A part, if one is requested of this version. */
function partOf(request: RecordedRequest, path: string, { headers = {}, body = '' }: Reply): Reply {
  const from = Number(/bytes=(\d+)-/.exec(headerOf(request, 'range') ?? '')?.[1] ?? -1);
  if (from < 0 || headerOf(request, 'if-range') !== `"${path}"` || typeof body === 'function') return { headers, body };
  const whole = Buffer.from(body);
  const range = `bytes ${from}-${whole.length - 1}/${whole.length}`;
  return { status: 206, headers: { ...headers, 'content-range': range }, body: whole.subarray(from) };
}

async function inApi(documents: readonly object[], use: (api: Api) => Promise<void>, answer?: Answer) {
  const api = await startApi((request) => {
    const { pathname } = new URL(request.target, 'http://x');
    const own = answer?.(request, pathname);
    if (own !== undefined) return own;
    return pathname === '/documents' ? json(documents) : partOf(request, pathname, filed(pathname));
  });
  try {
    await use(api);
  } finally {
    await api.close();
  }
}

const download = { url: 'files/{id}', to: '{name}' };

const configOf = ({ origin }: Api, child: object = { download, placeholders: { id: 'id' } }, more: object = {}) =>
  unchecked({
    api: { baseUrl: `${origin}/`, retryConfig: { maxRetries: 2 }, ...more },
    config: {
      jobs: [{ endpoint: 'documents', dataType: 'documents', children: [{ dataType: 'files', ...child }] }],
    },
  });

const rowsIn = (dir: string) =>
  readFileSync(join(dir, 'files.ndjson'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const three = [
  { id: 1, name: 'one.pdf' },
  { id: 2, name: 'two.pdf' },
  { id: 3, name: 'one.pdf' },
];

async function pull(api: Api, to: Sink, options: RunOptions = {}, child?: object, more?: object) {
  const notices: Notice[] = [];
  const clock = startClock();
  const notify = (notice: Notice) => {
    notices.push(notice);
    if (notice.code === 'retry') clock.passSoon(2000);
  };
  try {
    const summary = await run(configOf(api, child, more), { to, notify, ...options });
    return { notices, summary };
  } finally {
    clock.stop();
  }
}

test(
  'each item of the parent gives a file, and an item with its name, size, type, digest and URL',
  inFolder((dir) =>
    inApi(three, async (api) => {
      await pull(api, ndjson(dir));
      const [first, second, third] = rowsIn(dir);
      assert.equal(first, {
        ...{ name: 'one.pdf', size: contentOf('/files/1').length, sha256: sha256(contentOf('/files/1')) },
        ...{ type: 'application/pdf', url: `${api.origin}/files/1`, parent_id: 1 },
      });
      assert.is(second.name, 'two.pdf');
      assert.match(third.name, /^one-[\da-f]{8}\.pdf$/);
      const found = filesIn(join(dir, 'files.ndjson.files'));
      assert.equal(Object.keys(found).sort(), [first.name, second.name, third.name].sort());
      assert.is(found[third.name], String(contentOf('/files/3')));
      assert.equal(readdirSync(dir).sort(), ['documents.ndjson', 'files.ndjson', 'files.ndjson.files']);
    }),
  ),
);

test('side by side and one after the other, files of one name have the same names', async () => {
  const names: unknown[] = [];
  const documents = Array.from({ length: 20 }, (_, id) => ({ id, name: `${id % 3}.txt` }));
  const slow: Answer = (_, path) => {
    if (path === '/documents') return undefined;
    const id = Number(path.split('/').at(-1));
    return { ...filed(path), body: (to) => void setTimeout(() => to.end(contentOf(path)), id % 4 === 0 ? 30 : 0) };
  };
  for (const concurrency of [1, 8]) {
    await inFolder((dir) =>
      inApi(
        documents,
        async (api) => {
          await pull(api, ndjson(dir), { concurrency });
          names.push(rowsIn(dir).map(({ name, sha256, parent_id }) => [name, sha256, parent_id]));
          for (const { name, sha256: digest } of rowsIn(dir)) {
            assert.is(sha256(readFileSync(join(dir, 'files.ndjson.files', name))), digest);
          }
        },
        slow,
      ),
    )();
  }
  assert.equal(names[0], names[1]);
});

test(
  'names are valid on every system, without folders, control characters and devices',
  inFolder(async (dir) => {
    const odd = ['../../etc/passwd', '/abs', 'con.pdf', 'a\u0000b\n.txt', `${'x'.repeat(300)}.pdf`, 'end.', '  ', '..'];
    const documents = odd.map((name, id) => ({ id, name }));
    await inApi(documents, async (api) => {
      await pull(api, ndjson(dir));
      const names = rowsIn(dir).map(({ name }) => name);
      assert.equal(readdirSync(join(dir, 'files.ndjson.files')).sort(), [...names].sort());
      assert.equal(readdirSync(dir).sort(), ['documents.ndjson', 'files.ndjson', 'files.ndjson.files']);
      for (const name of names) {
        assert.match(name, /^[\p{L}\p{N}._-]+$/u);
        assert.not.match(name, /^\.|^con\.|\.$/i);
        assert.ok(Buffer.byteLength(name) <= 240, name);
      }
      assert.match(names[4], /^x{200}-[\da-f]{8}\.pdf$/);
      assert.is(new Set(names).size, names.length);
    });
  }),
);

test(
  'a file whose connection breaks is continued where it broke',
  inFolder(async (dir) => {
    let breaks = 1;
    const broken: Answer = (_, path) => {
      if (path !== '/files/1' || breaks === 0) return undefined;
      breaks -= 1;
      const { headers } = filed(path, { 'content-length': String(contentOf(path).length) });
      return {
        headers: { ...headers },
        body: (to) => void to.write(contentOf(path).subarray(0, 9000), () => setTimeout(() => to.destroy(), 50)),
      };
    };
    await inApi(
      three.slice(0, 1),
      async (api) => {
        await pull(api, ndjson(dir));
        const ranges = api.requests.map((request) => headerOf(request, 'range'));
        assert.equal(ranges, [undefined, undefined, 'bytes=8999-']);
        assert.is(headerOf(api.requests[2] as RecordedRequest, 'if-range'), '"/files/1"');
        assert.is(rowsIn(dir)[0].sha256, sha256(contentOf('/files/1')));
        assert.is(filesIn(join(dir, 'files.ndjson.files'))['one.pdf'], String(contentOf('/files/1')));
      },
      broken,
    );
  }),
);

test(
  'a file that has changed meanwhile, and one without an ETag, are begun anew',
  inFolder(async (dir) => {
    const seen = new Set<string>();
    const broken: Answer = (_, path) => {
      if (path === '/documents' || path === '/files/2') return undefined;
      const etag = path === '/files/3' ? {} : { etag: seen.has(path) ? '"new"' : '"old"' };
      const content = Buffer.from(`${seen.size}`.repeat(30_000));
      const headers = { ...etag, 'content-length': String(content.length) };
      if (seen.has(path)) return { headers, body: content };
      seen.add(path);
      return {
        headers,
        body: (to) => void to.write(content.subarray(0, 9000), () => setTimeout(() => to.destroy(), 50)),
      };
    };
    await inApi(
      three,
      async (api) => {
        await pull(api, ndjson(dir));
        const ranges = api.requests.map((request) => [request.target, headerOf(request, 'range')]);
        assert.equal(
          ranges.filter(([, range]) => range !== undefined),
          [['/files/1', 'bytes=8999-']],
        );
        for (const { name, sha256: digest, size } of rowsIn(dir)) {
          const bytes = readFileSync(join(dir, 'files.ndjson.files', name));
          assert.equal([sha256(bytes), bytes.length], [digest, size]);
        }
      },
      broken,
    );
  }),
);

/** What a server does wrong with a request for a part: the bytes it skips, and the ETag of its response. */
const wrongParts = [
  ['of another version, as `If-Range` is ignored', 0, '"next"'],
  ['with other bytes than requested', 1, undefined],
] as const;

for (const [what, skipped, etag] of wrongParts)
  test(
    `a part ${what}, is not joined: the whole file is requested`,
    inFolder((dir) => {
      let attempts = 0;
      const next = Buffer.from('next;'.repeat(4000));
      const answer: Answer = (request, path) => {
        if (path !== '/files/1') return undefined;
        attempts += 1;
        if (attempts === 1) {
          const { headers = {} } = filed(path, { 'content-length': String(contentOf(path).length) });
          const start = contentOf(path).subarray(0, 9000);
          return { headers, body: (to) => void to.write(start, () => setTimeout(() => to.destroy(), 50)) };
        }
        const from = Number(/bytes=(\d+)-/.exec(headerOf(request, 'range') ?? '')?.[1] ?? -1);
        if (from < 0) return { headers: { etag: '"next"' }, body: next };
        const first = from + skipped;
        const headers = { ...defined({ etag }), 'content-range': `bytes ${first}-${next.length - 1}/${next.length}` };
        return { status: 206, headers, body: next.subarray(first) };
      };
      return inApi(
        three.slice(0, 1),
        async (api) => {
          await pull(api, ndjson(dir));
          assert.is(rowsIn(dir)[0].sha256, sha256(next));
          assert.is(filesIn(join(dir, 'files.ndjson.files'))['one.pdf'], next.toString());
          assert.is(attempts, 3);
        },
        answer,
      );
    }),
  );

test(
  'a compressed body is decoded, and not continued',
  inFolder(async (dir) => {
    const packed: Answer = (_, path) =>
      path === '/documents'
        ? undefined
        : { headers: { etag: '"x"', 'content-encoding': 'gzip' }, body: gzipSync(contentOf(path)) };
    await inApi(
      three.slice(0, 1),
      async (api) => {
        await pull(api, ndjson(dir));
        assert.is(filesIn(join(dir, 'files.ndjson.files'))['one.pdf'], String(contentOf('/files/1')));
        assert.is(rowsIn(dir)[0].size, contentOf('/files/1').length);
        assert.is(rowsIn(dir)[0].type, null);
      },
      packed,
    );
  }),
);

test(
  'a link to another server gets no credentials, is continued all the same, and its signature is masked',
  inFolder(async (dir) => {
    const seen: (string | undefined)[][] = [];
    const storage = await startApi((request) => {
      const { pathname } = new URL(request.target, 'http://x');
      seen.push([headerOf(request, 'x-key'), headerOf(request, 'range')]);
      if (seen.length > 1) return partOf(request, pathname, filed(pathname));
      const { headers = {} } = filed(pathname, { 'content-length': String(contentOf(pathname).length) });
      return {
        headers,
        body: (to) => void to.write(contentOf(pathname).subarray(0, 5000), () => setTimeout(() => to.destroy(), 50)),
      };
    });
    const link = `${storage.origin}/a%20b.pdf?signature=0123456789abcdef0123456789&part=1`;
    const child = { download: { url: '{link}' }, placeholders: { id: 'id' } };
    try {
      await inApi([{ id: 1, link }], async (api) => {
        const http = { headers: { 'X-Key': 'secret-of-the-api' } };
        await pull(api, ndjson(dir), {}, child, { http });
        assert.equal(seen, [
          [undefined, undefined],
          [undefined, 'bytes=4999-'],
        ]);
        const [row] = rowsIn(dir);
        assert.is(row.name, 'a_b.pdf');
        assert.is(row.url, `${storage.origin}/a%20b.pdf?signature=***&part=1`);
        assert.equal(Object.keys(row), ['name', 'size', 'sha256', 'type', 'url', 'parent_id']);
        assert.is(row.sha256, sha256(contentOf('/a%20b.pdf')));
      });
    } finally {
      await storage.close();
    }
  }),
);

test(
  'a file that is left out has no item and leaves nothing',
  inFolder(async (dir) => {
    const gone: Answer = (_, path) => (path === '/files/2' ? { status: 404, body: 'no' } : undefined);
    await inApi(
      three,
      async (api) => {
        const { summary } = await pull(api, ndjson(dir), {}, { download, onError: { 404: 'skip' } });
        assert.is(summary.jobs[1]?.skipped, 1);
        assert.equal(rowsIn(dir).length, 2);
        assert.equal(readdirSync(join(dir, 'files.ndjson.files')).length, 2);
      },
      gone,
    );
  }),
);

test(
  'a rule on the header fails a page of the login in place of a file',
  inFolder(async (dir) => {
    const html: Answer = (_, path) =>
      path === '/files/2' ? { headers: { 'content-type': 'text/html' }, body: '<html>' } : undefined;
    // biome-ignore lint/suspicious/noThenProperty: a key of the configuration.
    const rule = { when: { header: 'content-type', matches: 'html' }, then: 'fail' };
    await inApi(
      three,
      async (api) => {
        await rejection(
          pull(api, ndjson(dir), {}, { download, responseRules: [rule] }),
          'ERR_RESPONSE',
          /responseRules\[0\]/,
        );
        assert.not.ok(existsSync(join(dir, 'files.ndjson.files')));
      },
      html,
    );
  }),
);

test(
  'a file larger than maxBodyBytes fails, also one that is continued',
  inFolder((dir) =>
    inApi(three, async (api) => {
      const most = contentOf('/files/1').length - 1;
      await rejection(pull(api, ndjson(dir), { maxBodyBytes: most }), 'ERR_BODY_SIZE', /maxBodyBytes/);
    }),
  ),
);

test('sinks without a place for files are refused before the first request', () =>
  inApi(three, async (api) => {
    await rejection(
      pull(api, stdout()),
      'ERR_USAGE',
      /"files" has files \(`download`\), and stdout: has no place for them: use ndjson, csv, parquet or s3/,
    );
    const both = routes([{ to: memory(), dataTypes: ['documents'] }, { to: stdout() }]);
    await rejection(pull(api, both), 'ERR_USAGE', /no place/);
    assert.is(api.requests.length, 0);
    await pull(api, routes([{ to: stdout(), dataTypes: ['nothing'] }, { to: memory() }]), {}).catch(() => undefined);
    const split = routes([{ to: { write() {}, close() {}, abort() {} }, dataTypes: ['documents'] }, { to: memory() }]);
    await pull(api, split);
    assert.is(api.requests.length, 4);
  }));

test('the sinks that the refusal names are those with a place for files', () => {
  const made = Object.entries(entries).map(
    ([name, { example }]) => [name, sinkFromUri(example, { env: { KEY: 'k' } })] as const,
  );
  const able = made.filter(([, sink]) => sink.file !== undefined).map(([name]) => name);
  assert.equal(able.sort(), ['csv', 'ndjson', 'null', 'parquet', 's3']);
  for (const name of able) assert.ok(name === 'null' || noPlace('x').message.includes(name), name);
});

test(
  'each of several sinks in one folder has a folder of its own for the same files',
  inFolder((dir) =>
    inApi(three, async (api) => {
      await pull(
        api,
        all([
          csv(dir),
          parquet(dir),
          ndjson(dir),
          ndjson(dir, { compress: 'gzip' }),
          ndjson(dir, { rotateBytes: 1e6 }),
        ]),
      );
      const folders = readdirSync(dir).filter((name) => name.endsWith('.files'));
      assert.equal(folders.sort(), [
        ...['files-000001.ndjson.files', 'files.csv.files', 'files.ndjson.files', 'files.ndjson.gz.files'],
        'files.parquet.files',
      ]);
      const [c, ...others] = folders.map((each) => filesIn(join(dir, each)));
      assert.is(Object.keys(c ?? {}).length, 3);
      for (const other of others) assert.equal(other, c);
      const names = readFileSync(join(dir, 'files.csv'), 'utf8')
        .split('\r\n')
        .slice(1, -1)
        .map((line) => line.split(',')[0]);
      assert.equal([...names].sort(), Object.keys(c ?? {}).sort());
    }),
  ),
);

const withLinks = [
  { id: 1, pdf: null },
  { id: 2, pdf: 'files/2' },
  { id: 3, pdf: ' ' },
  { id: 4, pdf: ['', 'files/4', null] },
  { id: 5, pdf: '' },
];

for (const concurrency of [1, 4]) {
  test(
    `an item whose address is null or empty has no file and no request, concurrency=${concurrency}`,
    inFolder((dir) =>
      inApi(withLinks, async (api) => {
        const child = { download: { url: '{pdf}' }, placeholders: { id: 'id' } };
        const { notices } = await pull(api, ndjson(dir), { concurrency }, child);
        assert.equal(
          rowsIn(dir).map((row) => [row.name, row.parent_id]),
          [
            ['2', 2],
            ['4', 4],
          ],
        );
        assert.equal(Object.keys(filesIn(join(dir, 'files.ndjson.files'))), ['2', '4']);
        // Files that are fetched side by side arrive at the API in any order.
        assert.equal(api.requests.map(({ target }) => target).sort(), ['/documents', '/files/2', '/files/4']);
        assert.equal(notices, []);
      }),
    ),
  );
}

test('an item without the member of the address is an error with job, item and path', () =>
  inApi([{ id: 1 }], async (api) => {
    const child = { download: { url: '{pdf}' }, placeholders: { id: 'id' } };
    await rejection(pull(api, memory(), {}, child), 'ERR_PLACEHOLDER', /"pdf".*row 1 of page 1 of job "documents"/);
    assert.is(api.requests.length, 1);
  }));

const oneName = [
  { id: 1, name: 'one.pdf' },
  { id: 'one.pdf', name: 'one.pdf' },
];

for (const [select, members] of [
  ['parent_id, name as file', ['file']],
  ['parent_id, name as a, name as b', ['a', 'b']],
  ['parent_id, name', ['name']],
  ['*, !size', ['name']],
  ['parent_id', []],
  ['!name', []],
] as const) {
  test(
    `a renamed file changes the members that have its name alone, with the select ${select}`,
    inFolder((dir) =>
      inApi(oneName, async (api) => {
        await pull(api, ndjson(dir), { select });
        const [, second] = rowsIn(dir);
        const name = Object.keys(filesIn(join(dir, 'files.ndjson.files'))).find((each) => each !== 'one.pdf');
        assert.match(name ?? '', /^one-[\da-f]{8}\.pdf$/);
        assert.is(second.parent_id, 'one.pdf');
        const changed = Object.keys(second).filter((member) => second[member] === name);
        assert.equal(changed, members);
      }),
    ),
  );
}

test(
  'the URL in the item is absolute, and has the long values of its query on the server of the API',
  inFolder((dir) =>
    inApi([{ id: 1, pdf: 'files/1?version=abcdefghijklmnopqrstuvwx' }], async (api) => {
      await pull(api, ndjson(dir), {}, { download: { url: '{pdf}' } });
      assert.is(rowsIn(dir)[0].url, `${api.origin}/files/1?version=abcdefghijklmnopqrstuvwx`);
    }),
  ),
);

test(
  'a transform before the sink may rename the member',
  inFolder((dir) =>
    inApi(three, async (api) => {
      await pull(api, through(ndjson(dir), selectMembers('name as file')));
      const names = rowsIn(dir).map(({ file }) => file);
      assert.equal(names.sort(), Object.keys(filesIn(join(dir, 'files.ndjson.files'))).sort());
    }),
  ),
);

test(
  'a run with another sink leaves the files of an earlier one',
  inFolder((dir) =>
    inApi(
      three,
      async (api) => {
        mkdirSync(join(dir, 'files.ndjson.files'));
        writeFileSync(join(dir, 'files.ndjson.files', 'one.pdf'), 'one');
        const child = { download, placeholders: { id: 'id' }, onError: { 404: 'skip' } };
        for (const sink of [csv(dir), parquet(dir)]) await pull(api, sink, {}, child);
        assert.equal(filesIn(join(dir, 'files.ndjson.files')), { 'one.pdf': 'one' });
        assert.equal(readdirSync(join(dir, 'files.csv.files')), []);
      },
      (_, path) => (path === '/documents' ? undefined : { status: 404 }),
    ),
  ),
);

test(
  'the files of a run replace those of the run before; with mode=append they have a folder of their own',
  inFolder((dir) =>
    inApi(three, async (api) => {
      mkdirSync(join(dir, 'files.ndjson.files'));
      writeFileSync(join(dir, 'files.ndjson.files', 'old.pdf'), 'old');
      await pull(api, ndjson(dir));
      assert.not.ok(existsSync(join(dir, 'files.ndjson.files', 'old.pdf')));
      await pull(api, ndjson(dir, { mode: 'append' }));
      const added = readdirSync(dir).filter((name) => /^files\.\d{8}T\d{6}Z-.*\.000001\.ndjson\.files$/.test(name));
      assert.is(added.length, 1);
      assert.is(readdirSync(join(dir, added[0] ?? '')).length, 3);
      assert.is(readdirSync(join(dir, 'files.ndjson.files')).length, 3);
      assert.equal(
        readdirSync(dir).filter((name) => name.includes('partial')),
        [],
      );
    }),
  ),
);

test(
  'a run that fails publishes no file, and resumed it asks only for the rest',
  inFolder(async (dir) => {
    let fails = true;
    const failing: Answer = (_, path) => {
      if (path !== '/files/3' || !fails) return undefined;
      fails = false;
      const { headers = {} } = filed(path, { 'content-length': String(contentOf(path).length) });
      return {
        headers,
        body: (to) => void to.write(contentOf(path).subarray(0, 7000), () => setTimeout(() => to.destroy(), 50)),
      };
    };
    await inApi(
      three,
      async (api) => {
        const store = () => stateFolder(join(dir, 'st'));
        const more = { retryConfig: { maxRetries: 0 } };
        const out = join(dir, 'out');
        await pull(api, ndjson(out), { store: store() }, undefined, more).catch(() => undefined);
        assert.not.ok(existsSync(join(out, 'files.ndjson.files')));
        const before = api.requests.length;
        await pull(api, ndjson(out), { store: store(), resume: 'only' }, undefined, more);
        const since = api.requests.slice(before).map((each) => [each.target, headerOf(each, 'range')]);
        assert.equal(since, [['/files/3', 'bytes=6999-']]);
        assert.equal(readdirSync(out).sort(), ['documents.ndjson', 'files.ndjson', 'files.ndjson.files']);
        for (const { name, sha256: digest } of rowsIn(out)) {
          assert.is(sha256(readFileSync(join(out, 'files.ndjson.files', name))), digest);
        }
        assert.equal(readdirSync(join(out, 'files.ndjson.files')).length, 3);
      },
      failing,
    );
  }),
);

test(
  'what is empty is a file too',
  inFolder(async (dir) => {
    const empty: Answer = (_, path) => (path.startsWith('/files') ? { status: 204 } : undefined);
    await inApi(
      three.slice(0, 1),
      async (api) => {
        await pull(api, ndjson(dir));
        assert.equal(
          rowsIn(dir).map(({ size, sha256: digest }) => [size, digest]),
          [[0, sha256('')]],
        );
        assert.equal(filesIn(join(dir, 'files.ndjson.files')), { 'one.pdf': '' });
      },
      empty,
    );
  }),
);

test(
  'files are not kept in the cache',
  inFolder((dir) =>
    inApi(three, async (api) => {
      const configuration = unchecked({ ...configOf(api), cache: true });
      for (const out of ['a', 'b'])
        await run(configuration, { to: ndjson(join(dir, out)), cacheFolder: join(dir, 'cache') });
      const targets = api.requests.map(({ target }) => target);
      assert.equal(targets.filter((each) => each === '/documents').length, 1);
      assert.equal(targets.filter((each) => each === '/files/1').length, 2);
    }),
  ),
);

test('a plan shows the request for a file', () =>
  inApi(three, async (api) => {
    const configuration = fromPlain(configOf(api));
    if (!isObject(configuration)) throw new Error('no object');
    const { plan } = await planRun(configuration, {});
    const text = planText(plan);
    assert.match(text, /GET http:\/\/127\.0\.0\.1:\d+\/files\/(?:\{id\}|%7Bid%7D)/);
    assert.match(text, /one for the file, \{name\}/);
    assert.is(api.requests.length, 0);
  }));

test(
  'a replay gives the same items: text has its bytes, and of other files the digests, also where a connection broke',
  inFolder(async (dir) => {
    let breaks = 2;
    const binary: Answer = (_, path) => {
      if (path === '/documents') return undefined;
      const content = path === '/files/1' ? contentOf(path) : Buffer.from([0, 1, 2, 3, ...contentOf(path)]);
      const headers = { etag: `"${path}"`, 'content-length': String(content.length) };
      if (path === '/files/3' || breaks === 0) return { headers, body: content };
      breaks -= 1;
      return {
        headers,
        body: (to) => void to.write(content.subarray(0, 9000), () => setTimeout(() => to.destroy(), 50)),
      };
    };
    const recording = join(dir, 'run.jsonl');
    const parts: number[] = [];
    await inApi(
      three.map(({ id }) => ({ id, name: `${id === 1 ? 'one' : id}.pdf` })),
      async (api) => {
        const exchanges = await recordExchanges(recording);
        await run(configOf(api), { to: ndjson(join(dir, 'a')), exchanges });
        await exchanges.close();
        parts.push(...api.requests.filter((request) => headerOf(request, 'range') !== undefined).map(() => 1));
        const notices: Notice[] = [];
        const replay = await replayExchanges(recording);
        await run(configOf(api), {
          to: ndjson(join(dir, 'b')),
          exchanges: replay,
          notify: (each) => void notices.push(each),
        });
        assert.is((await replay.close()).unused, 0);
        assert.is(notices.filter(({ code }) => code === 'file-not-recorded').length, 2);
      },
      binary,
    );
    assert.equal(parts, []);
    assert.equal(rowsIn(join(dir, 'b')), rowsIn(join(dir, 'a')));
    assert.equal(filesIn(join(dir, 'b', 'files.ndjson.files')), { 'one.pdf': String(contentOf('/files/1')) });
    assert.not.ok(readFileSync(recording, 'utf8').includes('\\u0001'));
  }),
);

test.run();
