/** What workers of one PostgreSQL share, for tests. */
import { type PostgresSharing, postgresSharing } from '../../src/checkpoint/board/postgres-sharing.js';

export const testKey = new Uint8Array(32).fill(7);

/** The part of one worker. `schema`: those of one share the rates and logins. */
export const sharingAt = (port: number, schema: string, key = testKey): PostgresSharing =>
  postgresSharing({
    server: { host: '127.0.0.1', port, user: 'rx', password: '', database: 'postgres', sslMode: 'disable' },
    schema,
    shown: `postgres://127.0.0.1:${port}/postgres`,
    secrets: [],
    key,
  });
