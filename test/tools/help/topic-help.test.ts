import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { topicNames } from '../../../src/config/reference/names.js';
import { topics } from '../../../src/config/reference/topics.js';
import { topicHelp } from '../../../src/tools/help/topic-help.js';

const help = (...words: readonly string[]) => topicHelp(words, ['run', 'validate']);

for (const topic of topicNames) {
  test(`help ${topic} lists its entries, and each of them is found by its name, alone and after the topic`, () => {
    const list = help(topic);
    for (const { name } of topics[topic].entries) {
      assert.ok(list.includes(`\n  ${name} `), name);
      assert.ok(help(topic, name).startsWith(`${name}: `), name);
      assert.ok(help(name).includes(help(topic, name)), name);
    }
  });

  test(`help on ${topic} fits into 120 columns, without a space at the end of a line`, () => {
    const pages = [help(topic), ...topics[topic].entries.map(({ name }) => help(topic, name))];
    for (const line of pages.join('\n').split('\n')) {
      assert.ok(line.length <= 120, line);
      assert.not.match(line, /\s$/);
    }
  });
}

test('the help on a method shows its keys, with type and default, its rules and an example', () => {
  const page = help('pagenum');
  assert.match(page, /^ {2}limitParam {7}the parameter for the page size\n {19}a string; default: limit$/m);
  assert.match(page, /^- It ends at a page with fewer items/m);
  assert.match(page, /^Example\n {2}\{ "method": "pagenum"/m);
  assert.match(help('response.param'), /^Keys of scrollRequest$/m);
  assert.match(help('response.param'), /a non-empty string; required$/m);
});

test('help on a name without an entry is what is passed for that', () => {
  assert.is(topicHelp(['nowhere'], [], 'options'), 'options');
  assert.match(topicHelp(['env'], [], 'options'), /^env: /);
});

test('there is help on values of the environment', () => {
  assert.match(help('env'), /^env: the value of an environment variable/);
});

test('the help on a function shows the result of its example, that on an error its remedy', () => {
  assert.match(help('concat'), /^Result: id-12$/m);
  assert.match(help('ERR_STATUS'), /^Remedy: /m);
});

test('the help on a warning shows its meaning, and what to do', () => {
  assert.match(help('round-end'), /^round-end: a job ended at a round number of items.*\n\nRemedy: /);
  assert.match(help('warnings'), /`--allow CODE`/);
});

test('a key within a key is found by its path: its row, and the keys within it', () => {
  const param = help('incremental.param');
  assert.match(param, /^config\.jobs: .*\n\nKeys of incremental\n {2}param /);
  assert.is(param.split('\n').filter((line) => /^ {2}\S/.test(line)).length, 1);
  const poll = help('await.poll');
  assert.match(poll, /\nKeys of await\n {2}poll /);
  assert.match(poll, /\nKeys of await\.poll\n[\s\S]*\n {2}every /);
  assert.not.match(poll, /Keys of await\.fetch/);
  assert.is(help('config.jobs.await.poll'), poll);
  assert.is(help('jobs.await.poll'), poll);
  assert.match(help('every'), /\n {2}every /);
  assert.throws(() => help('await.pol'), /did you mean "await\.poll"\?/);
});

test('a section is found by the last part of its path', () => {
  assert.is(help('jobs'), help('configuration', 'config.jobs'));
  assert.match(help('api'), /see: rxtract help pagination$/m);
});

const wrong = [
  [['pagenmu'], 'there is no help on "pagenmu"; did you mean "pagenum"?'],
  [['paginaton'], 'there is no help on "paginaton"; did you mean "pagination"?'],
  [['child'], 'there is no help on "child"; did you mean "children"?'],
  [['vaildate'], 'there is no help on "vaildate"; did you mean "validate"?'],
  [['err_status'], 'there is no help on "err_status"; did you mean "ERR_STATUS"?'],
  [['zzzzzz'], 'there is no help on "zzzzzz"'],
  [['pagination', 'login'], 'there is no help on "login"'],
  [['pagination', 'pagenum', 'x'], 'unexpected argument "x" after "pagenum"'],
  [['login', 'x'], 'unexpected argument "x" after "login"'],
] as const;

test('the name of a key leads to the entry that has it', () => {
  assert.match(help('responseParam'), /^response\.param: /);
  assert.match(help('maxRetries'), /^api\.retryConfig: /);
});

for (const [words, message] of wrong) {
  test(`help ${words.join(' ')}: ${message}`, () => {
    assert.throws(
      () => help(...words),
      (error: Error) => error.message === message,
    );
  });
}

test.run();
