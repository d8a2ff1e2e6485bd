/** The reports of `rxtract test`, read by parsers of their formats. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOMParser } from '@xmldom/xmldom';
import { Parser } from 'tap-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CaseFormat, createFormat, type FormatName } from '../../../src/tools/test/case-formats.js';
import { type CaseResult, withoutRun } from '../../../src/tools/test/case-result.js';
import { inTemporary } from '../../blackbox/command.js';
import { recordCase, testHere } from './lib.js';

interface TapPoint {
  readonly ok: boolean;
  readonly id: number;
  readonly diag?: unknown;
  readonly skip?: unknown;
}

const odd = 'a # b \\ <c> & "d" \u001b[31m \uD800 日本 ]]> - ok';

const results: readonly CaseResult[] = [
  { ...withoutRun('users', 'passed', { ms: 12.3456 }), requests: 2, items: 3, warnings: [odd] },
  {
    ...withoutRun(`a/${odd}`, 'failed', { ms: 5 }),
    problems: [
      { title: `items differ: ${odd}`, lines: [`- ${odd}`, '+ name: "Bob"', 'plain'] },
      { title: 'more', lines: [] },
    ],
  },
  withoutRun('left-out', 'skipped', { reason: `later: ${odd}` }),
];

const report = (name: FormatName, color = false, of = results): string => {
  const format: CaseFormat = createFormat(name, { color, startedAt: Date.UTC(2026, 0, 31, 1, 2, 3) });
  return format.begin(of.length) + of.map((each) => format.result(each)).join('') + format.end(of, 1234);
};

test('TAP 14 is read by a parser of TAP, without a line that is none', () => {
  const text = report('tap');
  const events = Parser.parse(text, { strict: true });
  const kinds = new Map<unknown, readonly unknown[][]>();
  for (const [kind, ...more] of events) kinds.set(kind, [...(kinds.get(kind) ?? []), more]);
  assert.is(kinds.get('extra'), undefined, text);
  const points = (kinds.get('assert') ?? []).map(([point]) => point as TapPoint);
  assert.equal(
    points.map(({ ok, id }) => [ok, id]),
    [
      [true, 1],
      [false, 2],
      [true, 3],
    ],
  );
  assert.equal(points[0]?.diag, { requests: 2, items: 3 });
  assert.equal(points[1]?.diag, {
    message: `items differ: ${odd}`,
    severity: 'fail',
    requests: 0,
    items: 0,
    problems: results[1]?.problems,
  });
  assert.match(String(points[2]?.skip), 'later: a');
  const [[complete]] = kinds.get('complete') as [[{ count: number; failures: { name: string }[] }]];
  assert.is(complete.count, 3);
  assert.equal(
    complete.failures.map(({ name }) => name.replaceAll('\\', '')),
    [`a/${odd}`.replaceAll('\\', '')],
  );
});

test('JUnit XML is read by a parser of XML, with every text as it was', () => {
  const errors: string[] = [];
  const parser = new DOMParser({ onError: (level, message) => errors.push(`${level}: ${message}`) });
  const document = parser.parseFromString(report('junit'), 'text/xml');
  assert.equal(errors, []);
  const suite = document.getElementsByTagName('testsuite')[0];
  const attributes = ['tests', 'failures', 'errors', 'skipped', 'time', 'timestamp'];
  assert.equal(
    attributes.map((name) => suite?.getAttribute(name)),
    ['3', '1', '0', '1', '1.234', '2026-01-31T01:02:03'],
  );
  const cases = [...document.getElementsByTagName('testcase')];
  const readable = odd.replace('\u001b', '?').replace('\uD800', '?');
  assert.equal(
    cases.map((each) => [each.getAttribute('classname'), each.getAttribute('name'), each.getAttribute('time')]),
    [
      ['rxtract', 'users', '0.012'],
      ['a', `a/${readable}`, '0.005'],
      ['rxtract', 'left-out', '0.000'],
    ],
  );
  const failure = document.getElementsByTagName('failure')[0];
  assert.is(failure?.textContent, `items differ: ${readable}\n  - ${readable}\n  + name: "Bob"\n  plain\nmore`);
  assert.is(document.getElementsByTagName('system-out')[0]?.textContent, readable);
  assert.is(document.getElementsByTagName('skipped')[0]?.getAttribute('message'), `later: ${readable}`);
});

test('a text is coloured on a terminal only, expected lines green, found ones red', () => {
  const plain = report('text');
  const begin = '\u001b[3';
  assert.not.ok(plain.replaceAll(odd, '').includes(begin));
  const colored = report('text', true);
  assert.match(colored, '\u001b[32mok  \u001b[0m  users');
  assert.match(colored, '\u001b[31mFAIL\u001b[0m');
  assert.match(colored, '\u001b[33mskip\u001b[0m');
  assert.match(colored, `\u001b[31m+ name: "Bob"\u001b[0m`);
  assert.match(colored, `\u001b[32m- ${odd}\u001b[0m`);
  assert.match(plain, '\n- expected, + found\n3 cases: 1 passed, 1 failed, 1 skipped (1.23 s)\n');
});

test('--out writes the report to a file, and the text remains on standard output', () =>
  inTemporary(async (root) => {
    await recordCase(root, 'users');
    for (const [format, begin] of [
      ['tap', 'TAP version 14\n1..1\nnot ok 1 - users\n'],
      ['junit', '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="rxtract" tests="1"'],
      ['text', 'FAIL  users'],
    ] as const) {
      const path = join(root, `report.${format}`);
      const { exit, stdout } = await testHere([root, '--format', format, '--out', path]);
      assert.is(exit, 1);
      assert.match(stdout, /^FAIL {2}users/);
      assert.ok((await readFile(path, 'utf8')).startsWith(begin));
      const alone = await testHere([root, '--format', format]);
      assert.ok(alone.stdout.startsWith(begin), alone.stdout);
    }
    const { exit, stderr } = await testHere([root, '--out', root]);
    assert.is(exit, 1);
    assert.match(stderr, `--out ${root}: cannot be written: `);
  }));

test.run();
