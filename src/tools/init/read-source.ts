/** Reads the request of `init` from its arguments: by the form of SOURCE. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ExtractError } from '../../core/errors/errors.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { emptyObject } from '../../core/json/exact.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import { readCurl, readCurlText } from './curl.js';
import { configOf } from './draft.js';
import type { FoundRequest } from './found-request.js';
import { readHar } from './har.js';
import { initError } from './init-error.js';
import { memberOf, parseJson } from './json-value.js';
import { readOpenApi } from './openapi.js';
import { createProber, type ProbeContext, type Prober } from './prober.js';
import type { ReadContext } from './read-context.js';
import { checkSize, mostBytes } from './source-limits.js';
import { readUrl } from './url-source.js';

/** Beside a source. An option of another kind of source is an error. */
export interface SourceOptions extends Partial<Pick<ReadContext, 'params' | 'operation' | 'entry' | 'server'>> {
  /** Of an address, each `NAME: VALUE`. */
  readonly headers?: readonly string[];
  /** Of an address: a JSON object for a POST. */
  readonly body?: string;
  /** Where the source `-` is read. */
  stdin?(): AsyncIterable<Uint8Array | string>;
}

export interface SourceContext extends Omit<ProbeContext, 'env'>, Pick<ReadContext, 'env' | 'choose' | 'ask'> {}

/**
 * Reads the request of a source: an address, a file, `-`, or the words of a curl command. Rejects with ERR_USAGE for a
 * source that is none, or that cannot be read.
 */
export async function readSource(
  words: readonly string[],
  options: SourceOptions,
  init: SourceContext,
): Promise<FoundRequest> {
  const [source, extra] = words;
  if (source === undefined) {
    throw usageError('SOURCE is missing: the URL of an API, such as rxtract init https://api.example.com/v1/users');
  }
  const isAddress = /^[a-z][\w+.-]*:\/\//i.test(source);
  const isDocument =
    isAddress &&
    URL.canParse(source) &&
    (options.operation !== undefined || documentName.test(new URL(source).pathname));
  if (!isAddress || isDocument) refuseRequestOptions(options, source);
  const context = contextOf(options, init);
  if (source === 'curl' || source === '-') refuseOthers(options, 'a curl command');
  if (source === 'curl') return readCurl(words, context);
  if (extra !== undefined) {
    throw usageError(`expected one SOURCE, found "${extra}" too: put quotes around an address with &`);
  }
  if (source === '-') return readCurlText(await readCommand(options, init.signal), context);
  if (!isAddress) return readFileSource(source, options, context);
  if (!isDocument) {
    const found = readUrl(source, { headers: options.headers ?? [], body: options.body, env: context.env });
    refuseOthers(options, 'an address');
    return found;
  }
  refuseOthers(options, 'an OpenAPI document');
  const location = new URL(source);
  return readOpenApi({ text: await context.fetchText(location), label: source, location }, context);
}

function readCommand({ stdin }: SourceOptions, signal: AbortSignal | undefined): Promise<string> {
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([readLimited(stdin?.() ?? [], mostBytes.curl, 'the curl command'), aborted]);
}

/** Reads a stream to its end. Rejects with ERR_USAGE after so many bytes. */
async function readLimited(
  stream: AsyncIterable<Uint8Array | string> | readonly [],
  most: number,
  label: string,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    checkSize(bytes, most, label);
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString();
}

/** Of the address of an OpenAPI document. */
const documentName = /(?:\.ya?ml|(?:openapi|swagger)[\w.-]*\.json|\/(?:v\d\/)?api-docs)$/i;

/** `--header` and `--body` belong to an address: other sources have their own. */
function refuseRequestOptions({ headers = [], body }: SourceOptions, source: string): void {
  const option = headers.length > 0 ? 'header' : 'body';
  if (option === 'body' && body === undefined) return;
  const kind = source === '-' || source === 'curl' ? 'put it into the curl command' : 'the file has its own';
  throw usageError(`--${option} belongs to the address of an API: ${kind}`);
}

