/** Reads the public declarations of the package, as the compiler writes them, one text for each exported name. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The entry points of the package, as its users import them. */
export const entryPoints = {
  rxtract: 'src/index.d.ts',
  'rxtract/operators': 'operators/index.d.ts',
  'rxtract/sinks': 'sinks/index.d.ts',
} as const;

/** Exported names of one entry point, each with the lines of its declaration: no comments, no indentation. */
export type Declarations = Readonly<Record<string, readonly string[]>>;

interface Declared {
  /** The name in the file that declares it. */
  readonly name: string;
  readonly text: string;
}

/** Compiles the repository at `root` and reads what its entry points export. Takes a few seconds. */
export function publicDeclarations(root: string): Readonly<Record<string, Declarations>> {
  const out = mkdtempSync(join(tmpdir(), 'rxtract-declarations-'));
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const flags = ['-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', out];
    execFileSync(process.execPath, [compiler, ...flags], { encoding: 'utf8', stdio: 'pipe' });
    return readEntryPoints(out);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function readEntryPoints(out: string): Readonly<Record<string, Declarations>> {
  const read = Object.entries(entryPoints).map(([entry, file]) => [entry, exportsOf(join(out, file))] as const);
  // A type may have another name inside; users see only the exported one.
  const publicNames = new Map(
    read.flatMap(([, names]) => [...names].map(([exported, { name }]) => [name, exported] as const)),
  );
  return Object.fromEntries(
    read.map(([entry, names]) => [
      entry,
      Object.fromEntries([...names].sort(byName).map(([exported, { text }]) => [exported, linesOf(text, publicNames)])),
    ]),
  );
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/** What a file of declarations exports by `export { ... } from`, with the declarations that the names lead to. */
function exportsOf(file: string): ReadonlyMap<string, Declared> {
  const found = new Map<string, Declared>();
  for (const [, list = '', from = ''] of textOf(file).matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g)) {
    const target = join(dirname(file), from.replace(/\.js$/, '.d.ts'));
    for (const [, name = '', alias] of list.matchAll(/(?:type )?(\w+)(?: as (\w+))?/g)) {
      found.set(alias ?? name, declarationIn(target, name));
    }
  }
  return found;
}

/** The declaration of a name in a file with all overloads, or in the file from which it is re-exported. */
function declarationIn(file: string, name: string): Declared {
  const text = textOf(file);
  const kinds = '(?:interface|type|class|const|function)';
  const own = [...text.matchAll(new RegExp(`^export (?:declare )?${kinds} ${name}\\b`, 'gm'))];
  if (own.length > 0) return { name, text: own.map(({ index }) => statementAt(text, index)).join('\n') };
  const declared = exportsOf(file).get(name);
  if (declared === undefined) throw new Error(`${file} does not declare ${name}`);
  return declared;
}

function statementAt(text: string, index: number): string {
  const rest = text.slice(index);
  const end = /\n(?=export |declare |import |interface |type |const )/.exec(rest);
  return end === null ? rest : rest.slice(0, end.index);
}

const textOf = (file: string): string => readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');

function linesOf(text: string, publicNames: ReadonlyMap<string, string>): readonly string[] {
  return text
    .replace(/import\("[^"]+"\)\./g, '')
    .replace(/\b[A-Z]\w+\b/g, (name) => publicNames.get(name) ?? name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'export {};');
}
