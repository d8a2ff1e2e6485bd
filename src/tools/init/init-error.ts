/** The error of `init`, and what its messages say about a response that is no list. */
import { ExtractError } from '../../core/errors/errors.js';
import type { Answer, Probe } from './prober.js';

export const initError = (message: string): ExtractError => new ExtractError('ERR_INIT', message);

/**
 * What is wrong with the first response, in one sentence with what to try. `hasCredentials`: whether the request had
 * some. Returns other failures as they are.
 */
export function describeLook({ failure, last }: Probe, hasCredentials: boolean): ExtractError {
  if (failure === undefined) return initError('the API has not answered');
  if (last === undefined) return failure;
  const { status } = last;
  if (status === 401 && hasCredentials) {
    return initError(`status 401: the API refuses the credentials of the request; check them${beginningOf(last)}`);
  }
  if (status === 401 || status === 403) return initError(`status ${status}: ${credentialsHint(last)}`);
  if (status === 404) return initError('status 404: there is nothing at this address; check its path and its query');
  if (status === 405) return initError('status 405: the API wants another method; try --body JSON for a POST');
  if (status >= 400) return initError(`status ${status}: the API refuses the request${beginningOf(last)}`);
  if (isHtml(last)) {
    return initError(
      "the API answers with HTML, a page for people: try --header 'Accept: application/json', or open the network tab of a browser on it, copy the request that has the data as cURL, and give it to `rxtract init -`",
    );
  }
  if (failure.code !== 'ERR_JSON') return failure;
  const kind = typeOf(last) === '' ? 'no JSON' : `${typeOf(last)}, no JSON`;
  return initError(
    `the API answers with ${kind}: try the header --header 'Accept: application/json', or another address`,
  );
}

function credentialsHint({ headers, status }: Answer): string {
  const schemes = [headers['www-authenticate'] ?? []].flat().join(', ');
  if (/^basic/i.test(schemes)) {
    return `the API needs a user and a password: put them into the address as 'https://\${API_USER}:\${API_PASSWORD}@...'`;
  }
  const oauth = /oauth|bearer/i.test(schemes) ? '; for a login with OAuth 2.0 see `rxtract help oauth2`' : '';
  const again =
    status === 403 ? 'the credentials may not read this address, or are missing' : 'the API needs credentials';
  return `${again}: try --header 'Authorization: Bearer \${API_TOKEN}', or another header that its documentation names${oauth}`;
}

/** The beginning of an error of the API, for its reader. */
function beginningOf({ body }: Answer): string {
  const text = Buffer.from(body.subarray(0, 300)).toString().replaceAll(/\s+/g, ' ').trim();
  return text === '' || text.startsWith('<') ? '' : `: ${text.slice(0, 200)}`;
}

/** The content type without parameters. */
export const typeOf = ({ headers }: Answer): string =>
  ([headers['content-type'] ?? []].flat()[0] ?? '').split(';')[0] ?? '';

export const isHtml = (answer: Answer): boolean =>
  /html/i.test(typeOf(answer)) ||
  /^\s*<(?:!doctype html|html|head|body)/i.test(Buffer.from(answer.body.subarray(0, 200)).toString());
