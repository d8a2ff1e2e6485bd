/** Reads the request of `init` from its arguments: by the form of SOURCE. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ParsedArguments } from '../../cli/arguments.js';
import { readAll } from '../../cli/document.js';
import type { Report } from '../../cli/report.js';
import type { Shell } from '../../cli/shell.js';
import { ExtractError } from '../../core/errors/errors.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { emptyObject } from '../../core/json/exact.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import type { Questions } from './ask.js';
import { readCurl, readCurlText } from './curl.js';
import { configOf } from './draft.js';
import type { FoundRequest } from './found-request.js';
import { readHar } from './har.js';
import { initError } from './init-error.js';
import { memberOf, parseJson } from './json-value.js';
import { readOpenApi } from './openapi.js';
import { createProber, type Prober } from './prober.js';
import type { ReadContext } from './read-context.js';
import { checkSize, mostBytes } from './source-limits.js';
import { readUrl } from './url-source.js';

/** What the command gives to read a source. */
export interface SourceNeeds {
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
  readonly questions: Questions;
}

/** Rejects with ERR_USAGE for a source that is none, or that cannot be read. */
export async function readSource(needs: SourceNeeds): Promise<FoundRequest> {
  const { args, shell } = needs;
  const [source, extra] = args.positionals;
  if (source === undefined) {
    throw usageError('SOURCE is missing: the URL of an API, such as rxtract init https://api.example.com/v1/users');
  }
  const isAddress = /^[a-z][\w+.-]*:\/\//i.test(source);
  const isDocument =
    isAddress && URL.canParse(source) && (args.has('operation') || documentName.test(new URL(source).pathname));
  if (!isAddress || isDocument) refuseRequestOptions(args, source);
  const context = contextOf(needs);
  if (source === 'curl' || source === '-') refuseOthers(args, 'a curl command');
  if (source === 'curl') return readCurl(args.positionals, context);
  if (extra !== undefined) {
    throw usageError(`expected one SOURCE, found "${extra}" too: put quotes around an address with &`);
  }
  if (source === '-') return readCurlText(await readCommand(shell), context);
  if (!isAddress) return readFileSource(source, args, context);
  if (!isDocument) {
    const found = readUrl(source, { headers: args.list('header'), body: args.last('body'), env: shell.env });
    refuseOthers(args, 'an address');
    return found;
  }
  refuseOthers(args, 'an OpenAPI document');
  const location = new URL(source);
  return readOpenApi({ text: await context.fetchText(location), label: source, location }, context);
}

async function readCommand(shell: Shell): Promise<string> {
  const bytes = await readAll(limited(shell.stdin(), mostBytes.curl, 'the curl command'));
  return Buffer.from(bytes).toString();
}

/** Rejects with ERR_USAGE after so many bytes. */
async function* limited(stream: AsyncIterable<Uint8Array | string>, most: number, label: string) {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    checkSize(bytes, most, label);
    yield chunk;
  }
}

/** Of the address of an OpenAPI document. */
const documentName = /(?:\.ya?ml|(?:openapi|swagger)[\w.-]*\.json|\/(?:v\d\/)?api-docs)$/i;

/** `--header` and `--body` belong to an address: other sources have their own. */
function refuseRequestOptions(args: ParsedArguments, source: string): void {
  const option = (['header', 'body'] as const).find((name) => args.has(name));
  if (option === undefined) return;
  const kind = source === '-' || source === 'curl' ? 'put it into the curl command' : 'the file has its own';
  throw usageError(`--${option} belongs to the address of an API: ${kind}`);
}

/** Kinds of sources, as messages call them. */
type Kind = 'an address' | 'a curl command' | 'an OpenAPI document' | 'a HAR file';

const owners: Readonly<Record<string, Kind>> = {
  operation: 'an OpenAPI document',
  param: 'an OpenAPI document',
  server: 'an OpenAPI document',
  entry: 'a HAR file',
};

/** Throws ERR_USAGE for an option that would do nothing with a source of this kind. */
function refuseOthers(args: ParsedArguments, kind: Kind): void {
  const [option, owner] = Object.entries(owners).find(([name, each]) => args.has(name) && each !== kind) ?? [];
  if (option === undefined) return;
  const isUnknown = kind === 'an address' && owner === 'an OpenAPI document';
  const remedy = isUnknown ? 'name an operation of the document with --operation too, or leave it out' : 'leave it out';
  throw usageError(`--${option} belongs to ${owner}, and the source is ${kind}: ${remedy}`);
}

async function readFileSource(path: string, args: ParsedArguments, context: ReadContext): Promise<FoundRequest> {
  const text = await context.readText(path);
  if (/^\s*(?:\$\s+)?curl(?:\.exe)?\s/.test(text)) {
    refuseOthers(args, 'a curl command');
    return readCurlText(text, context);
  }
  const value = parseJson(text);
  if (Array.isArray(memberOf(value, 'log', 'entries'))) {
    refuseOthers(args, 'a HAR file');
    return readHar(text, path, context);
  }
  const has = (name: string) => memberOf(value, name) !== undefined;
  if (has('api') && has('config')) {
    throw usageError(`${path} is a configuration already: rxtract preview ${path} shows its first page`);
  }
  const isOpenApi = has('openapi') || has('swagger') || /^["']?(?:openapi|swagger)["']?\s*:/m.test(text);
  if (!isOpenApi) throw usageError(`${path} is no HAR file, no OpenAPI document and no curl command`);
  refuseOthers(args, 'an OpenAPI document');
  return readOpenApi({ text, label: path, location: pathToFileURL(resolve(path)) }, context);
}

function contextOf({ args, shell, report, questions }: SourceNeeds): ReadContext {
  const { choose, ask } = questions;
  let prober: Prober | undefined;
  return {
    choose,
    ask,
    readText,
    env: shell.env,
    params: args.list('param'),
    ...defined({ operation: args.last('operation'), entry: args.last('entry'), server: args.last('server') }),
    fetchText(url) {
      const options = {
        env: shell.env,
        most: mostDocuments,
        allowsPost: false,
        ...defined({ proxy: args.last('proxy') }),
      };
      prober ??= createProber(options, shell, report);
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
