/** Compiles AssemblyScript to TypeScript modules of `src/generated`, so that loading them needs no file system. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const generated = join(root, 'src/generated');
const flags = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'];

/** By name: the folder of the sources. A source of that name is the entry. */
const modules = {
  scanner: 'src/page/scanner/assembly',
  latin1: 'src/core/json/assembly',
  shape: 'sinks/shape/assembly',
};

/** Hashes all inputs of a module, so that it is not compiled again when none has changed. */
function fingerprint(folder) {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  hash.update(readFileSync(join(root, 'node_modules/assemblyscript/package.json')));
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  for (const name of sources.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}

async function compile(name, folder) {
  const { default: asc } = await import('assemblyscript/asc');
  let binary;
  const { error, stderr } = await asc.main([`${name}.ts`, '--baseDir', '.', '--outFile', `${name}.wasm`, ...flags], {
    readFile: (file, within) => read(join(folder, within, file)),
    writeFile: (_name, contents) => {
      binary = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`${name} does not compile.\n${stderr}`, { cause: error });
  return Buffer.from(binary).toString('base64');
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

mkdirSync(generated, { recursive: true });
for (const [name, sources] of Object.entries(modules)) {
  const folder = join(root, sources);
  const target = join(generated, `${name}-wasm.ts`);
  const first = `/** Compiled by scripts/build-wasm.mjs from ${sources}: ${fingerprint(folder)} */\n`;
  if (read(target)?.startsWith(first)) continue;
  writeFileSync(target, `${first}export const wasm =\n  '${await compile(name, folder)}';\n`);
}
