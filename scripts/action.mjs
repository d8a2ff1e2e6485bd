/**
 * The action of action.yml: installs rxtract beside the work tree and runs a command of it. Secrets are variables of
 * the step (`env`), never inputs.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const commands = ['run', 'test', 'doctor'];
const { version, peerDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** What the user has given is wrong. */
class Refused extends Error {}

const input = (name) => (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
const linesOf = (text) => text.split('\n').flatMap((line) => line.trim() || []);
const namesOf = (list) => list.join(', ');

/** What npm is to install. A path is one from the folder of the work tree. */
function dependencies() {
  const given = input('package');
  const own = given === '' ? version : given.endsWith('.tgz') ? pathToFileURL(resolve(given)).href : given;
  const clients = input('clients')
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  const unknown = clients.find((name) => peerDependencies[name] === undefined);
  if (unknown !== undefined) {
    throw new Refused(`clients: "${unknown}" is not one of ${namesOf(Object.keys(peerDependencies))}`);
  }
  return { rxtract: own, ...Object.fromEntries(clients.map((name) => [name, peerDependencies[name]])) };
}

function argumentsOf() {
  const [command, junit] = [input('command'), input('junit')];
  if (!commands.includes(command)) throw new Refused(`command: "${command}" is not one of ${namesOf(commands)}`);
  if (junit !== '' && command !== 'test') throw new Refused(`junit: ${command} writes no report`);
  const report = junit === '' ? [] : ['--format', 'junit', '--out', junit];
  return [command, input('path'), ...report, ...linesOf(input('arguments'))];
}

/** Runs a program. Resolves to its exit code; a signal that ends this process is passed on. */
function start(program, args, options) {
  const child = spawn(program, args, { stdio: 'inherit', ...options });
  const signals = ['SIGINT', 'SIGTERM'].map((signal) => [signal, () => child.kill(signal)]);
  for (const [signal, pass] of signals) process.on(signal, pass);
  return new Promise((done, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      for (const [signal, pass] of signals) process.off(signal, pass);
      done(code ?? 1);
    });
  });
}

/** Installs the packages in a folder of their own, once for each set of them. Resolves to the file of the command. */
async function install(wanted) {
  const manifest = JSON.stringify({ private: true, dependencies: wanted });
  const name = `rxtract-${createHash('sha256').update(manifest).digest('hex').slice(0, 16)}`;
  const folder = join(process.env.RUNNER_TEMP ?? '.', name);
  const file = join(folder, 'node_modules', 'rxtract', 'dist', 'src', 'cli', 'main.js');
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), manifest);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  // On Windows, npm is a script of the shell.
  const code = await start('npm', args, { cwd: folder, shell: process.platform === 'win32' });
  if (code !== 0) throw new Refused(`npm could not install ${namesOf(Object.keys(wanted))}`);
  return file;
}

async function act() {
  const args = argumentsOf();
  const file = await install(dependencies());
  const code = await start(process.execPath, [file, ...args], { cwd: resolve(input('working-directory')) });
  if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, `exit-code=${code}\n`);
  return code;
}

try {
  process.exitCode = await act();
} catch (thrown) {
  if (!(thrown instanceof Refused)) throw thrown;
  process.stdout.write(`::error::${thrown.message}\n`);
  process.exitCode = 1;
}
