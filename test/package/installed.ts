/**
 * The package as a user gets it: packed from the built repository, and installed by npm into an empty folder, without a
 * network.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../rules/sources.js';

export interface Packed {
  readonly tarball: string;
  readonly unpackedSize: number;
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[];
}

const start = promisify(execFile);

/** Runs a program to its end in the folder. Throws, with its output, if it fails. */
export async function inside(folder: string, program: string, args: readonly string[]): Promise<string> {
  // On Windows, npm is a script of the shell.
  const shell = process.platform === 'win32' && /^np[mx]$/.test(program);
  const { stdout } = await start(program, args, { cwd: folder, env: ownEnvironment, maxBuffer: 1e8, shell });
  return stdout;
}

/** Without npm's variables of the process that started the tests: another npm would read them as its own options. */
const ownEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

/**
 * Packs what `npm run build` left; no script runs, as a build would pull `dist` from under the tests beside this one.
 */
export async function pack(into: string): Promise<Packed> {
  const printed = await inside(root, 'npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', into]);
  const [packed] = JSON.parse(printed);
  return { ...packed, tarball: join(into, packed.filename) };
}

/**
 * Installs the tarball into the folder. Its dependencies are laid there first, in the versions of the lock file, so
 * that npm fetches nothing.
 */
export async function install({ tarball }: Packed, folder: string): Promise<void> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const needed = Object.keys(packages).filter((path) => path !== '' && !packages[path].dev && !packages[path].optional);
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  for (const path of needed) await cp(join(root, path), join(folder, path), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "name": "app", "private": true, "type": "module" }');
  await inside(folder, 'npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball]);
}
