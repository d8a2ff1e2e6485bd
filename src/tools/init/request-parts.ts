/** Parts of requests that several sources describe alike: URLs, bodies, and secrets of the environment. */
import { usageError } from '../../core/util/check-value.js';
import type { FoundBody, FoundRequest } from './found-request.js';
import { isRecord, parseJson } from './json-value.js';
import { withoutName } from './kept-headers.js';
import type { ReadContext } from './read-context.js';
import { isTooDeep, tooDeep } from './source-limits.js';

/** Reads a URL of http or https, without its fragment; http is the scheme of one without. Throws ERR_USAGE. */
export function httpUrl(text: string): URL {
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(whole))
    throw usageError('the URL of the request cannot be read: give one such as https://HOST/PATH');
  const url = new URL(whole);
  if (!/^https?:$/.test(url.protocol)) throw usageError(`init reads http and https, not ${url.protocol}//`);
  url.hash = '';
  return url;
}

/** Decodes a part of a path, a user or a password: `+` is itself. One that is not encoded well stays as it is. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A body, and what is to be said about it. */
export interface ReadBody {
  readonly body: FoundBody;
  readonly notes: readonly string[];
}

/** Reads a body by its type; without one, an object is JSON, and any other text a form. Throws ERR_USAGE. */
export function bodyOf(text: string, type: string | undefined): ReadBody {
  if (type === undefined || /^application\/x-www-form-urlencoded\b/i.test(type)) return ofNoType(text);
  if (!/[/+]json\b/i.test(type)) {
    throw usageError(
      'the body is neither JSON nor a form, which are all that rxtract sends: try the API with a JSON body',
    );
  }
  const value = parseJson(text);
  if (!isRecord(value)) throw usageError('the JSON body is not an object, which rxtract would send: check its quotes');
  if (isTooDeep(value)) throw tooDeep('the JSON body');
  return { body: { kind: 'json', text }, notes: [] };
}

/** curl calls a body a form unless it is given a type; many commands of documentation rely on APIs that do not care. */
function ofNoType(text: string): ReadBody {
  const value = parseJson(text);
  if (!isRecord(value)) return { body: { kind: 'form', text }, notes: [] };
  if (isTooDeep(value)) throw tooDeep('the JSON body');
  return {
    body: { kind: 'json', text },
    notes: ['The body is JSON and is sent as JSON, although the request calls it a form.'],
  };
}

/** The headers without a type of the body that rxtract sends by itself. */
export function withoutBodyType(
  headers: FoundRequest['headers'],
  body: FoundBody | undefined,
): FoundRequest['headers'] {
  const isOwn = ([name, value]: readonly [string, string]) =>
    name.toLowerCase() === 'content-type' && /^application\/(?:json|x-www-form-urlencoded)\b/i.test(value);
  return body === undefined ? withoutName(headers, 'Content-Type') : headers.filter((header) => !isOwn(header));
}

/** Shorter values may be in a request by chance. */
const shortestSecret = 8;

/** Values of the environment that are secrets by their names: a request that has one can refer to it by its name. */
export const exportedSecrets = (env: ReadContext['env']): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(env).flatMap(([name, value = '']) =>
      value.length >= shortestSecret && /TOKEN|KEY|SECRET|PASS|CREDENTIAL|COOKIE|AUTH\b/.test(name)
        ? [[value, name]]
        : [],
    ),
  );
