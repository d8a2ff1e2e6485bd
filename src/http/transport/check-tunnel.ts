/** Checks a tunnel configuration without opening the tunnel. */
import { asExtractError } from '../../core/errors/errors.js';
import type { Notify } from '../../core/model/notice.js';
import type { Tunnel } from './tunnel.js';

/**
 * Warns if the library is missing: the machine that runs the configuration may have it. Rejects with ERR_CONFIG for a
 * key that cannot be read.
 */
export async function checkTunnel(tunnel: Pick<Tunnel, 'check'> | undefined, notify: Notify): Promise<void> {
  try {
    await tunnel?.check();
  } catch (thrown) {
    const { code, message } = asExtractError(thrown);
    if (code !== 'ERR_TUNNEL') throw thrown;
    notify({ level: 'warning', code: 'missing-package', message });
  }
}
