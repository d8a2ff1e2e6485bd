/** What the tests of parts share: an independent reader of the manifest. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { sinkFrom } from '../../../sinks/addresses/address-secrets.js';
import { readAddress } from '../../../sinks/addresses/options.js';
import type { Sink } from '../../../sinks/contract.js';
import { createPartsInS3, s3Entry } from '../../../sinks/parts/parts-sink.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { type FakeS3, startFakeS3 } from '../../support/fake-s3.js';

/** An entry of the manifest. */
export interface Entry {
  readonly dataType: string;
  readonly items: number;
  readonly bytes: number;
  readonly gathered?: string;
  readonly parts: readonly {
    readonly files: readonly string[];
    readonly items: number;
    readonly bytes: number;
    readonly sha256: string;
  }[];
}

export interface ManifestFile {
  readonly run: string;
  readonly dataTypes: readonly Entry[];
}

/** Undefined: there is none. */
export function manifestIn(dir: string): ManifestFile | undefined {
  const path = join(dir, 'manifest.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ManifestFile) : undefined;
}

/** The lines of the files that an entry names; what the manifest says of them must hold. */
export function linesOf(entry: Entry | undefined, read: (file: string) => Buffer): readonly string[] {
  const lines = (entry?.parts ?? []).flatMap(({ files, items, bytes, sha256 }) => {
    const content = Buffer.concat(files.map(read));
    assert.is(content.length, bytes);
    assert.is(createHash('sha256').update(content).digest('hex'), sha256);
    const found = content.toString().split('\n').slice(0, -1);
    assert.is(found.length, items);
    return found;
  });
  assert.is(lines.length, entry?.items ?? 0);
  return lines;
}

/** The lines of a data type, as the manifest has them. */
export const readParts = (dir: string, dataType: string): readonly string[] =>
  linesOf(
    manifestIn(dir)?.dataTypes.find((entry) => entry.dataType === dataType),
    (file) => readFileSync(join(dir, file)),
  );

const keys = { AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'SECRET-VALUE' };

/** A store in memory, and sinks over it whose objects have at most 100 bytes. */
export interface StoreOfParts {
  readonly store: FakeS3;
  sink(options?: string): Sink;
}

/** Creates the sink of an address. Waits between attempts take no time. */
export function partsAt(uri: string, objectBytes?: number): Sink {
  const { options, destination } = readAddress(uri, s3Entry, { env: keys });
  const open = (address: string) => sinkFromUri(address, { env: keys });
  const tuning = { wait: async () => {}, objectBytes };
  return sinkFrom(destination, () => createPartsInS3(options, { ...destination, open }, tuning));
}

export const withStore = (work: (place: StoreOfParts) => Promise<void>) => async (): Promise<void> => {
  const store = await startFakeS3();
  try {
    await work({
      store,
      sink: (options = '') => partsAt(`parts+s3://lake/raw?endpoint=${store.origin}${options}`, 100),
    });
  } finally {
    await store.close();
  }
};

/** The files below a folder, by name. */
export const bytesIn = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(dir.length + 1), readFileSync(path).toString('latin1')]),
  );
