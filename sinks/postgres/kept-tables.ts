/** Tables that a sink of an earlier task of the run has verified and created: the next one does not look again. */
import { keptFor } from '../servers/kept.js';
import type { PostgresServer } from './postgres-client.js';

const readyTables = keptFor((_: PostgresServer) => new Set<string>());

interface TablePlace {
  readonly server: PostgresServer;
  /** `SinkContext.span`. Absent: each sink does the work. */
  readonly span: AbortSignal | undefined;
}

/** Does the work that makes a table ready, unless a sink with the same span has done it. */
export async function makeReady({ server, span }: TablePlace, table: string, work: () => Promise<void>): Promise<void> {
  const ready = span === undefined ? undefined : readyTables(span, server);
  if (ready?.has(table) === true) return;
  await work();
  ready?.add(table);
}
