/**
 * Makes the page of `rxtract ui` of the files in `src/tools/ui/page/`: one program and one style, in `build/ui`, with a
 * list of the packages that are in them. The bundles of the command hold their texts.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { builtPage, root } from './bundle.mjs';

/** A page is loaded at once, also where a browser is slow. */
const mostBytes = 500_000;

const outdir = join(root, builtPage);
rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/tools/ui/page/page-main.ts', 'src/tools/ui/page/style.css'].map((path) => ({
    in: path,
    out: 'page',
  })),
  outdir,
  bundle: true,
  format: 'iife',
  platform: 'browser',
  target: ['chrome120', 'firefox121', 'safari17'],
  minify: true,
  legalComments: 'none',
  metafile: true,
});
const sizes = Object.values(metafile.outputs).map(({ bytes }) => bytes);
const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
if (size > mostBytes) throw new Error(`the page has ${size} bytes: it may have ${mostBytes}`);
const folders = Object.keys(metafile.inputs).flatMap(
  (path) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[0] ?? [],
);
mkdirSync(outdir, { recursive: true });
writeFileSync(join(outdir, 'packages.json'), JSON.stringify([...new Set(folders)].sort()));
process.stdout.write(`the page has ${size} bytes\n`);
