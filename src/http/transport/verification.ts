/** Warns of an environment that disables the verification of certificates. */
import type { Notify } from '../../core/model/notice.js';

/** Warns if the environment disables certificate verification in Node: our own connections verify them anyway. */
export function warnOfVerification({ NODE_TLS_REJECT_UNAUTHORIZED: wish }: NodeJS.ProcessEnv, notify: Notify): void {
  if (wish !== '0') return;
  notify({
    level: 'warning',
    code: 'tls-verified',
    message:
      'NODE_TLS_REJECT_UNAUTHORIZED is 0, which has no effect: certificates are verified. Set api.caCertificate to trust your own authority',
  });
}
