/** The options of the sink for object stores, and where its credentials, region and endpoint come from. */
import { kind, type OptionRows, type OptionsOf } from '../../src/core/options/kind.js';
import { nonEmptyText, secret, text, word } from '../../src/core/options/kinds.js';
import { onlyOf } from '../../src/core/options/object-kinds.js';
import { usageError } from '../../src/core/util/check-value.js';
import { defined } from '../../src/core/util/defined.js';
import { type SinkEnvironment, withoutUserInformation } from '../addresses/address.js';
import { credentialOf, settingOf } from '../addresses/environment.js';
import { optionsInCode } from '../addresses/options.js';
import { type CsvOptions, csvOptions } from '../csv/csv-options.js';
import { type Destination, under } from '../entry.js';
import { type FileMode, fileMode } from '../files/added-files.js';
import type { Compression } from '../files/codec.js';
import { compress } from '../files/file-options.js';
import { type ParquetOptions, parquetOptions } from '../parquet/parquet-options.js';
import { type ListSettings, listOptions, listSettings } from '../related-tables/list-options.js';
import { mustNotHaveTls, readTls, tlsOptions } from '../servers/tls.js';
import type { S3Bucket, S3Credentials } from './s3-client.js';

const bucketName = kind<string>(
  'a name of 3 to 63 letters, digits, "-" and "."',
  (value) => typeof value === 'string' && /^\w[\w.-]{1,61}\w$/.test(value),
  { schema: { type: 'string' } },
);

export const objectFormats = ['ndjson', 'csv', 'parquet'] as const;

export type ObjectFormat = (typeof objectFormats)[number];

/** Where a bucket is, and who may use it: of each address of an object store. */
export const s3PlaceOptions = {
  bucket: { kind: bucketName, summary: 'the bucket', required: true },
  accessKeyId: { kind: nonEmptyText, summary: 'the access key', otherwise: '`AWS_ACCESS_KEY_ID`' },
  secretAccessKey: {
    kind: secret,
    summary: 'the secret of the access key; masked in all messages',
    otherwise: '`AWS_SECRET_ACCESS_KEY`',
  },
  sessionToken: {
    kind: secret,
    summary: 'the token of temporary credentials; masked in all messages',
    otherwise: '`AWS_SESSION_TOKEN`',
  },
  endpoint: {
    kind: nonEmptyText,
    summary: 'the URL of another object store than that of AWS; its bucket is in the path',
    otherwise: '`AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, or AWS',
  },
  region: {
    kind: nonEmptyText,
    summary: 'the region of the bucket',
    otherwise: '`AWS_REGION`, `AWS_DEFAULT_REGION`, or `us-east-1`',
  },
} as const satisfies OptionRows;

export const s3Options = {
  ...s3PlaceOptions,
  prefix: { kind: text, summary: 'what precedes the names of the objects, such as `raw/2026`' },
  mode: {
    ...fileMode,
    summary:
      '`replace`: an object replaces that of the run before; `append`: a run adds its own, such as `users.20261126T235900Z-IqYl0WHtFC1fnvw8.000001.ndjson`',
  },
  format: { kind: word(...objectFormats), summary: 'what the objects are', default: 'ndjson' },
  compress: {
    ...compress,
    summary: 'with `format=ndjson`: compresses each object, `users.ndjson.gz` or `users.ndjson.zst`',
  },
  staging: {
    kind: nonEmptyText,
    summary: 'the folder where objects are staged until the run has succeeded',
    otherwise: 'a folder of the state; without a state a temporary one',
  },
  ...under('with `format=csv`', csvOptions),
  ...under('with `format=parquet`', parquetOptions),
  nested: {
    kind: word('json', 'dot', 'structs'),
    summary: 'objects in items, with `format=csv` or `parquet`: as of these sinks',
    otherwise: '`json`; with `format=parquet` `structs`',
  },
  ...under('with `format=csv` or `parquet`', listOptions),
  ...tlsOptions,
} as const satisfies OptionRows;

type Options = OptionsOf<typeof s3Options>;

/** The formats that have an option. */
function formatsOf(name: string): readonly ObjectFormat[] {
  if (name === 'compress') return ['ndjson'];
  if (name in listOptions) return ['csv', 'parquet'];
  const formats = [
    ...(name in csvOptions ? ['csv' as const] : []),
    ...(name in parquetOptions ? ['parquet' as const] : []),
  ];
  return formats.length === 0 ? objectFormats : formats;
}

export interface S3Settings {
  readonly bucket: S3Bucket;
  /** Before the name of an object; with its last slash, or empty. */
  readonly prefix: string;
  readonly format: ObjectFormat;
  readonly mode: FileMode;
  readonly compress: Compression | undefined;
  readonly csv: CsvOptions;
  readonly parquet: ParquetOptions;
  readonly lists: ListSettings;
  readonly staging: string | undefined;
  readonly shown: string;
}

