/** `run --certificate` and `verify`: what is certified, and that each thing that was tampered with is named. */
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Certificate } from '../../src/tools/certificate/certificate.js';
import { commandHere, inTemporary } from '../blackbox/command.js';
import { json, startApi } from '../loopback/api.js';
import { inCwd } from '../support/in-cwd.js';

/** A certificate to tamper with. */
type Mutable<T> = T extends readonly (infer E)[]
  ? [Mutable<E>, ...Mutable<E>[]]
  : T extends object
    ? { -readonly [K in keyof T]-?: Mutable<Exclude<T[K], undefined>> }
    : T;

interface Scene {
  readonly origin: string;
  /** The total that the API states. */
  state(total: number): void;
  readonly requests: readonly { readonly target: string }[];
  /** Runs the command, in the folder. */
  call(...words: readonly string[]): ReturnType<typeof commandHere>;
  lines(): Promise<readonly string[]>;
  write(lines: readonly string[]): Promise<void>;
  certificate(): Promise<Mutable<Certificate>>;
  change(edit: (certificate: Mutable<Certificate>) => void): Promise<void>;
  verify(...words: readonly string[]): Promise<{ readonly exit: number | null; readonly lines: readonly string[] }>;
}

const size = 10;
/** The last name is a number. */
const all = Array.from({ length: 25 }, (_, index) => ({ id: index + 1, name: index === 24 ? index : `n${index}` }));

const inScene = (work: (scene: Scene) => Promise<void>) => () =>
  inTemporary((folder) =>
    inCwd(folder, async () => {
      let total = all.length;
      const api = await startApi(({ target }) => {
        const { searchParams, pathname } = new URL(target, 'http://x');
        const page = Number(searchParams.get('page') ?? 1);
        if (pathname === '/users/7') return { status: 404 };
        if (pathname.startsWith('/users/')) return json({ data: [{ of: pathname }] });
        if (pathname === '/counted') return json({ data: all }, { headers: { 'x-total-count': '25' } });
        if (pathname === '/unsure') return json({ count: 25, data: all });
        return json({ total, data: all.slice((page - 1) * size, page * size) });
      });
      const config = {
        api: {
          baseUrl: `${api.origin}/`,
          pagination: { method: 'pagenum', limit: size },
          http: { headers: { 'X-Key': { env: 'KEY' } } },
        },
        config: { jobs: [{ endpoint: 'users', dataField: 'data', params: { key: { env: 'KEY' } } }] },
      };
      const file = join('out', 'users.ndjson');
      await writeFile('config.json', JSON.stringify(config));
      const call: Scene['call'] = (...words) => commandHere(words, { env: { KEY: 'very-secret' } });
      const certificate = async () => JSON.parse(await readFile('run.json', 'utf8'));
      const scene: Scene = {
        origin: api.origin,
        state(given) {
          total = given;
        },
        requests: api.requests,
        call,
        certificate,
        lines: async () => (await readFile(file, 'utf8')).split(/(?<=\n)/),
        write: (lines) => writeFile(file, lines.join('')),
        async change(edit) {
          const changed = await certificate();
          edit(changed);
          await writeFile('run.json', JSON.stringify(changed));
        },
        async verify(...words) {
          const { exit, stdout } = await call('verify', 'run.json', ...words);
          return {
            exit,
            lines: stdout
              .trim()
              .split('\n')
              .filter((line) => line !== '' && !/^same:/.test(line)),
          };
        },
      };
      await work(scene).finally(() => api.close());
    }),
  );

const certified = (work: (scene: Scene) => Promise<void>, to = 'ndjson:out') =>
  inScene(async (scene) => {
    const { exit, stderr } = await scene.call('run', 'config.json', '--to', to, '--certificate', 'run.json');
    assert.is(exit, 0, stderr);
    await work(scene);
  });

const about = /^differs: /;

test(
  'has what was asked, how each walk has ended, totals, digests and versions, and no secret',
  certified(async ({ certificate, verify, requests }) => {
    const { versions, jobs, walks, outputs, pages, run, configuration } = await certificate();
    assert.is(versions.node, process.version);
    assert.equal(jobs, [
      { job: 'users', dataType: 'users', walks: 1, pages: 3, items: 25, bytes: 553, requests: 3, isCut: false },
    ]);
    const [walk] = walks;
    assert.match(walk.asked, /^GET http:.*\/users\?key=\*\*\*&page=1&/);
    assert.equal(walk.end, { by: 'short page', reason: 'a page shorter than the limit (5 of 10)' });
    assert.equal(walk.total, { items: 25, at: 'total', agrees: true });
    assert.equal([outputs[0].items, outputs[0].hasPages, outputs[0].files.length], [25, true, 1]);
    assert.equal(
      pages.map(({ page, items }) => [page, items]),
      [
        [1, 10],
        [2, 10],
        [3, 5],
      ],
    );
    assert.equal([run.resumed, configuration.file, configuration.options], [false, 'config.json', {}]);
    assert.not.match(await readFile('run.json', 'utf8'), 'very-secret');
    const before = requests.length;
    assert.equal(await verify(), { exit: 0, lines: [] });
    assert.is(requests.length, before);
  }),
);

