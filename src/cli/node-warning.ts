import type { Notice } from '../core/model/notice.js';

/**
 * Of level `info`, as it says nothing of the items, and no strict run fails by it. Undefined: `tls-verified` says it,
 * and says it right.
 */
export function nodeWarning({ name, message }: Error): Notice | undefined {
  if (message.includes('NODE_TLS_REJECT_UNAUTHORIZED')) return undefined;
  return { level: 'info', code: 'node-warning', message: `Node.js warns: ${name}: ${message}` };
}
