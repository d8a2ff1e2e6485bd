/** Reads a request from an OpenAPI document: one operation, with values, credentials, and hints about pagination. */
import { formEncode } from '../../core/url/percent.js';
import { canonicalHost, isPrivateHost } from '../../core/url/private-addresses.js';
import { usageError } from '../../core/util/check-value.js';
import type { FoundBody, FoundRequest } from './found-request.js';
import { entriesOf, isRecord, listOf, memberOf, textOf } from './json-value.js';
import { keptHeaders } from './kept-headers.js';
import { type Located, type OpenApiSource, readDocument } from './openapi-document.js';
import { findOperation, jsonResponse, nameOf, type Operation } from './openapi-operations.js';
import { listParameters, type ParameterValues, pagingHints, valuesOf } from './openapi-parameters.js';
import { credentialsOf, type OperationCredentials } from './openapi-security.js';
import { bodyFor, exampleOf, readGiven, type ValueSources, valueFor } from './openapi-values.js';
import type { ReadContext } from './read-context.js';
import { bodyOf, exportedSecrets, httpUrl } from './request-parts.js';
import { secretPlaces } from './secret-places.js';
import { checkParts } from './source-limits.js';

/**
 * Reads the request of one operation of an OpenAPI 3 document. Required parameters get the values of `--param`, or
 * examples and defaults of the document; the others are left out. Rejects with ERR_USAGE.
 */
export async function readOpenApi(source: OpenApiSource, context: ReadContext): Promise<FoundRequest> {
  const document = await readDocument(source, context);
  const operation = await findOperation(document, context);
  const what = `operation ${nameOf(operation)}`;
  const sources: ValueSources = { document, given: readGiven(context.params), context };
  const parameters = await listParameters(document, operation);
  const server = await serverOf(operation, source, sources);
  const values = await valuesOf(operation.path, parameters, sources);
  const body = operation.method === 'POST' ? await readBody(operation, sources) : undefined;
  sources.given.check(what);
  const credentials = await credentialsOf(document, operation.operation, context);
  const accept = (await jsonResponse(document, operation.operation))?.type ?? 'application/json';
  const hints = await pagingHints(document, parameters);
  const found = {
    method: operation.method,
    url: urlOf(server.url, values, credentials),
    headers: keptHeaders([['Accept', accept], ...values.headers, ...credentials.headers]),
    ...(body === undefined ? {} : { body }),
    ...(operation.id === undefined ? {} : { name: operation.id }),
    ...(hints === undefined ? {} : { hints }),
    source: `${source.label}, ${what}`,
    notes: [...server.notes, ...notesOf(values), ...credentials.notes],
  };
  checkParts(found);
  return { ...found, secrets: secretPlaces(found, new Map([...exportedSecrets(context.env), ...credentials.names])) };
}

const notesOf = ({ examples }: ParameterValues): readonly string[] =>
  examples.map((name) => `The value of ${name} is an example of the document: give yours with --param ${name}=VALUE.`);

/** The URL that paths are appended to. */
interface Server {
  readonly url: string;
  readonly notes: readonly string[];
}

/** `--server`, or the server of the operation, of its path, or of the document. */
async function serverOf({ operation, item }: Operation, source: OpenApiSource, sources: ValueSources): Promise<Server> {
  const { document, context } = sources;
  if (context.server !== undefined) return { url: httpUrl(context.server).href, notes: [] };
  const owner = [operation, item, document.root].find((each) => listOf(each.value, 'servers').length > 0);
  const servers = owner === undefined ? [] : listOf(owner.value, 'servers');
  const urls = servers.map((each) => textOf(each, 'url') ?? '/');
  const choices = urls.map((url, index) => ({ value: url, label: labelOf(url, servers[index]) }));
  const chosen = urls.length < 2 ? undefined : await context.choose('Which server?', choices);
  const url = chosen ?? urls[0] ?? '/';
  const variables = entriesOf(servers[urls.indexOf(url)], 'variables');
  const filled = await fill(url, variables, owner?.base ?? source.location, sources);
  if (!URL.canParse(filled, source.location.href)) throw noServer(source.label);
  const absolute = new URL(filled, source.location);
  if (absolute.protocol === 'file:') throw noServer(source.label);
  if (chosen === undefined && isForeignPrivate(absolute, source.location)) throw privateServer(source.label, absolute);
  const others = urls.filter((each) => each !== url).join(', ');
  const isSilent = chosen !== undefined || others === '';
  return {
    url: absolute.href,
    notes: isSilent ? [] : [`The document has other servers: ${others}. Choose with --server URL.`],
  };
}