/** `env` has the usual variables of AWS. Throws ERR_USAGE for options that do not go together. */
export function s3Settings(options: Options, destination: Destination, env: SinkEnvironment): S3Settings {
  const { format, mode, compress, prefix = '', staging } = options;
  for (const name of destination.given) {
    const formats = formatsOf(name);
    if (!formats.includes(format)) throw usage(`${name} needs format=${formats.join(' or ')}`);
  }
  return {
    format,
    mode,
    compress,
    prefix: prefixOf(prefix),
    lists: listSettings('s3', { lists: options.lists, key: options.key }),
    staging,
    csv: format === 'csv' ? optionsInCode('s3', csvOptions, onlyOf(csvOptions, options)) : {},
    parquet: format === 'parquet' ? optionsInCode('s3', parquetOptions, onlyOf(parquetOptions, options)) : {},
    bucket: s3Bucket(options, destination, env),
    shown: destination.shown,
  };
}

/** The options of the bucket. */
export type BucketOptions = Pick<
  Options,
  'bucket' | 'accessKeyId' | 'secretAccessKey' | 'sessionToken' | 'endpoint' | 'region' | 'ca' | 'cert' | 'certkey'
>;

/** `env` has the usual variables of AWS. Throws ERR_USAGE for options that do not go together. */
export const s3Bucket = (options: BucketOptions, destination: Destination, env: SinkEnvironment): S3Bucket => ({
  bucket: options.bucket,
  credentials: credentialsOf(options, destination, env),
  ...placeOf(options, destination, env),
  excerpt: destination.excerpt,
});

/** What precedes the names of objects: with its last slash, or empty. Throws ERR_USAGE. */
export function prefixOf(path: string): string {
  const prefix = path.replace(/\/$/, '');
  if (prefix === '') return '';
  const isPlain = prefix.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  const isText = !/[\p{Surrogate}\p{Control}]/u.test(prefix);
  if (isPlain && isText && Buffer.byteLength(prefix) <= mostPrefixBytes) return `${prefix}/`;
  throw usage(
    `"${prefix}" cannot be a prefix: it has more than ${mostPrefixBytes} bytes, or an empty segment, ".", ".." or a control character`,
  );
}

/** Keys have 1,024 bytes at the most, and the names of files up to 255. */
const mostPrefixBytes = 768;

function credentialsOf(
  given: BucketOptions,
  destination: Destination,
  env: SinkEnvironment,
): S3Credentials | undefined {
  if ((given.accessKeyId === undefined) !== (given.secretAccessKey === undefined)) {
    throw usage('accessKeyId and secretAccessKey belong together: ACCESS_KEY:SECRET_KEY@ in an address');
  }
  const { accessKeyId, secretAccessKey, sessionToken } =
    given.accessKeyId === undefined
      ? {
          accessKeyId: settingOf(env, 'AWS_ACCESS_KEY_ID'),
          secretAccessKey: credentialOf(env, 'AWS_SECRET_ACCESS_KEY', destination),
          sessionToken: given.sessionToken ?? credentialOf(env, 'AWS_SESSION_TOKEN', destination),
        }
      : given;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...defined({ sessionToken }) };
}

/** Of AWS the bucket is in the host name, but for one with a dot, which no certificate of AWS fits. */
function placeOf(
  options: BucketOptions,
  destination: Destination,
  env: SinkEnvironment,
): Omit<S3Bucket, 'bucket' | 'credentials' | 'excerpt'> {
  const { bucket } = options;
  const region = options.region ?? settingOf(env, 'AWS_REGION') ?? settingOf(env, 'AWS_DEFAULT_REGION') ?? 'us-east-1';
  if (!/^[\w-]{1,64}$/.test(region)) throw usage(`"${region}" is not the name of a region`);
  const tls = readTls(options, destination);
  const endpoint = options.endpoint ?? settingOf(env, 'AWS_ENDPOINT_URL_S3') ?? settingOf(env, 'AWS_ENDPOINT_URL');
  if (endpoint !== undefined) {
    const { origin, path } = endpointOf(endpoint);
    if (!origin.startsWith('https:')) mustNotHaveTls(tls, 's3', 'use an endpoint with https://');
    return { region, tls, origin, basePath: `${path}/${bucket}` };
  }
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  if (bucket.includes('.')) return { region, tls, origin: `https://${host}`, basePath: `/${bucket}` };
  return { region, tls, origin: `https://${bucket}.${host}`, basePath: '' };
}

function endpointOf(text: string): { readonly origin: string; readonly path: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isHttp || `${url.username}${url.password}${url.search}${url.hash}` !== '') {
    throw usage(
      `endpoint: expected a URL such as https://storage.example.com:9000, found "${withoutUserInformation(text)}"`,
    );
  }
  return { origin: url.origin, path: url.pathname.replace(/\/$/, '') };
}

const usage = (message: string) => usageError(`s3: ${message}`);
