/**
 * Makes the code of the single executable, in `build/bundle`: the command with all its packages in one CommonJS file,
 * as Node needs it, and the files that start as a thread or a process. docs/decisions/078-one-file.md.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { common, licensesOf, packagesIn, replacements, root, startedFiles } from './bundle.mjs';

const outdir = join(root, 'build', 'bundle');
const scripts = join(root, 'scripts', 'binary');
/** As runtime.mjs does, by a script of its own. */
const importing = '(specifier) => import(specifier)';

/** Files of which the executable has another form, since it has no files beside it. */
const forms = [
  [/[\\/]src[\\/]core[\\/]util[\\/]import-package\.js$/, () => 'export const importPackage = importBeside;'],
  [
    /[\\/]src[\\/]tools[\\/]init[\\/]like-files\.js$/,
    () => "export const readLikeFile = async (name) => heldText('examples/apis/' + name + '/config.json');",
  ],
];

/** Its file cannot import either, so packages that are loaded by `require` are in it too, and so are threads. */
const held = (code) =>
  code
    .replace(/createRequire\(import\.meta\.url\)\('([\w/-]+)'\)/g, "require('$1')")
    .replace(/\bimport\(['"](node:\w+)['"]\)/g, "Promise.resolve(process.getBuiltinModule('$1'))")
    .replace(/new Worker\(new URL\('\.\/([\w-]+\.js)', import\.meta\.url\)/g, "new Worker(new URL(heldModule('$1'))");

rmSync(outdir, { recursive: true, force: true });
const options = {
  ...common,
  outdir,
  define: { 'import.meta.url': 'executableUrl' },
  inject: [join(scripts, 'runtime.mjs')],
  plugins: [replacements(forms, held)],
};
const [main, started] = await Promise.all([
  build({
    ...options,
    entryPoints: [join(scripts, 'entry.mjs')],
    entryNames: 'main',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
  }),
  build({ ...options, entryPoints: startedFiles(), format: 'esm' }),
]);
const outputs = { ...main.metafile.outputs, ...started.metafile.outputs };
for (const path of Object.keys(outputs)) {
  const code = readFileSync(join(root, path), 'utf8').replace(importing, '');
  const left = /createRequire\d*\(|\bimport\(|__require\("/.exec(code);
  if (left !== null) throw new Error(`${path}: the executable cannot load ${code.slice(left.index, left.index + 80)}`);
}
const packages = packagesIn(outputs);
mkdirSync(outdir, { recursive: true });
writeFileSync(join(outdir, 'third-party-licenses.txt'), licensesOf(packages));
writeFileSync(join(outdir, 'packages.json'), JSON.stringify(packages));