const noServer = (label: string) =>
  usageError(`${label} names no server with a host: add --server URL, such as --server https://api.example.com/v1`);

/** The author of a document from elsewhere could name any host of this network. See docs/decisions/042. */
const isForeignPrivate = ({ hostname }: URL, location: URL): boolean =>
  location.protocol !== 'file:' &&
  isPrivateHost(hostname) &&
  canonicalHost(hostname) !== canonicalHost(location.hostname);

const privateServer = (label: string, { origin, href }: URL) =>
  usageError(`${label} names a server of a private network, ${origin}: if you trust that, add --server ${href}`);

function labelOf(url: string, server: unknown): string {
  const description = textOf(server, 'description');
  return description === undefined ? url : `${url} (${description})`;
}

/** Replaces the variables of the URL of a server. */
async function fill(
  url: string,
  variables: readonly (readonly [string, unknown])[],
  base: URL,
  sources: ValueSources,
): Promise<string> {
  let filled = url;
  for (const [name, value] of variables) {
    if (!url.includes(`{${name}}`)) continue;
    const found = await valueFor(name, { value, base }, sources);
    filled = filled.replaceAll(`{${name}}`, String(found ?? ''));
  }
  return filled;
}

function urlOf(server: string, { path, query }: ParameterValues, { user, query: secret }: OperationCredentials): URL {
  const url = httpUrl(`${server.replace(/[?#].*$/s, '').replace(/\/$/, '')}${path}`);
  const pairs = [...query, ...secret.map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`)];
  url.search = [url.search.slice(1), ...pairs].filter((each) => each !== '').join('&');
  if (user !== undefined) {
    url.username = encodeURIComponent(user.name);
    url.password = encodeURIComponent(user.password);
  }
  return url;
}

/** The example of the body, or one of the required members. Undefined: it needs none. */
async function readBody({ operation }: Operation, sources: ValueSources): Promise<FoundBody | undefined> {
  const content = await sources.document.member(operation, 'requestBody', 'content');
  const types = entriesOf(content.value).map(([name]) => name);
  const type =
    types.find((name) => /[/+]json\b/i.test(name)) ?? types.find((name) => /x-www-form-urlencoded/i.test(name));
  if (type === undefined) {
    if (types.length === 0) return undefined;
    throw usageError('the body of the operation is neither JSON nor a form, which are all that rxtract sends');
  }
  const value = await bodyValue(await sources.document.member(content, type), sources);
  if (/json/i.test(type)) return bodyOf(JSON.stringify(value), type).body;
  const pairs = Object.entries(value).map(([name, each]) => `${formEncode(name)}=${formEncode(String(each))}`);
  return { kind: 'form', text: pairs.join('&') };
}

/** Values of `--param` replace members of the example. */
async function bodyValue(media: Located, sources: ValueSources): Promise<Readonly<Record<string, unknown>>> {
  const { value } = await sources.document.resolve(media);
  const hasExample = memberOf(value, 'example') !== undefined || memberOf(value, 'examples') !== undefined;
  const example = hasExample ? await exampleOf(sources.document, media) : undefined;
  if (!isRecord(example)) return asRecord(await bodyFor(await sources.document.member(media, 'schema'), sources));
  const given = Object.keys(example).flatMap((name) => {
    const text = sources.given.take(name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return { ...example, ...Object.fromEntries(given) };
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});
