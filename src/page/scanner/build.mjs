/** Compiles the scanner's AssemblyScript to a TypeScript module, so that loading it needs no file system. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const generated = join(here, '..', '..', 'generated');
const target = join(generated, 'scanner-wasm.ts');
const flags = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'];

const sources = readdirSync(join(here, 'assembly'))
  .filter((name) => name.endsWith('.ts'))
  .sort();

/** Hashes all inputs of the build, so that an unchanged scanner is not compiled again. */
function fingerprint() {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  hash.update(readFileSync(join(here, '../../../node_modules/assemblyscript/package.json')));
  for (const name of sources) hash.update(name).update(readFileSync(join(here, 'assembly', name)));
  return hash.digest('hex');
}

function written() {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return '';
  }
}

async function compile() {
  const { default: asc } = await import('assemblyscript/asc');
  let binary;
  const { error, stderr } = await asc.main(['scanner.ts', '--baseDir', '.', '--outFile', 'scanner.wasm', ...flags], {
    readFile: (name, folder) => read(join(here, 'assembly', folder, name)),
    writeFile: (_name, contents) => {
      binary = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`The scanner does not compile.\n${stderr}`, { cause: error });
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
const first = `/** The compiled scanner, written by build.mjs. Sources: ${fingerprint()} */\n`;
if (!written().startsWith(first)) writeFileSync(target, `${first}export const wasm =\n  '${await compile()}';\n`);
