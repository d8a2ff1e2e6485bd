import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sinks } from '../../sinks/registry.js';
import { commands } from '../../src/cli/commands.js';
import { commandHelp, findCommand, helpFor, overview } from '../../src/cli/help.js';
import { parseDocument } from '../../src/config/document.js';
import { parseConfig } from '../../src/config/parse-config.js';
import { caseRows } from '../../src/tools/test/case-file.js';

test('the overview shows every command and every option', () => {
  const page = overview(commands);
  for (const { name, options, takesNothing, argument = 'CONFIG' } of commands) {
    assert.ok(page.includes(takesNothing === true ? `rxtract ${name} ` : `rxtract ${name} ${argument}`), name);
    for (const option of Object.keys(options)) assert.ok(page.includes(`--${option}`), option);
  }
});

test('the configuration in the overview is valid, without a warning', () => {
  const [text = ''] = /^ {2}\{$[\s\S]*?^ {2}\}$/m.exec(overview(commands)) ?? [];
  const { notices, configs } = parseConfig(parseDocument(text, 'help'));
  assert.equal(notices, []);
  assert.is(configs[0]?.jobs.length, 1);
});

test('help on the name of an option shows it with those that begin with it, for each command that has it', async () => {
  const resume = await helpFor(['resume'], commands);
  assert.match(resume, /^Options of run\n {2}--resume +continue .*\n {2}--resume-only /);
  assert.match(resume, 'rxtract run --help shows all options, with examples.');
  assert.match(await helpFor(['proxy'], commands), /^Options of doctor$/m);
});

test('the help of run shows every sink', async () => {
  const page = await commandHelp(findCommand('run', commands));
  for (const { address } of Object.values(sinks)) assert.ok(page.includes(address.form), address.form);
});

for (const command of commands) {
  test(`the help of ${command.name} shows its options, and fits into 120 columns`, async () => {
    const page = await commandHelp(command);
    for (const option of Object.keys(command.options)) assert.ok(page.includes(`--${option}`), option);
    for (const line of `${page}${overview(commands)}`.split('\n')) assert.ok(line.length <= 120, line);
  });
}

test('the help of test names each setting of a case', async () => {
  const page = await commandHelp(findCommand('test', commands));
  const [list = ''] = /case\.json +settings[^;]*/.exec(page) ?? [];
  for (const name of Object.keys(caseRows)) assert.match(list, new RegExp(`\\b${name}\\b`));
});

test('docs/05-command-line.md names every command, option and exit code', () => {
  const chapter = readFileSync(new URL('../../docs/05-command-line.md', import.meta.url), 'utf8');
  for (const { name, options } of commands) {
    for (const word of [`rxtract ${name}`, ...Object.keys(options).map((option) => `--${option}`)]) {
      assert.ok(chapter.includes(word), word);
    }
  }
  for (const code of [0, 1, 2, 130, 141, 143]) assert.match(chapter, new RegExp(`^\\| ${code} \\|`, 'm'));
});

const unknown = [
  ['rnu', 'unknown command "rnu"; did you mean "run"?'],
  ['vaildate', 'unknown command "vaildate"; did you mean "validate"?'],
  ['hlep', 'unknown command "hlep"; did you mean "help"?'],
  ['zzz', 'unknown command "zzz"'],
  ['config.json', '"config.json" is not a command; did you mean "rxtract run config.json"?'],
  [
    '--quiet',
    '"--quiet" is not a command: expected init, run, validate, plan, preview, shape, login, test, rehearse, verify, doctor, bench, state, worker, status, cancel, retry, sweep, sinks, catalog, schema, mcp, ui, completion, help',
  ],
] as const;

for (const [name, message] of unknown) {
  test(`${name} is no command: ${message}`, () => {
    assert.throws(
      () => findCommand(name, commands),
      (error: Error) => error.message === message,
    );
  });
}

test.run();
