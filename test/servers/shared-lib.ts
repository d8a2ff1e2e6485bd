/** What workers of one PostgreSQL share, for tests. */
import { type PostgresSharing, postgresSharing } from '../../src/checkpoint/board/postgres-sharing.js';
import type { LoginShare } from '../../src/http/login-share.js';

export const testKey = new Uint8Array(32).fill(7);

/** What one worker has of it. */
export interface TestSharing extends Omit<PostgresSharing, 'logins'> {
  readonly logins: LoginShare;
}

/** The part of one worker. `schema`: those of one share the rates and logins. */
export function sharingAt(port: number, schema: string, key = testKey): TestSharing {
  const sharing = postgresSharing({
    server: { host: '127.0.0.1', port, user: 'rx', password: '', database: 'postgres', sslMode: 'disable' },
    schema,
    shown: `postgres://127.0.0.1:${port}/postgres`,
    secrets: [],
  });
  return { ...sharing, logins: sharing.logins(key) };
}
