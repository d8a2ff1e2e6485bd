import type { Notify } from '../../core/model/notice.js';

/**
 * Warns of a process whose environment asks Node not to verify certificates: connections of our own are verified all
 * the same.
 */
export function warnOfVerification({ NODE_TLS_REJECT_UNAUTHORIZED: wish }: NodeJS.ProcessEnv, notify: Notify): void {
  if (wish !== '0') return;
  notify({
    level: 'warning',
    code: 'tls-verified',
    message:
      'NODE_TLS_REJECT_UNAUTHORIZED is 0, which has no effect: certificates are verified. Set api.caCertificate to trust your own authority',
  });
}
