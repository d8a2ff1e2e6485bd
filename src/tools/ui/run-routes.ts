/** The routes by which the page starts, stops and watches runs of its configuration: one at a time. */
import { usageError } from '../../core/util/check-value.js';
import { numberAt, textAt, textOrNone, textsAt } from './page-input.js';
import type { PageInput, PageRoute } from './page-server.js';
import type { RunFeed } from './run-feed.js';
import type { PageRoutes } from './workbench.js';

export interface PageRuns {
  readonly feed: RunFeed;
  /** Starts a run with these words of the command. Resolves when it has ended; the feed says how. Never rejects. */
  start(words: readonly string[]): Promise<void>;
  stop(): void;
}

/** `path`: of the configuration. `words`: of each run. */
export function runRoutes({ feed, start, stop }: PageRuns, path: string, words: readonly string[]): PageRoutes {
  return new Map<string, PageRoute>([
    [
      '/api/run/start',
      async (input) => {
        if (feed.isRunning()) throw usageError('a run is at work: stop it first');
        void start([path, ...wordsOf(input), ...words]);
        return {};
      },
    ],
    ...watchRoutes(feed, stop),
  ]);
}

/** Those of a run that is at work. */
export const watchRoutes = (feed: RunFeed, stop: () => void): PageRoutes =>
  new Map<string, PageRoute>([
    [
      '/api/run/stop',
      async () => {
        if (!feed.isRunning()) throw usageError('no run is at work');
        feed.stopping();
        stop();
        return {};
      },
    ],
    ['/api/run/watch', (_, signal) => feed.watch(signal)],
  ]);

function wordsOf(input: PageInput): readonly string[] {
  const state = textOrNone(input, 'state');
  const isResumed = input.resume === true;
  if (isResumed && state === '') throw usageError('a resume needs the folder in which the state is kept');
  return [
    `--to=${textAt(input, 'to')}`,
    ...textsAt(input, 'jobs').map((job) => `--job=${job}`),
    ...(state === '' ? [] : [`--state=${state}`]),
    ...(isResumed ? ['--resume'] : []),
    ...(input.maxPages === undefined ? [] : [`--max-pages=${numberAt(input, 'maxPages')}`]),
    ...(input.concurrency === undefined ? [] : [`--concurrency=${numberAt(input, 'concurrency')}`]),
  ];
}
