/** What to do with a configuration that `init` has written, as lines for people. */
import { withCommands } from '../../core/util/missing-variable.js';
import { quotedForShell } from '../text/lines.js';
import type { RealConfiguration } from './like.js';
import type { OutFile } from './out-file.js';
import type { FoundConfiguration } from './run-init.js';

const written = ({ out }: OutFile): string => (out === '-' ? 'written to standard output' : `wrote ${out}`);
const named = ({ out }: OutFile): string => (out === '-' ? 'config.json' : quotedForShell(out));

/** The next commands, with the variables that `env` does not have. */
export function nextSteps(
  { dataType, hasPages, isIncremental, variables, keepable, sent }: FoundConfiguration,
  file: OutFile,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const missing = Object.keys(variables).filter((name) => env[name] !== variables[name]);
  const commands = withCommands(missing.map((name) => [name, '...']));
  const keep = keepable.map((name) => `--keep ${name}`).join(' ');
  return [
    `${written(file)}, after ${sent} ${sent === 1 ? 'request' : 'requests'}`,
    ...(missing.length === 0 ? [] : `it has no secrets; before each run${commands}`.split('\n')),
    ...(keep === '' ? [] : [`if they are harmless, --keep writes values into the file: ${keep}`]),
    'next:',
    `  rxtract preview ${named(file)}   shows the first page`,
    `  rxtract run ${named(file)}       writes ${hasPages ? 'all items' : 'the items of one page'} to out/${dataType}.ndjson`,
    ...(isIncremental
      ? [
          `  rxtract run ${named(file)} --state st --resume --to 'ndjson:out?mode=append'   adds what is new, in each run`,
        ]
      : []),
  ];
}

/** The settings of the configuration of a real API, what is not proven, and the next commands. */
export const stepsAfterLike = (
  { vendor, title, settings, scopes, notProven }: RealConfiguration,
  file: OutFile,
): readonly string[] => [
  `${written(file)}: ${vendor}: ${title}.`,
  ...(settings.length === 0 ? ['nothing is to be set'] : ['set before a run:']),
  ...settings.map((line) => `  ${withoutMarks(line)}`),
  ...(scopes === '' ? [] : [`scopes: ${withoutMarks(scopes)}`]),
  `not proven: ${withoutMarks(notProven)}`,
  'next:',
  `  rxtract preview ${named(file)}   shows the first pages`,
  `  rxtract run ${named(file)}       writes all items to out/`,
];

const withoutMarks = (text: string): string => text.replaceAll('`', '');
