/** An authorization code: the user approves in a browser, which returns to a port of this machine. RFC 8252, 7636. */
import { createHash, randomBytes } from 'node:crypto';
import type { Consent } from '../../auth/types.js';
import { ExtractError } from '../../core/errors/errors.js';
import { type LocalAnswer, listenLocally } from '../local-server.js';

interface BrowserOptions {
  readonly port?: number | undefined;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Resolves with the grant for a token request. Rejects with ERR_LOGIN if the user refuses. */
export async function codeFromBrowser(
  consent: Consent,
  endpoint: string,
  { port, say, signal }: BrowserOptions,
): Promise<ReadonlyMap<string, string>> {
  const [state, verifier] = [randomText(), randomText()];
  consent.secrets.add(verifier);
  let settle: (result: URLSearchParams | ExtractError) => void = () => {};
  const result = new Promise<URLSearchParams | ExtractError>((resolve) => {
    settle = resolve;
  });
  const server = await listenLocally({
    host: '127.0.0.1',
    port: port ?? 0,
    answer: (target) => answerTo(target, state, settle),
  });
  const onAbort = () => settle(new ExtractError('ERR_ABORTED', 'the login was interrupted', { cause: signal.reason }));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const redirect = `http://127.0.0.1:${server.port}/callback`;
    say(
      `Open this address in a browser on this machine:\n\n  ${authorizationUrl(consent, endpoint, { state, verifier, redirect })}\n`,
    );
    const found = await result;
    if (found instanceof ExtractError) throw found;
    return grantOf(found, { consent, verifier, redirect });
  } finally {
    signal.removeEventListener('abort', onAbort);
    await server.close();
  }
}

/** 256 bits. */
const randomText = () => randomBytes(32).toString('base64url');

interface Attempt {
  readonly state: string;
  readonly verifier: string;
  readonly redirect: string;
}

/** The query of the endpoint stays. */
function authorizationUrl({ params }: Consent, endpoint: string, { state, verifier, redirect }: Attempt): string {
  const url = new URL(endpoint);
  for (const [name, value] of params) url.searchParams.set(name, value);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('redirect_uri', redirect);
  url.searchParams.set('state', state);
  url.searchParams.set('code_challenge', createHash('sha256').update(verifier).digest('base64url'));
  url.searchParams.set('code_challenge_method', 'S256');
  return url.href;
}

/** A request with another state is not the answer to ours: the login continues to wait. */
function answerTo(target: string, state: string, settle: (found: URLSearchParams) => void): LocalAnswer | undefined {
  const url = new URL(target, 'http://127.0.0.1');
  if (url.pathname !== '/callback') return undefined;
  if (url.searchParams.get('state') !== state)
    return { status: 400, text: 'This is not the login that rxtract waits for.' };
  const text = url.searchParams.has('code') ? 'Done. You can close this window.' : 'The login was refused.';
  return { status: 200, text, onSent: () => settle(url.searchParams) };
}

function grantOf(
  found: URLSearchParams,
  { consent, verifier, redirect }: Pick<Attempt, 'verifier' | 'redirect'> & { readonly consent: Consent },
): ReadonlyMap<string, string> {
  const code = found.get('code');
  if (code === null) {
    const why = [found.get('error') ?? 'no code', found.get('error_description')].filter((each) => each !== null);
    throw new ExtractError('ERR_LOGIN', `the login was refused: ${consent.secrets.excerpt(why.join(': '), 200)}`, {
      remedy: 'Run `rxtract login` again, and approve the access as a user who may give it.',
    });
  }
  consent.secrets.add(code);
  return new Map([
    ['grant_type', 'authorization_code'],
    ['code', code],
    ['redirect_uri', redirect],
    ['code_verifier', verifier],
  ]);
}
