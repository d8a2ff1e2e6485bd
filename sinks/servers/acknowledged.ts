/** The positions that a server acknowledged to this process, and the errors of a run that is not its own any more. */
import { ExtractError } from '../../src/core/errors/errors.js';

/** The position of a lane after a page. */
export interface LanePosition {
  readonly lane: string;
  readonly position: string;
}

/** The positions that a server has acknowledged to this process. */
export interface Acknowledged {
  /** Its name in messages. */
  readonly server: string;
  /** Throws the error of `lose`, if it was called: no call succeeds after it. */
  mustNotBeLost(): void;
  clear(): void;
  get(lane: string): string | undefined;
  set(lane: string, position: string): void;
  /**
   * The stored positions must be the acknowledged ones, but for a page that is in question. Throws ERR_SINK, then and
   * from then on: a server may restart without its last writes.
   */
  verify(stored: ReadonlyMap<string, string>, page?: LanePosition): void;
  lose(error: ExtractError): never;
}

/** `server`: its name in messages. `remedy`: how the server keeps what it acknowledges. */
export function createAcknowledged(server: string, remedy: string): Acknowledged {
  const known = new Map<string, string>();
  let lost: ExtractError | undefined;
  const lose = (error: ExtractError): never => {
    lost = error;
    throw error;
  };
  return {
    server,
    mustNotBeLost() {
      if (lost !== undefined) throw lost;
    },
    clear: () => known.clear(),
    get: (lane) => known.get(lane),
    set: (lane, position) => void known.set(lane, position),
    verify(stored, page) {
      for (const [lane, position] of known) {
        const found = stored.get(lane);
        const isNext = page?.lane === lane && found === page.position;
        if (found !== position && !isNext) lose(lostPages(server, remedy));
      }
    },
    lose,
  };
}

/** The error of a process whose run was resumed by another one. */
export const fenced = (server: string): ExtractError =>
  new ExtractError('ERR_RESUME', `${server}: another process has resumed this run: only the last one may write`);

/** The error of a process that begins to write for a run that has ended. */
export const hasEndedBefore = (server: string, run: string): ExtractError =>
  new ExtractError('ERR_RESUME', `${server}: the run "${run}" has ended: all its items are stored already`);

const lostPages = (server: string, remedy: string) =>
  new ExtractError(
    'ERR_SINK',
    `${server}: the server has lost pages that it had acknowledged: run again with --resume, which sends them again`,
    { remedy },
  );