test(
  'a name that has a secret is masked, and its file is not certified',
  inScene(async ({ origin, call, verify }) => {
    const api = { baseUrl: `${origin}/`, http: { headers: { 'X-Key': { env: 'KEY' } } } };
    const config = { jobs: [{ endpoint: 'users', dataType: 'very-secret', dataField: 'data' }] };
    await writeFile('config.json', JSON.stringify({ api, config }));
    await call('run', 'config.json', '--to', 'ndjson:out', '--certificate', 'run.json');
    assert.not.match(await readFile('run.json', 'utf8'), 'very-secret');
    const lines = ['unchecked: out/***.ndjson: 10 items, in no file that can be checked here'];
    assert.equal((await verify()).lines.slice(-1), lines);
  }),
);

test(
  'is as the JSON Schema of the package says',
  certified(async ({ certificate }) => {
    const schema = JSON.parse(await readFile(new URL('../../certificate.schema.json', import.meta.url), 'utf8'));
    const validate = new Ajv2020({ strict: true }).compile(schema);
    assert.ok(validate(await certificate()), JSON.stringify(validate.errors));
    assert.not(validate({ ...(await certificate()), pages: [{ walk: 0 }] }));
  }),
);

test(
  'a missing page, a changed one, extra rows and a cut file are named',
  certified(async ({ lines, write, verify }) => {
    const whole = await lines();
    const differences = async (changed: readonly string[]) => {
      await write(changed);
      const { exit, lines: found } = await verify();
      assert.is(exit, 1);
      return found.map((line) => line.replace(about, ''));
    };
    const page = 'out/users.ndjson: ';
    assert.equal(
      (await differences(whole.toSpliced(10, 10)))[1],
      `${page}missing: page 2 of job "users" (10 rows), before page 3 of job "users"`,
    );
    assert.equal(await differences(whole.with(12, whole[12]?.replace('n12', 'n99') ?? '')), [
      `${page}its content has changed`,
      `${page}changed: page 2 of job "users"`,
    ]);
    assert.equal(await differences([...whole, '{"id":26}\n']), [
      `${page}10 bytes more than certified`,
      `${page}1 row more than certified, at its end`,
    ]);
    assert.match(
      (await differences(whole.slice(0, 22)))[1] ?? '',
      /cut: page 3 of job "users" should have 5 rows, and 2 are left/,
    );
    await rm('out/users.ndjson');
    assert.equal(await verify(), { exit: 1, lines: ['differs: out/users.ndjson: the file is missing'] });
  }),
);

test(
  'figures of the certificate itself must agree: totals, pages, walks, jobs and outputs',
  certified(async ({ change, verify }) => {
    const original = await readFile('run.json', 'utf8');
    const after = async (edit: (certificate: Mutable<Certificate>) => void) => {
      await writeFile('run.json', original);
      await change(edit);
      const { exit, lines } = await verify();
      return [exit, ...lines.map((line) => line.replace(about, ''))];
    };
    const job = 'job "users": ';
    assert.equal(await after(({ walks }) => (walks[0].total.items = 26)), [
      1,
      `${job}the API states 26 items ("total"), and 25 came`,
    ]);
    assert.equal(await after(({ walks }) => (walks[0].total.agrees = false)), [
      1,
      `${job}the API states 25 items ("total"), and 25 came`,
    ]);
    assert.equal(await after(({ walks }) => Object.assign(walks[0].total, { items: 20, isLeast: true })), [0]);
    assert.equal(await after(({ walks }) => Object.assign(walks[0].total, { items: 26, first: 24 })), [0]);
    assert.equal(await after(({ walks }) => Reflect.deleteProperty(walks[0], 'end')), [
      1,
      `${job}its walk has no end: later pages are not certified`,
    ]);
    assert.equal(await after(({ jobs }) => (jobs[0].items = 24)), [
      1,
      `${job}it has 24 items, and its certified pages have 25`,
      'out/users.ndjson: it has 25 items, and the jobs of "users" have 24',
    ]);
    const missing = await after(({ pages }) => pages.splice(1, 1));
    assert.equal(missing.slice(0, 3), [
      1,
      `${job}the certificate lacks page 2 of job "users"`,
      `${job}its walk has 25 items, and its pages have 15`,
    ]);
    assert.match(String(missing[3]), '10 rows more than certified, before page 3');
    const last = await after(({ pages }) => pages.pop());
    assert.is(last[1], `${job}its walk has 3 pages, and the certificate 2`);
    const strange = await after(({ pages }) =>
      pages.push({ walk: '7/1', page: 1, items: 0, bytes: 0, sha256: '0'.repeat(64) }),
    );
    assert.equal(strange, [1, 'walk 7/1: page 1 is of a walk that the certificate lacks']);
  }),
);

