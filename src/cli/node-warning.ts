import type { Notice } from '../core/model/notice.js';

/**
 * Converts a warning of Node to a notice of level `info`: it is not about items, so a strict run must not fail. Returns
 * `undefined` if `tls-verified` reports the same, more precisely.
 */
export function nodeWarning({ name, message }: Error): Notice | undefined {
  if (message.includes('NODE_TLS_REJECT_UNAUTHORIZED')) return undefined;
  return { level: 'info', code: 'node-warning', message: `Node.js warns: ${name}: ${message}` };
}
