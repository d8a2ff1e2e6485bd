/** `rxtract test`: replays recordings as unit tests of configurations, without a network. */
import type { runInThreads } from '../tools/test/case-threads.js';
import type { Command } from './command.js';

const details = `Examples
  rxtract run config.json --record cases/users/recording.jsonl --to null:
  cp config.json cases/users/                       the first case: a recording and its configuration
  rxtract test cases --update                       writes the items of its replay to cases/users/expected/
  rxtract test cases                                from now on: replays all, and compares the items
  rxtract test cases --filter users --filter orders
  rxtract test cases --format junit --out report.xml
                                                    a report for continuous integration, and text on the terminal

A case is a folder:
  config.json      the configuration
  recording.jsonl  what the API answered, from rxtract run --record
  expected/        <data type>.ndjson for each data type, and jobs.json with counts of requests, pages and items
  case.json        settings, all of them optional: config, recording, expected (paths), env, set, jobs, select,
                   maxPages, maxItems, state, time, error (of a run that must fail), unused, strict, allow, skip;
                   a recording of a run with --max-pages 2 needs {"maxPages": 2}

A case fails if an item, a count or a request differs, if the run fails, and if an exchange of the recording is left
over. It opens no connection, sees no variable of the environment, and waits cost no time.
`;

export const test = testWith();

/** Creates the command; its tests run cases in their own thread, as starting one takes longer than a case. */
export function testWith(runAll?: typeof runInThreads): Command {
  return {
    name: 'test',
    summary: 'replay recordings, and compare the items with expected ones',
    takesNothing: true,
    argument: 'DIR...',
    options: {
      filter: { value: 'TEXT', about: 'only the cases whose name contains TEXT; may be repeated' },
      update: { about: 'write the expected items and counts anew, and list what has changed' },
      format: {
        value: 'FORM',
        oneOf: ['text', 'tap', 'junit'],
        about: 'report as text, TAP 14 or JUnit XML (default: text)',
      },
      out: { value: 'FILE', about: 'write the report to FILE, and text to standard output' },
      'at-once': { value: 'N', about: 'cases at a time (default: as many as there are processors, at most 4)' },
      timeout: { value: 'SECONDS', about: 'a case that takes longer fails (default: 60)' },
      strict: { about: 'treat warnings as errors' },
    },
    details: async () => details,
    async execute(args, shell) {
      const { runCases } = await import('./checks.js');
      return runCases(args, shell, runAll);
    },
  };
}
