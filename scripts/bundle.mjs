/** What the bundles of the command have in common: how code is read for them, and what they say of their packages. */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const dist = join(root, 'dist');
export const command = join(dist, 'src', 'cli');
const packages = join(root, 'node_modules');
const textOf = (path) => readFileSync(join(root, path), 'utf8');
export const { version } = JSON.parse(textOf('package.json'));

/** The parts of packages that are imported. */
const parts = {
  // Its other parts, such as `fetch`, are most of it.
  undici: `
  import api from './lib/api/index.js';
  import buildConnector from './lib/core/connect.js';
  import util from './lib/core/util.js';
  import Agent from './lib/dispatcher/agent.js';
  import Dispatcher from './lib/dispatcher/dispatcher.js';
  import Pool from './lib/dispatcher/pool.js';
  import Socks5ProxyAgent from './lib/dispatcher/socks5-proxy-agent.js';
  Object.assign(Dispatcher.prototype, api); // as its index does
  export { Agent, buildConnector, Pool, Socks5ProxyAgent, util };`,
  // Its index leads to codecs that nothing here uses, and to a package without the text of its license.
  'hdr-histogram-js': "export { default as Int32Histogram } from './dist/Int32Histogram.js';",
  // An import() of CommonJS would have no names.
  yaml: "export { parseDocument, visit } from './dist/index.js';",
};

/** Files of which a bundle has another form. */
const otherForms = [
  [/[\\/]src[\\/]core[\\/]util[\\/]version\.js$/, () => `export const version = ${JSON.stringify(version)};`],
  [
    /[\\/]src[\\/]tools[\\/]report[\\/]plot-library\.js$/,
    () => {
      const library = { script: textOf(`${uplot}.iife.min.js`), style: textOf(`${uplot}.min.css`) };
      return `export const plotLibrary = async () => (${JSON.stringify(library)});`;
    },
  ],
  [
    /[\\/]src[\\/]tools[\\/]ui[\\/]page-files\.js$/,
    () => {
      const files = { script: textOf(join(builtPage, 'page.js')), style: textOf(join(builtPage, 'page.css')) };
      return `export const pageFiles = async () => (${JSON.stringify(files)});`;
    },
  ],
  // The server of `mcp` never asks its client for data, which it would validate.
  [/[\\/]sdk[\\/]dist[\\/]esm[\\/]validation[\\/]ajv-provider\.js$/, () => 'export class AjvJsonSchemaValidator {}'],
  // The command never offers HTTP/2, and node:http2 is slow to load.
  [
    /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/,
    () => "module.exports = () => { throw new Error('HTTP/2 is not part of the command'); };",
  ],
];
/** Where bundle-page.mjs leaves the page of `rxtract ui`, with the packages that are in it. */
export const builtPage = join('build', 'ui');
const uplot = 'node_modules/uplot/dist/uPlot';

/** What a bundle holds instead of the file that an import leads to. `forms` are more files of another form. */
export const replacements = (forms = [], changed = (code) => code) => ({
  name: 'replacements',
  setup({ onLoad, onResolve }) {
    // Of the build for Node all operators would be in the bundle, of this one those that are used.
    onResolve({ filter: /^rxjs$/ }, () => ({ path: join(packages, 'rxjs/dist/esm/index.js'), sideEffects: false }));
    onResolve({ filter: /^(undici|hdr-histogram-js|yaml)$/ }, ({ path }) => ({ path, namespace: 'parts' }));
    onLoad({ filter: /./, namespace: 'parts' }, ({ path }) => ({
      contents: parts[path],
      resolveDir: join(packages, path),
    }));
    for (const [filter, contents] of [...otherForms, ...forms]) onLoad({ filter }, () => ({ contents: contents() }));
    onLoad({ filter: /\.js$/ }, ({ path }) => ({ contents: changed(withBuiltIns(readFileSync(path, 'utf8'))) }));
  },
});

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
    .replace(/\brequire\(['"]([\w:/]+)['"]\)/g, (call, name) => (isModuleOfNode(name) ? builtIn(name) : call));
}

/** Newer Nodes than this one have more of them. */
const isModuleOfNode = (name) => name.startsWith('node:') || isBuiltin(name);

/** Files that start as a process or a thread of their own, which built files name as `new URL('./NAME.js', ...)`. */
export function startedFiles() {
  const files = readdirSync(dist, { recursive: true }).filter((path) => path.endsWith('.js'));
  const found = files.flatMap((path) => {
    const starting = readFileSync(join(dist, path), 'utf8').matchAll(
      /new URL\('\.\/([^']+\.js)', import\.meta\.url\)/g,
    );
    return [...starting].map(([, name]) => join(dist, dirname(path), name));
  });
  return [...new Set(found)];
}

/** A thread or a process with the whole engine; other files that start are small. */
export const isOfEngine = (path) => ['case-worker.js', 'rehearsed-process.js'].includes(basename(path));

/** How esbuild makes each bundle. */
export const common = {
  absWorkingDir: root,
  entryNames: '[name]',
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true, // but no names, which traces of errors show
  legalComments: 'none',
  metafile: true,
};

/** The folders of the packages of which there is code in the outputs. */
export function packagesIn(outputs) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const names = used.flatMap((path) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[0] ?? []);
  // The paths of undici begin at its parts; the plots of reports and the page of `ui` are texts.
  const ofPage = JSON.parse(textOf(join(builtPage, 'packages.json')));
  return [...new Set([...names, ...ofPage, 'node_modules/undici/', 'node_modules/uplot/'])].sort();
}

/** The text of `third-party-licenses.txt` for packages. Throws if one has no license. */
export function licensesOf(folders) {
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  const heading = 'The files in this folder contain code of these packages:';
  return `${[heading, ...folders.map(licenseOf)].join(rule)}\n`;
}

/** Name, version and license of a package, and the text of its license. Throws if there is none. */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(textOf(join(folder, 'package.json')));
  const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  if (files.length === 0) throw new Error(`${name} has no file with its license: it must not be bundled`);
  const texts = files.map((file) => textOf(join(folder, file)).trim());
  return [`${name} ${version}: ${license}`, ...texts].join('\n\n');
}
