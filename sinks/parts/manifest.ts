/** The manifest: what counts of the files in a folder of parts. docs/decisions/077-parts-and-their-manifest.md. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { filesOf, isPart, type OutputPart, runFolderOf } from './part.js';

/** The output of a data type. */
export interface ManifestEntry {
  readonly dataType: string;
  /** The run that has written it, and when that began, in epoch ms. */
  readonly run: string;
  readonly startedAt?: number | undefined;
  readonly parts: readonly OutputPart[];
  /** Where its items were gathered: a file, an object or a table. */
  readonly gathered?: string | undefined;
}

export interface Manifest {
  /** The run that has written the manifest, and the epoch of its process. */
  readonly run: string;
  readonly epoch: number;
  readonly entries: readonly ManifestEntry[];
  /** Folders of runs whose parts it has replaced: they are removed. */
  readonly replaced: readonly string[];
}

const format = 'rxtract-parts';
const version = 1;

export const countOf = ({ parts }: Pick<ManifestEntry, 'parts'>) => ({
  items: parts.reduce((sum, { items }) => sum + items, 0),
  bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** A document of JSON, with a line for each part. */
export function manifestText({ entries, ...facts }: Manifest): string {
  const head = JSON.stringify({ format, version, ...facts }).slice(0, -1);
  return `${head},"dataTypes":[\n${entries.map(entryText).join(',\n')}\n]}\n`;
}

function entryText(entry: ManifestEntry): string {
  const { parts, startedAt, ...facts } = entry;
  const started = startedAt === undefined ? undefined : new Date(startedAt).toISOString();
  const head = JSON.stringify({ ...facts, startedAt: started, ...countOf(entry) }).slice(0, -1);
  const lines = parts.map(({ path, items, bytes, sha256, ...others }) =>
    JSON.stringify({ files: [...filesOf({ path, ...others })], items, bytes, sha256, path, ...others }),
  );
  return `${head},"parts":[\n${lines.join(',\n')}\n]}`;
}

/** Reads a manifest. Throws ERR_SINK for another file; `name` is that of the file. */
export function parseManifest(text: string, name: string): Manifest {
  const found = parsed(text);
  if (found?.format !== format) throw notOurs(name, 'it is not a manifest of parts');
  if (found.version !== version) throw notOurs(name, 'another version of rxtract has written it');
  const entries = Array.isArray(found.dataTypes) ? found.dataTypes.map(entryIn) : [];
  if (entries.some((entry) => entry === undefined)) throw notOurs(name, 'it has been changed');
  return {
    run: String(found.run),
    epoch: Number(found.epoch),
    entries: entries.flatMap((entry) => (entry === undefined ? [] : [entry])),
    replaced: Array.isArray(found.replaced) ? found.replaced.map(String).filter(isFolder) : [],
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function entryIn(value: unknown): ManifestEntry | undefined {
  const { dataType, run, startedAt, gathered, parts } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof dataType !== 'string' || typeof run !== 'string' || !Array.isArray(parts)) return undefined;
  const own = parts.map(({ files: _, ...part }) => part);
  if (!own.every(isPart)) return undefined;
  return {
    dataType,
    run,
    ...(typeof startedAt === 'string' ? { startedAt: Date.parse(startedAt) } : {}),
    parts: own,
    ...(typeof gathered === 'string' ? { gathered } : {}),
  };
}

const isFolder = (name: string): boolean => /^[\w-]+$/.test(name);

const notOurs = (name: string, why: string): ExtractError =>
  new ExtractError('ERR_SINK', `cannot replace "${name}": ${why}`, {
    remedy: 'Give parts a folder or a prefix of their own.',
  });

/** The folders of the runs whose parts it names. */
export const foldersIn = ({ entries }: Pick<Manifest, 'entries'>): ReadonlySet<string> =>
  new Set(entries.flatMap(({ parts }) => parts.map(({ path }) => runFolderOf(path))));
