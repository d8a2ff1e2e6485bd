/** Parts: files that each process of a run writes for itself, and a manifest that names those that count. */
import type { Notify } from '../../src/core/model/notice.js';
import type { OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { text } from '../../src/core/options/kinds.js';
import { usageError } from '../../src/core/util/check-value.js';
import { sinkInCode } from '../addresses/options.js';
import { borrowing } from '../borrowing.js';
import type { Sink } from '../contract.js';
import type { Destination, SinkEntry } from '../entry.js';
import { directory } from '../files/file-options.js';
import type { OpenFile } from '../files/output-file.js';
import { createS3Client } from '../s3/s3-client.js';
import { prefixOf, s3Bucket, s3PlaceOptions } from '../s3/s3-options.js';
import { tlsOptions } from '../servers/tls.js';
import { createFolderParts } from './folder-parts.js';
import { gather, gatherOf } from './gather-option.js';
import type { PartStore } from './part-store.js';
import { PartsRun } from './parts-run.js';
import { createS3Parts, type S3PartsOptions } from './s3-parts.js';

export interface PartsOptions {
  /** Gets all items at the end of the run, in the order of one process, such as `csv('out')`. */
  readonly gather?: Sink | undefined;
  /** Receives a notice when a file cannot have the plain name of its data type. */
  readonly notify?: Notify | undefined;
  /** Opens files; tests replace it to simulate disk faults. */
  readonly openFile?: OpenFile | undefined;
}

/**
 * Writes parts into a folder, which many processes of one run may share, and a manifest when the run has succeeded.
 * docs/07-sinks.md#parts-of-a-shared-run.
 */
export function parts(dir: string, { gather: to, notify = () => {}, openFile }: PartsOptions = {}): Sink {
  const inner = gatherOf(to, { scheme: 'parts' });
  return partsOf(createFolderParts({ dir, notify, openFile }), inner);
}

const folderRules = [
  'The parts of a run are `RUN/TASK/EPOCH.DATATYPE.ndjson`: the name of the run, of the part of the run that the process does (`all`: the whole of it), and the number of the process. Each process writes files of its own, so many of them may share the directory. Beside each file is the list of its pages, `.pages`.',
  'At the end of the run `manifest.json` names the files that count, with their bytes, items and SHA-256. It is replaced as a whole. Then the files of the run before are removed. Files that it does not name are of processes that were killed or suspended, and of runs that have not ended.',
  'Data types that a run does not have keep their entries in the manifest. Let one run at a time publish into a directory.',
] as const;

const gatherRules = [
  'With `gather` the last process reads all parts when everything is written, and writes their items to that address in the order in which one process would have written them. The manifest appears after it. A gather that is interrupted is repeated as a whole with `--resume`. It may be an address of `ndjson`, `csv`, `parquet`, `duckdb`, `tables` or `s3`, with all their options.',
  'The parts stay beside what is gathered until the next run has replaced them, so they need room too.',
  'Files of items are not supported.',
] as const;

const options = { dir: directory, gather } as const satisfies OptionRows;

export const partsEntry: SinkEntry<typeof options> = {
  summary: 'files that many processes of one run write side by side, named by a manifest or gathered into another sink',
  address: { form: 'parts:DIR', target: 'directory', parts: { target: 'dir' } },
  options,
  code: 'parts(dir, { gather, notify })',
  recovery: 'cut',
  rules: [...folderRules, ...gatherRules],
  example: 'parts:out?gather=csv:tables',
  create({ dir, gather: to }, destination) {
    if (dir.startsWith('s3://')) throw usageError(`parts: an object store is parts+s3://, as in ${s3Entry.example}`);
    const { notify = () => {} } = destination;
    return partsOf(createFolderParts({ dir, notify }), gatherOf(to, destination));
  },
};

const s3PartsOptions = {
  ...s3PlaceOptions,
  prefix: { kind: text, summary: 'what precedes the names of the objects, such as `parts/2026`' },
  gather,
  ...tlsOptions,
} as const satisfies OptionRows;

type S3Options = OptionsOf<typeof s3PartsOptions>;

/** The options of `partsInS3`. */
export type PartsInS3Options = Omit<S3Options, 'gather'> & PartsOptions;

/**
 * Writes parts as objects of an object store. Connects when the run begins. Throws ERR_USAGE for wrong options; see
 * docs/07-sinks.md#parts-of-a-shared-run.
 */
export const partsInS3 = ({ notify, openFile: _, ...values }: PartsInS3Options): Sink =>
  sinkInCode('parts+s3', s3Entry, values, { notify, env: process.env });

/** `parts+s3:`, the same in an object store. */
export const s3Entry: SinkEntry<typeof s3PartsOptions> = {
  summary:
    'objects that many processes of one run write side by side, named by a manifest or gathered into another sink',
  address: {
    form: 'parts+s3://BUCKET/PREFIX',
    target: 'bucket',
    parts: { hosts: 'bucket', path: 'prefix', user: 'accessKeyId', password: 'secretAccessKey' },
  },
  options: s3PartsOptions,
  code: "partsInS3({ bucket: 'lake', prefix: 'parts', region: 'eu-west-1' })",
  recovery: 'cut',
  rules: [
    'The parts of a run are objects, `PREFIX/RUN/TASK/EPOCH.DATATYPE.000001.ndjson` and so on: one for each page with items, or for each 8 MiB of it. A process keeps no file: what a page has sent survives it, on any machine.',
    'At the end of the run `PREFIX/manifest.json` names the objects that count, in order, with their bytes, items and SHA-256. It is replaced as a whole, and only if no other run has replaced it meanwhile, in stores that know `If-Match`. Then the objects of the run before are removed.',
    'Data types that a run does not have keep their entries in the manifest. Let one run at a time publish below a prefix.',
    'Credentials, region and endpoint are those of `s3:`. The rights `s3:PutObject`, `s3:GetObject`, `s3:ListBucket` and `s3:DeleteObject` are needed.',
    ...gatherRules,
  ],
  example: 'parts+s3://lake/parts?region=eu-west-1&gather=parquet:out',
  create: (given, destination) => createPartsInS3(given, destination),
};

/** Creates the sink. `tuning` is for tests. Throws ERR_USAGE. */
export function createPartsInS3(
  given: S3Options,
  destination: Destination,
  tuning: Pick<S3PartsOptions, 'objectBytes'> & { readonly wait?: (ms: number) => Promise<unknown> } = {},
): Sink {
  const place = s3Bucket(given, destination, destination.env ?? {});
  const prefix = prefixOf(given.prefix ?? '');
  const storeOf = () =>
    createS3Parts({
      client: createS3Client(place, tuning.wait),
      bucket: place.bucket,
      prefix,
      objectBytes: tuning.objectBytes,
    });
  const sink = partsOf(storeOf(), gatherOf(given.gather, destination));
  const check = async () => {
    const store = storeOf();
    try {
      await store.check();
    } finally {
      store.end();
    }
    await sink.check?.();
  };
  return { ...sink, check };
}

function partsOf(store: PartStore, inner: Sink | undefined): Sink {
  const run = new PartsRun(store, inner);
  const gathered = inner === undefined ? '' : `?gather=${inner.name}`;
  const { check } = inner ?? {};
  const replaces = inner === undefined || inner.published !== undefined;
  return {
    name: `${store.shown}${gathered}`,
    recovery: 'cut',
    ...(inner?.secrets === undefined ? {} : { secrets: inner.secrets }),
    ...(check === undefined ? {} : { check: () => check.call(inner) }),
    resume: (earlier) => run.resume(earlier),
    open: (dataType, job, opening) => run.open(dataType, job, opening),
    write: borrowing((batch, signal) => run.write(batch, signal)),
    commit: (page, signal) => run.commit(page, signal),
    rollback: (dataType) => run.rollback(dataType),
    durable: () => run.durable(),
    ...(replaces
      ? {
          published: (dataType: string) => run.published(dataType),
          replacesOutput: (dataType: string) => inner?.replacesOutput?.(dataType) ?? inner === undefined,
        }
      : {}),
    close: (closing) => run.close(closing),
    leave: () => run.leave(),
    abort: (reason) => run.abort(reason),
    summary: () => run.summary(),
  };
}