test(
  'a run whose total the API contradicts is named, too',
  inScene(async ({ state, call, verify }) => {
    state(26);
    await call('run', 'config.json', '--certificate', 'run.json');
    const { exit, lines } = await verify();
    assert.equal([exit, ...lines], [1, 'differs: job "users": the API states 26 items ("total"), and 25 came']);
  }),
);

test(
  'a total may be in a header; one that may mean something else is none',
  inScene(async ({ origin, call, certificate }) => {
    for (const [endpoint, total] of [
      ['counted', { items: 25, at: 'header x-total-count', agrees: true }],
      ['unsure', undefined],
    ] as const) {
      const jobs = [{ endpoint, dataField: 'data' }];
      const config = { api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum', limit: 30 } }, config: { jobs } };
      await writeFile('config.json', JSON.stringify(config));
      await call('run', 'config.json', '--to', 'null:', '--certificate', 'run.json');
      assert.equal((await certificate()).walks[0].total, total, endpoint);
    }
  }),
);

test(
  'a limit of the run is the end of a walk, and no difference',
  inScene(async ({ call, certificate, verify }) => {
    await call('run', 'config.json', '--certificate', 'run.json', '--max-items', '12');
    const { walks, jobs, configuration } = await certificate();
    assert.equal([walks[0].end.by, walks[0].items, jobs[0].isCut], ['limit of the run', 12, true]);
    assert.equal([walks[0].total.agrees, configuration.options], [undefined, { maxItems: '12' }]);
    assert.is((await verify()).exit, 0);
  }),
);

test(
  'compressed and numbered files, CSV and Parquet, and what is no file',
  inScene(async ({ call, certificate, verify }) => {
    const to = (address: string) => call('run', 'config.json', '--to', address, '--certificate', 'run.json');
    const found = async () => (await verify()).lines.map((line) => line.replace(about, ''));
    await to('ndjson:z?compress=gzip');
    assert.ok((await certificate()).outputs[0].hasPages);
    assert.is((await verify()).exit, 0);
    const lines = all.map((item) => `${JSON.stringify(item)}\n`);
    await writeFile('z/users.ndjson.gz', gzipSync(lines.toSpliced(0, 10).join('')));
    assert.match((await found())[1] ?? '', 'missing: page 1 of job "users" (10 rows), before page 2');
    await writeFile('z/users.ndjson.gz', 'no gzip');
    assert.match((await found())[1] ?? '', 'z/users.ndjson.gz: cannot be read: incorrect header check');

    await to('ndjson:parts?rotate=200');
    assert.equal(await found(), []);
    await writeFile('parts/users-000004.ndjson', 'x');
    assert.equal(await found(), ['parts/users-000004.ndjson: not certified: another part of the output']);
    await rm('parts/users-000002.ndjson');
    assert.match((await found())[1] ?? '', 'parts/users-000002.ndjson: the file is missing');

    await to('csv:table');
    assert.is((await verify()).exit, 0);
    await appendFile('table/users.csv', '26,"a\nb"\n');
    assert.equal(await found(), ['table/users.csv: 1 row more than certified']);
    await writeFile('table/users.csv', 'id,name\n1,n0');
    assert.equal(await found(), ['table/users.csv: cut: 24 rows fewer than certified']);

    await to('parquet:columns');
    assert.is((await verify()).exit, 0);
    await writeFile('columns/users.parquet', 'PAR1');
    assert.match((await found())[0] ?? '', /^columns\/users.parquet: cut: 4 bytes of \d+$/);

    await to('null:');
    assert.equal(await verify(), {
      exit: 0,
      lines: ['unchecked: dropped: 25 items, in no file that can be checked here'],
    });
  }),
);

test(
  'an output that lacks refused items is certified as a whole',
  inScene(async ({ call, certificate, verify }) => {
    await call('shape', 'config.json', '--out', 'shape.json');
    const words = ['--shape', 'shape.json', '--on-drift', 'drop', '--certificate', 'run.json'];
    const { stderr } = await call('run', 'config.json', '--to', 'ndjson:out', ...words);
    const [output] = (await certificate()).outputs;
    assert.equal([output.items, output.hasPages], [24, false]);
    assert.match(stderr, 'out/users.ndjson is certified as a whole, not page by page');
    assert.is((await verify()).exit, 0);
  }),
);

test(
  'child jobs have walks of their own, and their requests that failed are ends',
  inScene(async ({ origin, call, certificate, verify }) => {
    const children = [
      { endpoint: 'users/{id}', dataType: 'details', dataField: 'data', placeholders: { id: 'id' }, onError: 'skip' },
    ];
    const jobs = [{ endpoint: 'users', dataField: 'data', children }];
    const config = { api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum', limit: size } }, config: { jobs } };
    await writeFile('config.json', JSON.stringify(config));
    await call('run', 'config.json', '--to', 'ndjson:out', '--certificate', 'run.json', '--concurrency', '4');
    const { walks } = await certificate();
    assert.equal([walks.length, walks.filter(({ end }) => end === undefined).length], [26, 0]);
    const failed = walks.filter(({ end }) => end.by === 'failed request');
    assert.equal(
      failed.map(({ end, items }) => [end.reason, items]),
      [['a request that failed (404) and was left out', 0]],
    );
    assert.is((await verify()).exit, 0);
    const path = join('out', 'details.ndjson');
    const lines = (await readFile(path, 'utf8')).split(/(?<=\n)/);
    await writeFile(path, lines.toSpliced(3, 1).join(''));
    assert.match((await verify()).lines[1] ?? '', /missing: page 1 of job "details" \(walk 0\/.*\) \(1 row\)$/);
  }),
);

test(
  '--again asks for the first page of each job, and compares totals',
  certified(async ({ state, verify, requests, call }) => {
    const before = requests.length;
    assert.equal(await verify('--again'), { exit: 0, lines: [] });
    assert.is(requests.length, before + 1);
    state(30);
    assert.equal(await verify('--again'), {
      exit: 1,
      lines: ['differs: job "users": the API states 30 items now, and 25 in the run'],
    });
    const { stderr } = await call('verify', 'run.json', '--again', '--set', 'config.jobs[0].dataField=items');
    assert.match(stderr, 'config.json is another configuration than that of the certified run');
    assert.is(requests.length, before + 2);
  }),
);

test(
  '--again says if the API states no total any more, or has stated none',
  certified(async ({ state, verify, change }) => {
    state(Number.NaN);
    assert.equal((await verify('--again')).lines, [
      'unchecked: job "users": the API states no total any more; certified: 25',
    ]);
    await change(({ walks }) => Reflect.deleteProperty(walks[0], 'total'));
    assert.equal(await verify('--again'), {
      exit: 0,
      lines: ['unchecked: totals: the API has stated none in the run'],
    });
    await change(({ walks }) => Object.assign(walks[0], { total: { items: 25, at: 'total' } }));
    await writeFile('config.json', JSON.stringify({ api: { baseUrl: 'http://127.0.0.1:1/' }, config: { jobs: [] } }));
    assert.is((await verify('--again')).exit, 1);
  }),
);

test(
  'wrong words and files end before anything is done',
  certified(async ({ call }) => {
    const said = async (...words: readonly string[]) => (await call(...words)).stderr;
    assert.match(await said('verify'), 'FILE is missing: the path of a certificate');
    assert.match(await said('verify', 'a', 'b'), 'expected one FILE, found "b" too');
    assert.match(await said('verify', 'run.json', '--again', '--dir', 'x'), '--again reads no files: leave out --dir');
    assert.match(await said('verify', 'run.json', '--config', 'x'), '--config needs --again');
    assert.match(await said('verify', 'no.json'), 'no.json: cannot be read');
    assert.match(await said('verify', 'config.json'), 'config.json is no certificate: `certificate` is not as');
    await writeFile('list.json', '[');
    assert.match(await said('verify', 'list.json'), 'list.json is no certificate: it is not as');
    const both = ['--certificate', 'c.json', '--state', 'st', '--retry-failed'];
    assert.match(await said('run', 'config.json', ...both), '--certificate and --retry-failed exclude each other');
    assert.match(await said('run', 'config.json', '--certificate', 'out'), 'out: cannot be written');
  }),
);

test(
  'many differences are a few names in the message, and --json is one object a line',
  certified(async ({ call, change }) => {
    await change((certificate) => {
      const [output] = certificate.outputs;
      output.hasPages = false;
      const [file] = output.files;
      output.files.splice(0, 1, ...Array.from({ length: 7 }, (_, index) => ({ ...file, file: `${index}.ndjson` })));
    });
    const { stderr, stdout } = await call('verify', 'run.json', '--json');
    assert.match(stderr, 'not as certified: 0.ndjson, 1.ndjson, 2.ndjson, 3.ndjson, 4.ndjson, 2 more');
    assert.equal(JSON.parse(stdout.split('\n')[0] ?? ''), {
      result: 'differs',
      what: '0.ndjson',
      text: 'the file is missing',
    });
  }),
);

test.run();
