/** The options of the sink for object stores, and where its credentials, region and endpoint come from. */
import { ExtractError } from '../../src/core/errors/errors.js';
import {
  type AddressOption,
  type AddressOptions,
  decodeText,
  type SinkAddress,
  type SinkEnvironment,
  userInformation,
  withoutUserInformation,
} from '../addresses/address.js';
import { credentialOf, settingOf } from '../addresses/environment.js';
import { textOption, wordOption } from '../addresses/server-address.js';
import { type CsvOptions, csvOptions, csvOptionsOf } from '../csv/csv-options.js';
import { type Compression, compressions } from '../files/codec.js';
import { type ParquetOptions, parquetOptions, parquetOptionsOf } from '../parquet/parquet-options.js';
import { mustNotHaveTls, readTls, tlsOptions } from '../servers/tls.js';
import type { S3Bucket, S3Credentials } from './s3-client.js';

export const objectFormats = ['ndjson', 'csv', 'parquet'] as const;

export type ObjectFormat = (typeof objectFormats)[number];

/** The options of its address. */
export const s3Options = {
  format: { summary: 'what the objects are', type: '`ndjson`, `csv` or `parquet`', default: 'ndjson' },
  compress: {
    summary: 'with `format=ndjson`: compresses each object, `users.ndjson.gz` or `users.ndjson.zst`',
    type: '`gzip` or `zstd`',
    otherwise: 'no compression',
  },
  endpoint: {
    summary: 'the URL of another object store than that of AWS; its bucket is in the path',
    type: 'a URL',
    otherwise: '`AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, or AWS',
  },
  region: {
    summary: 'the region of the bucket',
    type: 'a name',
    otherwise: '`AWS_REGION`, `AWS_DEFAULT_REGION`, or `us-east-1`',
  },
  staging: {
    summary: 'the folder where objects are staged until the run has succeeded',
    type: 'a folder',
    otherwise: 'a folder of the state; without a state a temporary one',
  },
  ...tableOptions(),
  ...tlsOptions,
} as const satisfies AddressOptions;

/** The options of `csv` and `parquet`; both have `nested`. */
function tableOptions(): AddressOptions {
  const all: Record<string, AddressOption> = {};
  for (const [format, options] of [
    ['csv', csvOptions],
    ['parquet', parquetOptions],
  ] as const) {
    for (const [name, option] of Object.entries(options)) {
      all[name] = { ...option, summary: `with \`format=${format}\`: ${option.summary}` };
    }
  }
  const { nested: rows } = csvOptions;
  const { nested: columns } = parquetOptions;
  const summary = `with \`format=csv\`: ${rows?.summary}; with \`format=parquet\`: ${columns?.summary}`;
  all.nested = { summary, type: '`json`, `dot` or `structs`', otherwise: '`json` of csv, `structs` of parquet' };
  return all;
}

/** The formats that have the options of the address. */
function formatsOf(name: string): readonly ObjectFormat[] {
  const formats = [
    ...(name === 'compress' ? ['ndjson' as const] : []),
    ...(Object.hasOwn(csvOptions, name) ? ['csv' as const] : []),
    ...(Object.hasOwn(parquetOptions, name) ? ['parquet' as const] : []),
  ];
  return formats.length === 0 ? objectFormats : formats;
}

export interface S3Settings {
  readonly bucket: S3Bucket;
  /** Before the name of an object; with its last slash, or empty. */
  readonly prefix: string;
  readonly format: ObjectFormat;
  readonly compress: Compression | undefined;
  readonly csv: Pick<CsvOptions, 'delimiter' | 'bom' | 'nested' | 'escape'>;
  readonly parquet: Pick<ParquetOptions, 'compression' | 'rowGroup' | 'nested'>;
  readonly staging: string | undefined;
  readonly shown: string;
}

/** Reads an address; `env` has the usual variables of AWS. Throws ERR_USAGE. */
export function s3Settings(address: SinkAddress, env: SinkEnvironment): S3Settings {
  const format = wordOption(address, 'format', objectFormats) ?? 'ndjson';
  const compress = wordOption(address, 'compress', compressions);
  for (const name of address.options.keys()) {
    const formats = formatsOf(name);
    if (!formats.includes(format)) throw usage(`${name} needs format=${formats.join(' or ')}`);
  }
  const { name, prefix, credentials } = targetOf(address, env);
  return {
    format,
    compress,
    prefix,
    staging: textOption(address, 'staging'),
    csv: format === 'csv' ? csvOptionsOf(address) : {},
    parquet: format === 'parquet' ? parquetOptionsOf(address) : {},
    bucket: { bucket: name, credentials, ...placeOf(address, name, env), excerpt: address.excerpt },
    shown: address.shown,
  };
}

/** The bucket, the prefix and the credentials. */
function targetOf(address: SinkAddress, env: SinkEnvironment) {
  const { target, shown } = address;
  const written = userInformation(target);
  const rest = target.slice(2 + (written === undefined ? 0 : written.length + 1));
  const [, name = '', path = ''] = /^([^/]*)\/?(.*)$/s.exec(target.startsWith('//') ? rest : '') ?? [];
  if (!/^\w[\w.-]{1,61}\w$/.test(name)) {
    const example = 's3://BUCKET/PREFIX';
    throw usage(
      `expected ${example}, with the name of a bucket of 3 to 63 letters, digits, "-" and ".", found "${shown}"`,
    );
  }
  return { name, prefix: prefixOf(path), credentials: credentialsOf(address, written, env) };
}

function prefixOf(path: string): string {
  const prefix = decodeText(path.replace(/\/$/, ''));
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
  address: SinkAddress,
  written: string | undefined,
  env: SinkEnvironment,
): S3Credentials | undefined {
  if (written !== undefined) {
    const [, accessKeyId = '', secretAccessKey = ''] = /^([^:]*):?(.*)$/s.exec(written) ?? [];
    if (accessKeyId === '' || secretAccessKey === '') {
      throw usage('user information of the address is ACCESS_KEY:SECRET_KEY, both percent-encoded');
    }
    return { accessKeyId: decodeText(accessKeyId), secretAccessKey: decodeText(secretAccessKey) };
  }
  const accessKeyId = settingOf(env, 'AWS_ACCESS_KEY_ID');
  const secretAccessKey = credentialOf(env, 'AWS_SECRET_ACCESS_KEY', address);
  const sessionToken = credentialOf(env, 'AWS_SESSION_TOKEN', address);
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** Of AWS the bucket is in the host name, but for one with a dot, which no certificate of AWS fits. */
function placeOf(
  address: SinkAddress,
  bucket: string,
  env: SinkEnvironment,
): Omit<S3Bucket, 'bucket' | 'credentials' | 'excerpt'> {
  const region =
    textOption(address, 'region') ??
    settingOf(env, 'AWS_REGION') ??
    settingOf(env, 'AWS_DEFAULT_REGION') ??
    'us-east-1';
  if (!/^[\w-]{1,64}$/.test(region)) throw usage(`"${region}" is not the name of a region`);
  const tls = readTls(address);
  const endpoint =
    textOption(address, 'endpoint') ?? settingOf(env, 'AWS_ENDPOINT_URL_S3') ?? settingOf(env, 'AWS_ENDPOINT_URL');
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

const usage = (message: string) => new ExtractError('ERR_USAGE', `s3: ${message}`);
