/**
 * Makes the site of the documentation: `npm run site`. Its pages are those of the repository, the examples, and the
 * declarations of the package with their docstrings. Nothing is fetched except the packages of this folder, once.
 * `--base /rxtract/` is the path under which it will be served; without it, the root of a host. `--try` opens all
 * pages in Chromium, of the path in CHROMIUM or of the system.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const lock = join(here, 'package-lock.json');
const installed = join(here, 'node_modules', '.package-lock.json');

/** Runs a command in this folder; its failure is that of the build. */
function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, {
    cwd: here,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, ...env },
  });
  if (status !== 0) process.exit(status ?? 1);
}

const { values } = parseArgs({ options: { base: { type: 'string', default: '/' }, try: { type: 'boolean' } } });
if (!/^\/(?:.*\/)?$/.test(values.base)) {
  console.error(`--base ${values.base}: expected a path that begins and ends with a slash, such as /rxtract/`);
  process.exit(2);
}
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
}
const { out, staging, writePages } = await import('./pages.mjs');
const { writeDeclarations } = await import('./declarations.mjs');
const { faultsOf } = await import('./check-links.mjs');

rmSync(staging, { recursive: true, force: true });
const declarations = await writeDeclarations(join(staging, 'api'));
const pages = writePages(declarations);
run(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build'], { SITE_BASE: values.base });
rmSync(staging, { recursive: true, force: true });

const faults = faultsOf(out, values.base);
if (values.try) faults.push(...(await (await import('./try-pages.mjs')).triedPages(out, values.base)));
for (const fault of faults) console.error(fault);
console.log(`${pages + declarations.pages} pages in build/site, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
