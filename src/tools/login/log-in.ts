/** The login of a user for a configuration with `oauth2`: its refresh token goes into the token store. */
import { firstValueFrom, lastValueFrom, timer } from 'rxjs';
import type { Consent } from '../../auth/types.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { ExactObject } from '../../core/json/exact.js';
import type { Secrets } from '../../core/model/secrets.js';
import { resolveUrl } from '../../core/url/url.js';
import type { ApiClient } from '../../http/api-client.js';
import { prepareRun } from '../../run/extract.js';
import type { ExtractOptions } from '../../run/options.js';
import { codeFromBrowser } from './browser-code.js';

export interface LogInOptions extends Pick<ExtractOptions, 'env' | 'notify' | 'commands' | 'proxy'> {
  /** By a code for a device, although the configuration has an authorization endpoint too. */
  readonly byDevice: boolean;
  /** The port on this machine that the browser returns to; absent: a free one. */
  readonly port?: number | undefined;
  /** Shows the user what to do. */
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly maskWith: (mask: Secrets['mask']) => void;
}

/** Resolves when the refresh token is on the disk. Rejects with ERR_LOGIN, and as `extract`. */
export async function logIn(configuration: ExactObject, options: LogInOptions): Promise<void> {
  const { byDevice, port, say, signal, maskWith, ...ofRun } = options;
  const { context } = prepareRun(configuration, ofRun);
  maskWith(context.secrets.mask);
  const lease = context.iterations[0]?.lease();
  try {
    if (lease === undefined) throw new ExtractError('ERR_INTERNAL', 'there is no iteration');
    await logInWith(lease.client, { byDevice, port, say, signal });
  } finally {
    lease?.release();
    await context.release();
  }
}

type Asking = Pick<LogInOptions, 'byDevice' | 'port' | 'say' | 'signal'>;

async function logInWith({ consent, askLogin, baseUrl }: ApiClient, asking: Asking): Promise<void> {
  if (consent === undefined) throw new ExtractError('ERR_LOGIN', noConsent, { remedy: whatToSet });
  const { authorizationEndpoint, deviceEndpoint } = consent;
  const ask = (request: Parameters<typeof askLogin>[0]) => lastValueFrom(askLogin(request));
  const isByDevice = asking.byDevice || authorizationEndpoint === undefined;
  const endpoint = isByDevice ? deviceEndpoint : authorizationEndpoint;
  if (endpoint === undefined) {
    const key = asking.byDevice ? 'deviceEndpoint' : 'authorizationEndpoint` or `api.authentication.deviceEndpoint';
    throw new ExtractError('ERR_LOGIN', `\`api.authentication.${key}\` is not set`, { remedy: whatToSet });
  }
  const reply = isByDevice
    ? await byDeviceCode(consent, endpoint, { ...asking, ask })
    : await ask(consent.tokenRequest(await codeFromBrowser(consent, resolveUrl(baseUrl, endpoint), asking)));
  await firstValueFrom(consent.keep(reply));
}

const noConsent =
  '`rxtract login` needs `api.authentication` of the type `oauth2` with the grant `refresh_token` and a `tokenStore`';

const whatToSet =
  'Set it in the configuration, and run `rxtract login` again: `rxtract help oauth2` shows the keys. No request was sent.';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

type Ask = (request: ReturnType<Consent['deviceRequest']>) => Promise<Parameters<Consent['keep']>[0]>;

/** Polls as often as the server allows, until the user has decided or the code has expired. */
async function byDeviceCode(consent: Consent, endpoint: string, { ask, say, signal }: Asking & { readonly ask: Ask }) {
  const device = consent.readDevice(await ask(consent.deviceRequest(endpoint)));
  consent.secrets.add(device.deviceCode);
  say(
    `Open this address in a browser, on any machine, and enter the code ${device.userCode}:\n\n  ${device.address}\n`,
  );
  const grant = new Map([
    ['grant_type', deviceGrant],
    ['device_code', device.deviceCode],
  ]);
  for (let seconds = device.interval; ; ) {
    await firstValueFrom(timer(seconds * 1000));
    signal.throwIfAborted();
    const reply = await ask(consent.tokenRequest(grant));
    const pending = consent.pending(reply);
    if (pending === undefined) return reply;
    if (pending === 'slow_down') seconds += 5;
  }
}
