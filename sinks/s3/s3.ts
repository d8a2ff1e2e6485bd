/** Object stores: an object for each data type, staged as a file, and visible when the run has succeeded. */
import type { Notify } from '../../src/core/model/notice.js';
import type { GivenOptions, OptionsOf } from '../../src/core/options/kind.js';
import { sinkInCode } from '../addresses/options.js';
import { borrowing } from '../borrowing.js';
import type { Sink } from '../contract.js';
import type { Destination, SinkEntry } from '../entry.js';
import { codecOf } from '../files/codec.js';
import { listsRule } from '../related-tables/list-options.js';
import { type PagedSink, withLists } from '../related-tables/with-lists.js';
import { type S3Settings, s3Options, s3Settings } from './s3-options.js';
import { type S3Context, S3Run } from './s3-run.js';

/** The options of `s3`. */
export interface S3Options extends GivenOptions<typeof s3Options> {
  /** Receives a notice when an object cannot have the plain name of its data type. */
  readonly notify?: Notify;
}

/**
 * Creates the sink of the address `s3://...`: objects of an object store. Connects when the run begins. Throws
 * ERR_USAGE for wrong options; see docs/reference/sinks/s3.md.
 */
export const s3 = ({ notify, ...values }: S3Options): Sink =>
  sinkInCode('s3', s3Entry, values, { notify, env: process.env });

export const s3Entry: SinkEntry<typeof s3Options> = {
  summary: 'an object for each data type in S3 or another object store, visible after the run has succeeded',
  address: {
    form: 's3://BUCKET/PREFIX',
    target: 'bucket',
    parts: { hosts: 'bucket', path: 'prefix', user: 'accessKeyId', password: 'secretAccessKey' },
  },
  options: s3Options,
  code: "s3({ bucket: 'lake', prefix: 'raw', region: 'eu-west-1' })",
  recovery: 'cut',
  rules: [
    'The object of a data type is `PREFIX/users.ndjson`, with the name that its file would have. An object of that name is replaced as a whole.',
    'With `mode=append` each run adds objects with its start and its name, such as `PREFIX/users.20261126T235900Z-IqYl0WHtFC1fnvw8.000001.ndjson`; those of earlier runs stay as they are. A data type without items has none.',
    'The credentials are `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for temporary ones, `AWS_SESSION_TOKEN`; or `ACCESS_KEY:SECRET_KEY@` before the bucket, with variables. Profiles and roles of machines are not read: `aws configure export-credentials --format env` prints their credentials.',
    'With `endpoint` any store with the API of S3 is used. The bucket is in the path then. Of AWS it is in the host name.',
    'Objects are staged as files, so the disk needs as much room as they take: in the folder of the state, so that a resume on another machine needs that folder only, or in `staging`. They are removed when the run has succeeded.',
    listsRule,
    'The files of items are the objects `PREFIX/invoices.ndjson.files/NAME`, with the type `application/octet-stream`. They become visible before the object with the items. Those of earlier runs with other names stay, so use `mode=append` if files may go.',
    'Parts of 8 MiB of an NDJSON object are sent while the run continues, up to four at once. From the part 5,001 on they are larger, so that 10,000 parts hold 5 TiB. CSV, Parquet, and NDJSON that is compressed in a run without a state, are sent at the end. An object of less than 8 MiB is one request.',
    'At the end all parts are sent first, and then the objects become visible one after the other. An interrupted end continues with `--resume`: objects of the run, which have its name in their metadata (`rxtract-run`), are not sent again.',
    'The store verifies each part: with TLS by its `Content-MD5`, without TLS by the SHA-256 in its signature. Failed connections and the statuses 408, 425, 429, 500, 502, 503 and 504 are tried again for a minute, after `Retry-After` if it is sent and at most 10 minutes. A part that fails longer is sent at the end. An upload that the store has lost is begun again from the staged file.',
    'Before its first request to the API, a run begins an upload of `PREFIX/rxtract-check` and aborts it: a missing bucket, wrong keys, a wrong region and a missing right end the run there.',
    'The right `s3:PutObject` is needed, and `s3:AbortMultipartUpload` to remove uploads. `s3:GetObject` is needed to find an earlier output, `s3:ListMultipartUploadParts` to continue an upload.',
    'A run that fails without a state aborts its uploads and removes its files. With a state both stay for `--resume`; a run that begins anew in its place removes them. Uploads of a killed run without a state are removed by the next run after seven days; a rule of the bucket (`AbortIncompleteMultipartUpload`) does so without it.',
  ],
  example: 's3://lake/raw?region=eu-west-1',
  create: (options, destination) => createS3(options, destination),
};

/** Creates the sink. `tuning` is for tests. Throws ERR_USAGE. */
export function createS3(
  options: OptionsOf<typeof s3Options>,
  destination: Destination,
  tuning: Pick<S3Context, 'partBytes' | 'wait'> = {},
): Sink {
  const settings = s3Settings(options, destination, destination.env ?? {});
  if (settings.compress !== undefined) codecOf(settings.compress); // this Node may lack it
  const { notify } = destination;
  const run = new S3Run(settings, { ...tuning, notify });
  const sink = objectsOf(run, settings);
  return settings.format === 'ndjson'
    ? sink
    : withLists(sink, { ...settings.lists, kind: 's3', notify, isAppending: settings.mode === 'append' });
}

function objectsOf(run: S3Run, { shown, mode }: S3Settings): PagedSink {
  return {
    name: shown,
    recovery: 'cut',
    check: () => run.check(),
    resume: (earlier) => run.resume(earlier),
    open: (dataType, job, opening) => run.open(dataType, job, opening),
    write: borrowing((batch, signal) => run.inner().write(batch, signal)),
    file: (place) => run.file(place),
    commit: (page, signal) => run.commit(page, signal),
    rollback: (dataType) => run.inner().rollback?.(dataType),
    durable: () => run.durable(),
    ...(mode === 'replace' && {
      published: (dataType: string) => run.published(dataType),
      replacesOutput: () => true,
    }),
    close: (closing) => run.close(closing),
    abort: (reason) => run.abort(reason),
    summary: () => run.summary(),
  };
}
