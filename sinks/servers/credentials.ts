/** The options of a server for its user. */
import type { GivenOptions, OptionRows } from '../../src/core/options/kind.js';
import { nonEmptyText, secret } from '../../src/core/options/kinds.js';

export const credentials = {
  user: { kind: nonEmptyText, summary: 'the user' },
  password: { kind: secret, summary: 'the password; masked in all messages' },
} as const satisfies OptionRows;

/** The credentials of a server. */
export interface ServerUser extends GivenOptions<typeof credentials> {}
