/** Tables, pages and comparisons of a result that is known. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compared, differences, readOther } from '../../../src/tools/bench/compare.js';
import { byShare, percent, readingOf } from '../../../src/tools/bench/reading.js';
import { reportPage } from '../../../src/tools/bench/report-page.js';
import { benchTable } from '../../../src/tools/bench/text-table.js';
import { plotData } from '../../../src/tools/report/plot-data.js';
import { inTemporary } from '../../blackbox/command.js';
import { resultOf, rowOf } from './sample.js';

const swept = resultOf({ sweeps: { prefetch: [rowOf('1', 1), rowOf('8', 3), rowOf('16', 2)] } });

test('the reading names what took most of the time, and what a sweep gives', () => {
  const [first, ...others] = readingOf(swept);
  const waiting =
    '80 % of the time: waiting (for the first byte of a response). The API and the way to it set the pace. Larger pages mean fewer waits.';
  assert.is(first, waiting, 'no advice to try what was swept');
  assert.equal(readingOf(resultOf({ options: { prefetch: '4' } })), [waiting]);
  assert.equal(readingOf(resultOf()), [
    `${waiting} With page numbers or offsets, \`rxtract bench --sweep prefetch\` shows what requests ahead give.`,
  ]);
  assert.equal(others, ['--prefetch 8 is 3.0 times as fast as the options as given.']);
  assert.equal(readingOf(resultOf({ sweeps: { prefetch: [rowOf('1', 1)] } })).slice(1), [
    'No value of --prefetch is clearly faster than the options as given.',
  ]);
  const once = { ...rowOf('8', 3), runs: [] };
  const tooFew = readingOf(resultOf({ sweeps: { prefetch: [once] } }));
  assert.match(tooFew[1] ?? '', /clearly faster .*: fewer than 3 runs show no noise\.$/);
  assert.is(readingOf(resultOf({ sweeps: { prefetch: [] } })).length, 1);
  assert.is(readingOf(resultOf({ itemsPerSecond: 0, sweeps: { prefetch: [rowOf('1', 1)] } })).length, 1);
});

test('each phase that took a fifth of the time has its sentence', () => {
  const shares = {
    scanning: 0.3,
    sink: 0.25,
    receiving: 0.2,
    login: 0.1,
    waiting: 0.1,
    limit: 0.05,
    retry: 0,
    engine: 0,
  };
  assert.equal(
    readingOf(resultOf({ shares })).map((line) => line.split(':')[0]),
    ['30 % of the time', '25 % of the time', '20 % of the time'],
  );
  assert.equal(byShare(shares)[0], ['scanning', 0.3]);
  assert.equal([0.004, 0.0994, 0.0999, 1].map(percent), ['0.4 %', '9.9 %', '10 %', '100 %']);
});

test('a difference within the quartiles is noise, and one run shows no noise', () => {
  const verdicts = (before: number, now: number) =>
    Object.fromEntries(compared(resultOf({}, before), resultOf({}, now)).map(({ name, verdict }) => [name, verdict]));
  assert.equal(verdicts(1, 2), {
    itemsPerSecond: 'better',
    pagesPerSecond: 'within the noise',
    bytesPerSecond: 'within the noise',
    seconds: 'better',
    cpuSeconds: 'within the noise',
    peakMemoryBytes: 'within the noise',
  });
  assert.is(verdicts(2, 1).seconds, 'worse');
  assert.is(verdicts(1, 1.05).itemsPerSecond, 'within the noise');
  const { runs } = resultOf();
  const few = compared(resultOf({ runs: runs.slice(0, 1), itemsPerSecond: 0 }), resultOf());
  assert.equal([...new Set(few.map(({ verdict }) => verdict))], ['too few runs']);
  assert.is(few[0]?.ratio, undefined);
});

test('what was not measured alike is named', () => {
  assert.equal(differences(resultOf(), resultOf()), []);
  const { machine, ...rest } = resultOf({ options: { concurrency: '4' } });
  const older = { ...rest, machine: { ...machine, cores: 4 } };
  assert.equal(differences(older, resultOf()), [
    'machine: 4 x cpu, linux x64, Node v20.0.0, rxtract 0.1.0 before, 2 x cpu, linux x64, Node v20.0.0, rxtract 0.1.0 now',
    'options: {"concurrency":"4"} before, {} now',
  ]);
});

test('only a file of --json is compared, and its texts cannot control a terminal', async () => {
  await inTemporary(async (dir) => {
    const path = join(dir, 'other.json');
    const read = async (value: unknown) => {
      await writeFile(path, JSON.stringify(value));
      return readOther(path);
    };
    const sample = resultOf();
    assert.is((await read({ ...sample, configuration: 'a\u001b[2J' })).configuration, 'a [2J');
    const wrong: readonly unknown[] = [
      null,
      [],
      { ...sample, format: 'other' },
      { ...sample, itemsPerSecond: '1' },
      { ...sample, quartiles: {} },
      { ...sample, quartiles: undefined },
      { ...sample, latency: undefined },
      { ...sample, runs: 3 },
      { ...sample, configuration: 1 },
      { ...sample, startedAt: undefined },
      { ...sample, machine: undefined },
    ];
    for (const value of wrong) {
      const failure = await read(value).catch((thrown: Error) => thrown.message);
      assert.match(String(failure), /not a file that --json has written/, JSON.stringify(value)?.slice(0, 80));
    }
  });
});

test('the table shows sweeps and comparisons within 80 columns', () => {
  const lines = benchTable(swept, resultOf({}, 0.5));
  for (const line of lines) assert.ok([...line].length <= 80, line);
  const text = lines.join('\n');
  assert.match(
    text,
    /--prefetch +items\/s +quartiles +p50 ms +p99 ms +memory\n +as given +1,000 .*\n +1 +1,000 +950 - 1,050/,
  );
  assert.match(text, /peak memory +90\.0 MB +largest of all runs\n/);
  assert.match(text, /The measuring took about 0\.1 % of the time/);
  assert.match(text, /memory\n(?: +.*\n)+p50 and p99: from a request to the last byte\./);
  assert.match(text, /"Within the noise"/);
  assert.match(text, /items\/s +500 +1,000 +2\.00 {2}better/);
  const { runs } = resultOf();
  const few = benchTable(
    resultOf({ runs: [], pagesPerSecond: 0 }),
    resultOf({ runs: runs.slice(0, 1), itemsPerSecond: 0 }),
  );
  const cheap = benchTable(resultOf({ measuring: { calls: 3, nanosecondsPerCall: 80, share: 0.0001 } }), undefined);
  assert.match(cheap.join('\n'), /The measuring took less than 0\.1 % of the time/);
  assert.match(few.join('\n'), /A comparison needs 3 runs or more of both\./);
  assert.match(few.join('\n'), /items\/s +0\.0 +1,000 +too few runs/);
});

test('the page shows all sections, and escapes what the user wrote', async () => {
  const page = await reportPage({ ...swept, configuration: '<b>&"</b></script>' }, resultOf({}, 0.5));
  assert.ok(page.includes('Measurement of &#60;b&#62;&#38;&#34;&#60;/b&#62;&#60;/script&#62;'));
  assert.not.ok(page.includes('<b>&'));
  for (const part of ['plot-sweep-prefetch', 'Compared with an earlier', 'plot-latency', 'plot-memory', 'All runs']) {
    assert.ok(page.includes(part), part);
  }
  const once = await reportPage(
    resultOf({ repeat: 1, runs: [], options: { strict: '', 'max-pages': '3' } }),
    undefined,
  );
  assert.ok(once.includes('one run') && once.includes('Options: --strict --max-pages 3.'));
  const differing = await reportPage(resultOf(), resultOf({ configuration: 'other.json', itemsPerSecond: 0 }));
  assert.ok(differing.includes('Not the same configuration: other.json before'));
});

test('the legend of a sweep has the lines of its plot: a dot, dashes, dots', async () => {
  const page = await reportPage(swept, undefined);
  for (const [label, name, form] of [
    ['median', 'median', /\.median \.u-marker::after \{[^}]*border-radius: 50%/],
    ['upper quartile', 'quartile', /\.quartile \.u-marker \{[^}]*dashed/],
    ['lower quartile', 'quartile', /\.quartile \.u-marker \{[^}]*dashed/],
    ['as given', 'given', /\.given \.u-marker \{[^}]*dotted/],
  ] as const) {
    assert.match(page, new RegExp(`line\\('${label}',[^)]*class: '${name}'`));
    assert.match(page, form);
  }
});

test('text is as wide as the plots', async () => {
  const [style = ''] = /<style>[\s\S]*?<\/style>/.exec(await reportPage(swept, undefined)) ?? [];
  const widths = [...style.matchAll(/^([^@{}\n]*)\{[^}]*max-width: *(\d+\w+)/gm)].map(
    ([, of = '', most]) => `${of.trim()} ${most}`,
  );
  assert.equal(widths, ['body 820px']);
  assert.match(style, /\.plot \{ width: 100%;/);
});

test('plots get columns of one length', () => {
  const { latency, progress, memory, sweeps } = plotData(swept);
  for (const { counts } of latency.series) assert.is(counts.length, latency.ms.length);
  assert.equal(latency.ms, [7.94328, 10, 12.5]);
  assert.equal([...new Set(progress.columns.map(({ length }) => length))], [2]);
  assert.is(progress.columns.length, 4);
  assert.equal([...new Set(memory.columns.map(({ length }) => length))], [3]);
  const far = plotData(
    resultOf({
      distribution: {
        firstByte: [[10, 1]],
        body: [],
        total: [
          [0.1, 3],
          [10, 1],
        ],
      },
    }),
  );
  assert.equal(far.latency.ms, [0.0794328, 0.1, 7.94328, 10], 'a bucket after a gap begins at its own lower edge');
  assert.equal(far.latency.series[0]?.counts, [0, 3, 0, 1]);
  assert.equal(sweeps.prefetch?.median, [1000, 3000, 2000]);
  assert.equal(sweeps.prefetch?.given, [1000, 1000, 1000]);
  assert.equal(plotData(resultOf({ runs: [] })).memory.columns, [[], [], []]);
});

test.run();
