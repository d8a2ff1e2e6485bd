/**
 * Replaces the built files of the command, in `dist/src/cli` and `dist/src/tools`, by a few in the first that hold its
 * packages too: loading 400 files takes longer than a small run. The library is not bundled. docs/decisions/024.
 */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const command = join(dist, 'src', 'cli');
const bundled = join(dist, 'bundled');
const packages = join(root, 'node_modules');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The parts of undici that are imported: its other parts, such as `fetch`, are most of it. */
const partsOfUndici = `
  import api from './lib/api/index.js';
  import buildConnector from './lib/core/connect.js';
  import util from './lib/core/util.js';
  import Agent from './lib/dispatcher/agent.js';
  import Dispatcher from './lib/dispatcher/dispatcher.js';
  import Pool from './lib/dispatcher/pool.js';
  import Socks5ProxyAgent from './lib/dispatcher/socks5-proxy-agent.js';
  Object.assign(Dispatcher.prototype, api); // as its index does
  export { Agent, buildConnector, Pool, Socks5ProxyAgent, util };`;

/** What the bundle holds instead of the file that an import leads to. */
const replacements = {
  name: 'replacements',
  setup({ onLoad, onResolve }) {
    // Of the build for Node all operators would be in the bundle, of this one those that are used.
    onResolve({ filter: /^rxjs$/ }, () => ({ path: join(packages, 'rxjs/dist/esm/index.js'), sideEffects: false }));
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'parts' }));
    // A thread that runs cases has the file of the command that has them: another one would divide that.
    onResolve({ filter: /\/run-case\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: join(command, 'checks.js') } : undefined,
    );
    onLoad({ filter: /./, namespace: 'parts' }, () => ({
      contents: partsOfUndici,
      resolveDir: join(packages, 'undici'),
    }));
    onLoad({ filter: /[\\/]src[\\/]core[\\/]util[\\/]version\.js$/ }, () => ({
      contents: `export const version = ${JSON.stringify(version)};`,
    }));
    // The command never offers HTTP/2, and node:http2 is slow to load.
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ }, () => ({
      contents: "module.exports = () => { throw new Error('HTTP/2 is not part of the command'); };",
    }));
    onLoad({ filter: /\.js$/ }, ({ path }) => ({ contents: withBuiltIns(readFileSync(path, 'utf8')) }));
  },
};

/**
 * Has the code ask for modules of Node instead of importing them: an import reads all that a module exports, and some
 * of that loads more of Node. It also needs no `require`, which is slow to create.
 */
function withBuiltIns(code) {
  const builtIn = (name) => `globalThis.process.getBuiltinModule('${name}')`;
  return code
    .replace(
      /^import (\w+|\{[^}]*\}|\* as \w+) from ['"](node:[\w/]+)['"];?$/gm,
      (_, names, name) => `const ${names.replace('* as ', '').replaceAll(' as ', ': ')} = ${builtIn(name)};`,
    )
    .replace(/\brequire\(['"](node:[\w/]+)['"]\)/g, (_, name) => builtIn(name));
}

/** Files that start as a process or a thread of their own, which built files name as `new URL('./NAME.js', ...)`. */
function startedFiles() {
  const files = readdirSync(dist, { recursive: true }).filter((path) => path.endsWith('.js'));
  const found = files.flatMap((path) => {
    const starting = readFileSync(join(dist, path), 'utf8').matchAll(
      /new URL\('\.\/([^']+\.js)', import\.meta\.url\)/g,
    );
    return [...starting].map(([, name]) => join(dist, dirname(path), name));
  });
  return [...new Set(found)];
}

/** The folders of the packages of which there is code in the outputs. */
function packagesIn(outputs) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const names = used.flatMap((path) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[0] ?? []);
  return [...new Set([...names, 'node_modules/undici/'])].sort(); // undici's paths begin at its parts
}

/** Name, version and license of a package, and the text of its license. Throws if there is none. */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  if (files.length === 0) throw new Error(`${name} has no file with its license: it must not be bundled`);
  const texts = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
  return [`${name} ${version}: ${license}`, ...texts].join('\n\n');
}

const common = {
  absWorkingDir: root,
  outdir: bundled,
  entryNames: '[name]',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true, // but no names, which traces of errors show
  legalComments: 'none',
  metafile: true,
  plugins: [replacements],
  external: [
    'hdr-histogram-js', // a package that it depends on has no text of its license
    '@clack/prompts', // these three are loaded by `init` only, and large
    'unbash',
    'yaml',
  ],
};
/** A thread with the whole engine has its parts in common with the command; others start sooner alone. */
const isOfEngine = (path) => basename(path) === 'case-worker.js';
const started = startedFiles();
const names = ['main.js', 'main-command.js', ...started.map((path) => basename(path))];
if (new Set(names).size < names.length) throw new Error(`two files have one name: ${names.join(', ')}`);
const builds = await Promise.all([
  build({
    ...common,
    entryPoints: [join(command, 'main.js'), join(command, 'main-command.js'), ...started.filter(isOfEngine)],
    splitting: true,
  }),
  // Each is one file, since parts in common with the command would make more files of that.
  build({ ...common, entryPoints: started.filter((path) => !isOfEngine(path)) }),
]);
const outputs = Object.assign({}, ...builds.map(({ metafile }) => metafile.outputs));
for (const path of Object.keys(outputs)) {
  const missing = /__require\("([^"]+)"\)/.exec(readFileSync(join(root, path), 'utf8'));
  if (missing !== null) throw new Error(`${path}: there is no require for ${missing[1]}`);
}
const rule = `\n\n${'-'.repeat(80)}\n\n`;
const heading = 'The files in this folder contain code of these packages:';
const licenses = [heading, ...packagesIn(outputs).map(licenseOf)].join(rule);
writeFileSync(join(bundled, 'third-party-licenses.txt'), `${licenses}\n`);
for (const folder of [command, join(dist, 'src', 'tools')]) rmSync(folder, { recursive: true });
renameSync(bundled, command);
