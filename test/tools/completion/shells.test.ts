/** The scripts in real shells: words are typed on a pseudo-terminal, with Tab, and the shell prints the line. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inTemporary } from '../../blackbox/command.js';
import { findProgram } from '../../support/servers.js';
import { testWhere } from '../../where.js';

const main = fileURLToPath(new URL('../../../dist/src/cli/main.js', import.meta.url));
const config = '{ "api": { "baseUrl": "https://api.example/" }, "config": { "jobs": [{ "endpoint": "users" }] } }';

/** What is typed, Tab as ⇥, and the line that the shell has then. */
const typed: readonly (readonly [typed: string, line: string])[] = [
  ['rxtract ru⇥x', 'rxtract run x'],
  ['rxtract run --conc⇥2', 'rxtract run --concurrency 2'],
  ['rxtract run con⇥x', 'rxtract run config.json x'],
  ['rxtract run config.json --job us⇥x', 'rxtract run config.json --job users x'],
  ['rxtract run c --log=j⇥x', 'rxtract run c --log=json x'],
  ['rxtract run c --to nd⇥x', 'rxtract run c --to ndjson:x'],
  ['rxtract run c --to=nd⇥x', 'rxtract run c --to=ndjson:x'],
  ['rxtract run c --to users=nd⇥x', 'rxtract run c --to users=ndjson:x'],
  ['rxtract run c --to ndjson:ou⇥x', 'rxtract run c --to ndjson:outer/x'],
  ['rxtract run c --state ou⇥x', 'rxtract run c --state outer/x'],
  ['rxtract help keys⇥x', 'rxtract help keyset x'],
];

interface InShell {
  readonly file: string;
  readonly args: readonly string[];
  readonly input: string;
}

/** Runs a program in a folder with a command `rxtract`, a configuration and a folder. Resolves to its output. */
function inShell({ file, args, input }: InShell): Promise<string> {
  return inTemporary(async (folder) => {
    const command = join(folder, 'bin', 'rxtract');
    for (const name of ['bin', 'outer']) await mkdir(join(folder, name));
    await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
    await chmod(command, 0o755);
    await writeFile(join(folder, 'config.json'), config);
    const env = { ...process.env, TERM: 'dumb', HOME: folder, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    return new Promise((resolve, reject) => {
      const child = spawn(file, [...args], { cwd: folder, env: { ...env, INPUTRC: '/dev/null' } });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      child.on('error', reject).on('close', () => resolve(output));
      child.stdin.end(input);
    });
  });
}

/** Types each line; Ctrl-A and Ctrl-E then make it the text of an `echo`. */
const typing = (setup: string) =>
  [setup, ...typed.map(([line]) => `${line.replace('⇥', '\t')}\u0001echo "[\u0005]"`), 'exit', ''].join('\n');

const missing = (shell: string): string | undefined => {
  const absent = [shell, 'script'].find((name) => findProgram(name) === undefined);
  return absent === undefined ? undefined : `${absent} is not installed`;
};

const onTerminal: Readonly<Record<string, { readonly start: string; readonly setup: string }>> = {
  bash: { start: 'bash --noprofile --norc -i', setup: 'PS1=; source <(rxtract completion bash)' },
  zsh: {
    start: 'zsh -f -i',
    setup: 'PS1=; bindkey -e; autoload -U compinit; compinit -u -D; source <(rxtract completion zsh)',
  },
};

for (const [shell, { start, setup }] of Object.entries(onTerminal)) {
  testWhere(missing(shell))(`${shell} completes commands, options, values, files and sinks`, async () => {
    const output = await inShell({ file: 'script', args: ['-qefc', start, '/dev/null'], input: typing(setup) });
    const lines = [...output.matchAll(/^\[(.*)\]\r?$/gm)].map(([, line]) => line);
    assert.equal(
      lines,
      typed.map(([, line]) => line),
      output,
    );
  });
}

testWhere(findProgram('fish') === undefined ? 'fish is not installed' : undefined)(
  'fish completes commands, options, values, files and sinks',
  async () => {
    const asked = typed.map(([line]) => `complete -C '${line.replace(/⇥.*/, '')}' | string replace -r '\\t.*' ''`);
    const program = ['rxtract completion fish | source', ...asked].join('\n');
    const output = await inShell({ file: 'fish', args: ['--no-config', '-c', program], input: '' });
    const words = typed.map(([, line]) => line.replace(/ ?x$| 2$/, '').replace(/.* /, ''));
    assert.equal(output.trimEnd().split('\n'), words);
  },
);

test.run();
