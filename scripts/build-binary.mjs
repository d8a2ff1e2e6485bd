/**
 * Writes the command as a single executable for this platform, `build/rxtract-OS-ARCH`: a copy of this Node with the
 * code that `npm run build` has left in `build/bundle`. Beside it: what is in it (CycloneDX), the licenses of that, and
 * checksums. docs/decisions/078-one-file.md.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'postject';
import { billOfMaterials } from './binary/bill-of-materials.mjs';
import { root } from './bundle.mjs';

const systems = { darwin: 'macos', win32: 'windows' };
const name = `rxtract-${systems[process.platform] ?? process.platform}-${process.arch}`;
const build = join(root, 'build');
const bundle = join(build, 'bundle');
const executable = join(build, process.platform === 'win32' ? `${name}.exe` : name);
const apis = join(root, 'examples', 'apis');
/** The place in Node that says whether it holds code. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The files that the executable holds: what it starts as a thread or a process, and what `init --like` reads. */
function assets() {
  const started = readdirSync(bundle).filter((file) => file.endsWith('.js'));
  return {
    ...Object.fromEntries(started.map((file) => [file, join(bundle, file)])),
    ...Object.fromEntries(
      readdirSync(apis).map((api) => [`examples/apis/${api}/config.json`, join(apis, api, 'config.json')]),
    ),
  };
}

/** Has Node prepare the code, with V8's code of it. */
function prepare() {
  const output = join(bundle, 'prepared.blob');
  const config = join(bundle, 'sea.json');
  const main = join(bundle, 'main.cjs');
  const options = { main, output, disableExperimentalSEAWarning: true, useCodeCache: true, assets: assets() };
  writeFileSync(config, JSON.stringify(options));
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  return readFileSync(output);
}

/** A signature would no longer be that of the file: macOS runs none without one, so it gets a local one. */
const sign = (...args) => process.platform === 'darwin' && execFileSync('codesign', [...args, executable]);

async function write() {
  if (!readFileSync(process.execPath).includes(fuse)) {
    throw new Error(`${process.execPath} cannot hold code: use a Node of its makers, not of a distribution`);
  }
  mkdirSync(build, { recursive: true });
  rmSync(executable, { force: true });
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  sign('--remove-signature');
  const { log, warn } = console;
  Object.assign(console, { log() {}, warn() {} }); // it says what it does, and names sections that it does not know
  await inject(executable, 'NODE_SEA_BLOB', prepare(), { sentinelFuse: fuse, machoSegmentName: 'NODE_SEA' });
  Object.assign(console, { log, warn });
  sign('--sign', '-');
}

/** Node's own license is a part of its release, and not always beside its executable. */
function writeLicenses() {
  const node = `node ${process.version}: its licenses, with those of its parts, are at ${nodeLicense}`;
  const packages = readFileSync(join(bundle, 'third-party-licenses.txt'), 'utf8').replace(/^.*\n/, '');
  const heading = 'The executable contains code of Node.js and of these packages:';
  writeFileSync(join(build, `${name}.licenses.txt`), `${heading}\n\n${node}\n${packages}`);
}
const nodeLicense = `https://github.com/nodejs/node/blob/${process.version}/LICENSE`;

/** In the form that `sha256sum --check` reads. */
function writeChecksums() {
  const files = readdirSync(build)
    .filter((file) => file === name || file.startsWith(`${name}.`))
    .sort();
  const sums = files
    .filter((file) => !file.endsWith('.sha256'))
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(build, file)))
          .digest('hex')}  ${file}\n`,
    );
  writeFileSync(join(build, `${name}.sha256`), sums.join(''));
}

await write();
writeFileSync(
  join(build, `${name}.cdx.json`),
  billOfMaterials(JSON.parse(readFileSync(join(bundle, 'packages.json'), 'utf8'))),
);
writeLicenses();
writeChecksums();
process.stdout.write(`${executable}\n`);
