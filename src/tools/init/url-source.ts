/** Reads the request of `rxtract init URL`: its address, `--header`, and variables of the environment in both. */
import { usageError } from '../../core/util/check-value.js';
import { missingVariable, setCommand } from '../../core/util/missing-variable.js';
import type { FoundRequest, SecretPlace } from './found-request.js';
import { isRecord, parseJson } from './json-value.js';
import { secretPlaces } from './secret-places.js';
import { checkParts, isTooDeep, tooDeep } from './source-limits.js';

/** What the arguments say beside the address. */
export interface UrlOptions {
  readonly headers: readonly string[];
  /** A JSON body: the request is a POST. */
  readonly body?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Throws ERR_USAGE for what is no address or header, and for a variable that is not set. */
export function readUrl(text: string, { headers, body, env }: UrlOptions): FoundRequest {
  const names = new Map<string, string>();
  const fill = (value: string, encode: (text: string) => string = (each) => each) =>
    value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
      const found = env[name];
      if (found === undefined || found === '')
        throw usageError(
          found === '' ? `the variable "${name}" is empty: ${setCommand(name, '...')}` : missingVariable(name, env),
        );
      names.set(found, name);
      return encode(found);
    });
  const url = addressOf(fill(text, encodeURIComponent));
  const pairs = headers.map((line) => headerOf(line, fill));
  const filled = body === undefined ? undefined : jsonOf(fill(body, (each) => JSON.stringify(each).slice(1, -1)));
  const request = {
    method: filled === undefined ? ('GET' as const) : ('POST' as const),
    url,
    headers: pairs,
    source: 'the arguments',
    ...(filled === undefined ? {} : { body: { kind: 'json' as const, text: filled } }),
  };
  checkParts(request);
  const named = new Map(headers.flatMap(namedEnd).map((place) => [place.index, place]));
  const isNamed = (place: SecretPlace) => place.in === 'header' && named.has(place.index);
  return {
    ...request,
    secrets: [...named.values(), ...secretPlaces(request, names).filter((place) => !isNamed(place))],
  };
}

/** A header that ends with a variable: what is before it is no secret. */
function namedEnd(line: string, index: number): readonly (SecretPlace & { readonly in: 'header' })[] {
  const [, prefix, env] = /^[^:]+:\s*([^$]*)\$\{(\w+)\}\s*$/.exec(line) ?? [];
  return prefix === undefined || env === undefined ? [] : [{ in: 'header', index, env, prefix }];
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`expected the URL of an API, which begins with http:// or https://, found "${text.slice(0, 40)}"`);
  }
  return url;
}

function headerOf(line: string, fill: (text: string) => string): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):\s*(.*?)\s*$/s.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    throw usageError(`--header is "NAME: VALUE", such as 'Authorization: Bearer \${API_TOKEN}'`);
  }
  return [name, fill(value)];
}

function jsonOf(text: string): string {
  const value = parseJson(text);
  if (isTooDeep(value)) throw tooDeep('--body');
  if (isRecord(value)) return text;
  throw usageError(`--body is a JSON object, such as '{"query": "blue"}'`);
}
