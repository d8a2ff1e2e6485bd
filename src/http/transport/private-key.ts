/**
 * Checks the private key of a tunnel before anything is sent: a connection would only report that it was not accepted.
 */
import { ExtractError } from '../../core/errors/errors.js';
import type { Ssh2 } from './ssh2.js';

/** The configured key, and its configuration path. */
export interface KeySource {
  readonly privateKey: string;
  readonly passphrase?: string;
  readonly path: string;
}

/**
 * Returns the key in the form ssh2 takes. Throws ERR_CONFIG for an invalid key, or an encrypted one without its
 * passphrase.
 */
export function checkKey({ utils }: Ssh2, source: KeySource): Omit<KeySource, 'path'> {
  const { privateKey, passphrase, path } = source;
  const parsed = [utils.parseKey(privateKey, passphrase)].flat()[0];
  const fault = faultOf(parsed, passphrase !== undefined);
  if (fault === undefined) return { privateKey, ...(passphrase === undefined ? {} : { passphrase }) };
  const problem = { path: `${path}.${fault.key}`, message: fault.message };
  throw new ExtractError('ERR_CONFIG', `${problem.path}: ${problem.message}`, {
    problems: [problem],
    final: true,
  });
}

function faultOf(parsed: unknown, hasPassphrase: boolean) {
  if (isPrivateKey(parsed)) return undefined;
  const isClosed = parsed instanceof Error && /passphrase|encrypted/i.test(parsed.message);
  if (isClosed && !hasPassphrase) return { key: '#passphrase', message: 'required: the private key is encrypted' };
  if (isClosed || (hasPassphrase && parsed instanceof Error)) {
    return { key: '#passphrase', message: 'expected the passphrase of the private key' };
  }
  const expected = 'expected a private key in the format of ssh-keygen, PEM (RSA, EC) or PuTTY';
  return { key: '#privateKey', message: expected };
}

const isPrivateKey = (parsed: unknown): boolean =>
  typeof parsed === 'object' &&
  parsed !== null &&
  'isPrivateKey' in parsed &&
  typeof parsed.isPrivateKey === 'function' &&
  parsed.isPrivateKey() === true;
