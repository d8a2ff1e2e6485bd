/** The action: what it installs, the command that it starts, and inputs that are wrong. npm is a script that copies. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { root } from '../rules/sources.js';
import { posixMissing, testWhere } from '../where.js';

const action = parse(await readFile(join(root, 'action.yml'), 'utf8'));

/** A command that prints its arguments and its folder, and ends as one of them says. */
const command = `console.log(JSON.stringify({ args: process.argv.slice(2), at: process.cwd(), env: process.env.TOKEN }));
process.exitCode = Number(process.argv.at(-1)?.replace('--exit=', '')) || 0;\n`;

const folder = await mkdtemp(join(tmpdir(), 'rxtract-action-'));

run.before(async () => {
  const cli = join(folder, 'package', 'dist', 'src', 'cli');
  await mkdir(cli, { recursive: true });
  await writeFile(join(cli, 'main.js'), command);
  const npm = join(folder, 'npm');
  await writeFile(
    npm,
    `#!/bin/sh\necho "$@" >> calls\nmkdir node_modules\ncp -R '${folder}/package' node_modules/rxtract\n`,
  );
  await chmod(npm, 0o755);
});
run.after(() => rm(folder, { recursive: true, force: true }));

interface Acted {
  readonly exit: number | null;
  readonly printed: string;
  /** The file of outputs. */
  readonly outputs: string;
}

/** Runs the action with its defaults and these inputs, in the folder. */
async function act(inputs: Readonly<Record<string, string>>): Promise<Acted> {
  const all = Object.entries(action.inputs as Record<string, { readonly default: string }>);
  const given = all.map(([name, { default: usual }]) => [`INPUT_${name.toUpperCase()}`, inputs[name] ?? usual]);
  const output = join(folder, 'output');
  await rm(output, { force: true });
  const env = {
    ...process.env,
    ...Object.fromEntries(given),
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    RUNNER_TEMP: join(folder, 'temp'),
    GITHUB_OUTPUT: output,
    TOKEN: 'from the step',
  };
  const child = spawn(process.execPath, [join(root, action.runs.main)], { cwd: folder, env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  const exit = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { exit, printed, outputs: await readFile(output, 'utf8').catch(() => '') };
}

const onPosix = testWhere(posixMissing);

onPosix('it installs its own version once, and runs the configuration', async () => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  for (const _ of [1, 2]) {
    const { exit, printed, outputs } = await act({});
    assert.is(exit, 0, printed);
    const { args, at, env } = JSON.parse(printed);
    assert.equal([args, env, outputs], [['run', 'config.json'], 'from the step', 'exit-code=0\n']);
    assert.match(at, folder);
  }
  const temp = join(folder, 'temp');
  const [name = '', ...more] = await readdir(temp);
  assert.equal(more, []);
  assert.equal(JSON.parse(await readFile(join(temp, name, 'package.json'), 'utf8')).dependencies, { rxtract: version });
  assert.match(await readFile(join(temp, name, 'calls'), 'utf8'), /^install --ignore-scripts [^\n]*\n$/);
});

onPosix('it tests cases with a report, in a folder, with arguments of one line each', async () => {
  await mkdir(join(folder, 'in side'));
  const inputs = {
    command: 'test',
    path: 'cases',
    junit: 'report.xml',
    arguments: '  --filter=two words\n\n--strict\n',
    'working-directory': 'in side',
  };
  const { args, at } = JSON.parse((await act(inputs)).printed);
  const report = ['--format', 'junit', '--out', 'report.xml'];
  assert.equal(args, ['test', 'cases', ...report, '--filter=two words', '--strict']);
  assert.match(at, /in side$/);
});

onPosix('it fails as the command does', async () => {
  const { exit, outputs } = await act({ command: 'doctor', arguments: '--exit=3' });
  assert.equal([exit, outputs], [3, 'exit-code=3\n']);
});

onPosix('a package of the work tree is installed, with clients in the versions that rxtract supports', async () => {
  const { peerDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const before = await readdir(join(folder, 'temp'));
  await act({ package: './rx tract.tgz', clients: 'pg\n@duckdb/node-api' });
  const [name = ''] = (await readdir(join(folder, 'temp'))).filter((each) => !before.includes(each));
  const { dependencies } = JSON.parse(await readFile(join(folder, 'temp', name, 'package.json'), 'utf8'));
  assert.match(dependencies.rxtract, /^file:\/\/.*\/rx%20tract\.tgz$/);
  assert.is(dependencies.pg, peerDependencies.pg);
  assert.is(dependencies['@duckdb/node-api'], peerDependencies['@duckdb/node-api']);
});

const wrong = [
  [{ command: 'init' }, '::error::command: "init" is not one of run, test, doctor'],
  [{ junit: 'report.xml' }, '::error::junit: run writes no report'],
  [{ clients: 'pg mysql' }, '::error::clients: "mysql" is not one of @duckdb/node-api, '],
] as const;
for (const [inputs, message] of wrong) {
  run(`a wrong input is an error before anything is installed: ${message.slice(9)}`, async () => {
    const { exit, printed } = await act(inputs);
    assert.is(exit, 1);
    assert.ok(printed.startsWith(message), printed);
  });
}

run('it reads the inputs that action.yml names, and no other', async () => {
  const source = await readFile(join(root, action.runs.main), 'utf8');
  const read = [...source.matchAll(/input\('([\w-]+)'\)/g)].map(([, name = '']) => name);
  assert.equal([...new Set(read)].sort(), Object.keys(action.inputs).sort());
});

run.run();
