/** The engines of runs in a worker: tasks of a run use one, side by side and one after the other. */
import type { Configuration } from '../../config/configuration.js';
import type { ExactObject } from '../../core/json/exact.js';
import { type KeptEngine, keepEngine } from '../extract.js';
import type { ExtractOptions } from '../options.js';

/** What the tasks of a run are run with. */
export interface RunWork {
  readonly configuration: ExactObject | Configuration;
  /** Sinks are made anew for each task: they are addresses, or `to` of each call is another one. */
  readonly options: ExtractOptions;
}

/** An engine, while a task uses it. */
export interface EngineUse {
  readonly engine: KeptEngine;
  /** Once. After a task that has failed, further ones get another engine. */
  end(isDone: boolean): void;
}

export interface KeptEngines {
  /** Makes the engine unless there is one. Throws as `extract`. */
  use(work: RunWork): EngineUse;
  /** Closes those that no task uses. */
  end(): Promise<void>;
}

interface Entry {
  readonly engine: KeptEngine;
  uses: number;
  timer?: NodeJS.Timeout;
}

/** An engine that no task uses is closed after so long, in ms: the run may have ended. */
const usualMs = 10_000;

export function createKeptEngines(keptMs = usualMs): KeptEngines {
  const kept = new Map<RunWork, Entry>();
  const closing = new Set<Promise<void>>();
  const close = ({ engine }: Entry) => {
    const closed = engine.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const usable = (work: RunWork): Entry => {
    const found = kept.get(work);
    if (found !== undefined && !(found.uses > 0 && found.engine.isSequential())) return found;
    const made = { engine: keepEngine(work.configuration, work.options), uses: 0 };
    kept.set(work, made);
    return made;
  };
  const forget = (work: RunWork, entry: Entry) => {
    if (kept.get(work) === entry) kept.delete(work);
    if (entry.uses === 0) close(entry);
  };
  return {
    use(work) {
      const entry = usable(work);
      clearTimeout(entry.timer);
      entry.uses += 1;
      return {
        engine: entry.engine,
        end(isDone) {
          entry.uses -= 1;
          if (!isDone || kept.get(work) !== entry) return forget(work, entry);
          if (entry.uses === 0) entry.timer = setTimeout(() => forget(work, entry), keptMs).unref();
        },
      };
    },
    async end() {
      for (const [work, entry] of kept) {
        clearTimeout(entry.timer);
        forget(work, entry);
      }
      await Promise.all(closing);
    },
  };
}
