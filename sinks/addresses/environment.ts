/** What clients of sinks take from the environment. A credential is hidden where it is read. */
import type { SinkEnvironment } from './address.js';
import type { AddressSecrets } from './address-secrets.js';

/** The value of a variable that is set and not empty. */
export function settingOf(env: SinkEnvironment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === '' ? undefined : value;
}

/** The same for a password, a key or a token: from now on it is a secret of the address. */
export function credentialOf(
  env: SinkEnvironment,
  name: string,
  { hide }: Pick<AddressSecrets, 'hide'>,
): string | undefined {
  const value = settingOf(env, name);
  if (value !== undefined) hide(value);
  return value;
}
