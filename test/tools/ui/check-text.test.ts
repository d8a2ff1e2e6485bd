/** The log of a check as findings with places. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkResult, logLines } from '../../../src/tools/ui/check-text.js';

test('problems have their paths', () => {
  const problems = [{ path: 'api.baseUrl', message: 'is required' }];
  const line = { event: 'error', level: 'error', code: 'ERR_CONFIG', message: 'standard input: 1 problem', problems };
  assert.equal(checkResult(1, [line], '{}'), {
    isValid: false,
    findings: [{ level: 'error', code: 'ERR_CONFIG', path: 'api.baseUrl', message: 'is required' }],
    jobs: [],
  });
});

test('a text that is no JSON has a line and a column', () => {
  const line = { event: 'error', level: 'error', code: 'ERR_CONFIG_SYNTAX', message: 'standard input:2:5: expected }' };
  assert.equal(checkResult(1, [line], '').findings, [
    { level: 'error', code: 'ERR_CONFIG_SYNTAX', line: 2, column: 5, message: 'expected }' },
  ]);
});

test('other errors have no place, and name no standard input', () => {
  const lines = [
    { event: 'error', level: 'error', code: 'ERR_CONFIG_SYNTAX', message: 'standard input: the file is empty' },
    { event: 'error', level: 'error' },
  ];
  assert.equal(checkResult(1, lines, '').findings, [
    { level: 'error', code: 'ERR_CONFIG_SYNTAX', message: 'the file is empty' },
    { level: 'error', code: '', message: '' },
  ]);
});

test('a warning about a member has its path, if the text has it', () => {
  const notice = (level: string, message: string) => ({ event: 'notice', level, code: 'c', message });
  const lines = [notice('warning', 'api.http: unused'), notice('info', 'other: unused'), notice('warning', 'plain')];
  assert.equal(checkResult(0, lines, '{ "api": 1 }').findings, [
    { level: 'warning', code: 'c', path: 'api.http', message: 'unused' },
    { level: 'info', code: 'c', message: 'other: unused' },
    { level: 'warning', code: 'c', message: 'plain' },
  ]);
});

test('the jobs are those that are no children', () => {
  const log = [
    'no JSON',
    '{"event":"notice","level":"info","code":"valid","message":"standard input is valid"}',
    '{"event":"summary","level":"info","jobs":[{"job":"a"},{"job":"b","parent":"a"}]}',
    '',
  ];
  assert.equal(checkResult(0, logLines(log.join('\n')), '{}'), { isValid: true, findings: [], jobs: ['a'] });
});

test.run();
