/** Object stores: an object for each data type, staged as a file, and visible when the run has succeeded. */
import type { Notify } from '../../src/core/model/notice.js';
import { rawEncode } from '../../src/core/url/percent.js';
import type { SinkAddress } from '../addresses/address.js';
import { addressOf } from '../addresses/address-of.js';
import { sinkFrom } from '../addresses/address-secrets.js';
import { borrowing } from '../borrowing.js';
import type { Sink } from '../contract.js';
import { codecOf } from '../files/codec.js';
import { s3Options, s3Settings } from './s3-options.js';
import { type S3Context, S3Run } from './s3-run.js';

/** The options of `s3`. */
export interface S3Options {
  readonly bucket: string;
  /** Before the names of the objects, such as `raw/2026`. Default: none. */
  readonly prefix?: string;
  /** Default: ndjson. */
  readonly format?: 'ndjson' | 'csv' | 'parquet';
  /** With `ndjson`: compresses each object. */
  readonly compress?: 'gzip' | 'zstd';
  /** The URL of another object store than that of AWS. Default: `AWS_ENDPOINT_URL_S3`, or AWS. */
  readonly endpoint?: string;
  /** Default: `AWS_REGION`, or us-east-1. */
  readonly region?: string;
  /** Default: `AWS_ACCESS_KEY_ID`. */
  readonly accessKeyId?: string;
  /** Default: `AWS_SECRET_ACCESS_KEY`. Masked in all messages. */
  readonly secretAccessKey?: string;
  /** Default: `AWS_SESSION_TOKEN`. Masked in all messages. */
  readonly sessionToken?: string;
  /** Where objects are staged. Default: a folder of the state; without a state a temporary one. */
  readonly staging?: string;
  /** With `csv`: as of `csv`. */
  readonly delimiter?: string;
  readonly bom?: boolean;
  readonly escape?: 'formulas';
  /** With `csv` and `parquet`: as of these. */
  readonly nested?: 'json' | 'dot' | 'structs';
  /** With `parquet`: as of `parquet`. */
  readonly compression?: 'snappy' | 'zstd' | 'gzip' | 'none';
  readonly rowGroup?: number;
  /** The authorities to trust, and the certificate of the client: files in PEM, or their text. */
  readonly ca?: string;
  readonly cert?: string;
  readonly certkey?: string;
  /** Receives a notice when an object cannot have the plain name of its data type. */
  readonly notify?: Notify;
}

/**
 * Creates the sink of the address `s3://...`: objects of an object store. Connects when the run begins. Throws
 * ERR_USAGE for wrong options; see docs/reference/sinks/s3.md.
 */
export function s3(options: S3Options): Sink {
  const { bucket, prefix, accessKeyId, secretAccessKey, sessionToken, notify, ...values } = options;
  const target = { hosts: bucket, path: prefix?.split('/').map(rawEncode).join('/') };
  const more = ['bucket', 'prefix', 'accessKeyId', 'secretAccessKey', 'sessionToken', 'notify'];
  const given = {
    ...(accessKeyId === undefined ? {} : { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SESSION_TOKEN: undefined }),
    ...(secretAccessKey === undefined ? {} : { AWS_SECRET_ACCESS_KEY: secretAccessKey }),
    ...(sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: sessionToken }),
  };
  const address = addressOf('s3', target, { ...values }, { options: s3Options, more });
  return sinkFrom(address, (each) => s3FromAddress(each, { env: { ...process.env, ...given }, notify }));
}

/** Creates the sink of an address. Throws ERR_USAGE. */
export function s3FromAddress(address: SinkAddress, context: S3Context = {}): Sink {
  const settings = s3Settings(address, context.env ?? {});
  if (settings.compress !== undefined) codecOf(settings.compress); // this Node may lack it
  const run = new S3Run(settings, context);
  return {
    name: settings.shown,
    recovery: 'cut',
    check: () => run.check(),
    resume: (earlier) => run.resume(earlier),
    open: (dataType, job, opening) => run.open(dataType, job, opening),
    write: borrowing((batch, signal) => run.inner().write(batch, signal)),
    commit: (page, signal) => run.commit(page, signal),
    rollback: (dataType) => run.inner().rollback?.(dataType),
    durable: () => run.durable(),
    published: (dataType) => run.published(dataType),
    close: (closing) => run.close(closing),
    abort: (reason) => run.abort(reason),
    summary: () => run.summary(),
  };
}
