/**
 * Replaces the built files of the command, in `dist/src/cli` and `dist/src/tools`, by a few in the first that hold its
 * packages too: loading 400 files takes longer than a small run. The library is not bundled. docs/decisions/024.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import {
  command,
  common,
  dist,
  isOfEngine,
  licensesOf,
  packagesIn,
  replacements,
  root,
  startedFiles,
} from './bundle.mjs';

const bundled = join(dist, 'bundled');

/** A thread that runs cases has the file of the command that has them: another one would divide that. */
const casesInChecks = {
  name: 'cases in checks',
  setup({ onResolve }) {
    onResolve({ filter: /\/run-case\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: join(command, 'checks.js') } : undefined,
    );
  },
};

const options = {
  ...common,
  outdir: bundled,
  format: 'esm',
  plugins: [casesInChecks, replacements()],
};
const started = startedFiles();
const names = ['main.js', 'main-command.js', ...started.map((path) => basename(path))];
if (new Set(names).size < names.length) throw new Error(`two files have one name: ${names.join(', ')}`);
const builds = await Promise.all([
  build({
    ...options,
    entryPoints: [join(command, 'main.js'), join(command, 'main-command.js'), ...started.filter(isOfEngine)],
    splitting: true, // a thread with the whole engine has its parts in common with the command
  }),
  // Each is one file, since parts in common with the command would make more files of that.
  build({ ...options, entryPoints: started.filter((path) => !isOfEngine(path)) }),
]);
const outputs = Object.assign({}, ...builds.map(({ metafile }) => metafile.outputs));
for (const path of Object.keys(outputs)) {
  const missing = /__require\("([^"]+)"\)/.exec(readFileSync(join(root, path), 'utf8'));
  if (missing !== null) throw new Error(`${path}: there is no require for ${missing[1]}`);
}
writeFileSync(join(bundled, 'third-party-licenses.txt'), licensesOf(packagesIn(outputs)));
for (const folder of [command, join(dist, 'src', 'tools')]) rmSync(folder, { recursive: true });
renameSync(bundled, command);