/** Kinds of sources, as messages call them. */
type Kind = 'an address' | 'a curl command' | 'an OpenAPI document' | 'a HAR file';

const owners = [
  ['operation', 'an OpenAPI document'],
  ['params', 'an OpenAPI document'],
  ['server', 'an OpenAPI document'],
  ['entry', 'a HAR file'],
] as const;

/** Throws ERR_USAGE for an option that would do nothing with a source of this kind. */
function refuseOthers(options: SourceOptions, kind: Kind): void {
  const isGiven = (name: (typeof owners)[number][0]) => [options[name] ?? []].flat().length > 0;
  const [name, owner] = owners.find(([each, its]) => isGiven(each) && its !== kind) ?? [];
  if (name === undefined) return;
  const option = name === 'params' ? 'param' : name;
  const isUnknown = kind === 'an address' && owner === 'an OpenAPI document';
  const remedy = isUnknown ? 'name an operation of the document with --operation too, or leave it out' : 'leave it out';
  throw usageError(`--${option} belongs to ${owner}, and the source is ${kind}: ${remedy}`);
}

async function readFileSource(path: string, options: SourceOptions, context: ReadContext): Promise<FoundRequest> {
  const text = await context.readText(path);
  if (/^\s*(?:\$\s+)?curl(?:\.exe)?\s/.test(text)) {
    refuseOthers(options, 'a curl command');
    return readCurlText(text, context);
  }
  const value = parseJson(text);
  if (Array.isArray(memberOf(value, 'log', 'entries'))) {
    refuseOthers(options, 'a HAR file');
    return readHar(text, path, context);
  }
  const has = (name: string) => memberOf(value, name) !== undefined;
  if (has('api') && has('config')) {
    throw usageError(`${path} is a configuration already: rxtract preview ${path} shows its first page`);
  }
  const isOpenApi = has('openapi') || has('swagger') || /^["']?(?:openapi|swagger)["']?\s*:/m.test(text);
  if (!isOpenApi) throw usageError(`${path} is no HAR file, no OpenAPI document and no curl command`);
  refuseOthers(options, 'an OpenAPI document');
  return readOpenApi({ text, label: path, location: pathToFileURL(resolve(path)) }, context);
}

function contextOf({ params = [], operation, entry, server }: SourceOptions, context: SourceContext): ReadContext {
  let prober: Prober | undefined;
  return {
    ...context,
    readText,
    params,
    ...defined({ operation, entry, server }),
    fetchText(url) {
      prober ??= createProber({ ...context, most: mostDocuments, allowsPost: false });
      return fetchText(prober, url);
    },
  };
}

/** A document may refer to others beside it. */
const mostDocuments = 20;

async function fetchText(prober: Prober, url: URL): Promise<string> {
  const endpoint = `${url.pathname.slice(1)}${url.search}`;
  const draft = { baseUrl: `${url.origin}/`, endpoint: `./${endpoint}`, dataType: 'document', env: {} };
  const { last, failure } = await prober.run(
    configOf({ ...draft, headers: emptyObject, config: emptyObject, params: emptyObject }, { dataField: '.' }),
  );
  const origin = last === undefined ? url.origin : new URL(last.url).origin;
  if (origin !== url.origin) {
    throw initError(
      `${url.origin}${url.pathname} leads to another origin: give the address of the document at ${origin}`,
    );
  }
  if (last?.status === 200) return Buffer.from(last.body).toString();
  if (last === undefined && failure !== undefined) throw failure;
  throw initError(`${url.origin}${url.pathname}: status ${last?.status ?? 'unknown'}: the document cannot be read`);
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    checkSize(size, mostBytes.har, path);
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof ExtractError) throw thrown;
    const hint = /^[\w-]+(?:\.[\w-]+)+(?:\/|:\d|$)/.test(path)
      ? `; an address begins with https://, as https://${path}`
      : '';
    throw usageError(`${path} cannot be read: ${describeSystemError(thrown)}${hint}`);
  }
}
