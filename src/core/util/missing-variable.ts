/** What messages say about an environment variable that is missing: one wording, and the command that sets it. */
import { didYouMean } from './suggest.js';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Says that the environment lacks a variable, names the nearest one, and ends with the command that sets it. No
 * environment at all is the mistake of a program: then the option of that program is named.
 */
export function missingVariable(name: string, env: Variables, platform: string = process.platform): string {
  const names = Object.keys(env).filter((each) => env[each] !== undefined);
  const missing = `there is no variable "${name}"`;
  if (names.length === 0)
    return `${missing}: no environment was given; in code it is the option \`env\`, as \`env: process.env\``;
  const near = didYouMean(name, names);
  const command = isIdentifier(name) ? setCommand(name, '...', platform) : '';
  if (command === '') return `${missing} in the environment${near}`;
  return `${missing} in the environment${near === '' ? ': ' : `${near} Otherwise: `}${command}`;
}

/** The command of the user's shell that sets a variable: `export A=...`, or `set A=...` of Windows. */
export const setCommand = (name: string, value: string, platform: string = process.platform): string =>
  platform === 'win32' ? `set ${quoted(name, value, platform)}` : `export ${quoted(name, value, platform)}`;

/**
 * A colon, and what sets these variables: `: export A=... B=...`. Windows has a command for each, on lines of their
 * own.
 */
export function withCommands(
  variables: readonly (readonly [name: string, value: string])[],
  platform: string = process.platform,
): string {
  const [first, ...others] = variables.map(([name, value]) => quoted(name, value, platform));
  if (platform !== 'win32') return `: export ${[first, ...others].join(' ')}`;
  return others.length === 0 ? `: set ${first}` : [':', first, ...others].join('\n  set ');
}

const quoted = (name: string, value: string, platform: string): string => {
  if (isPlain(value)) return `${name}=${value}`;
  return platform === 'win32' ? `"${name}=${value}"` : `${name}="${value}"`;
};

/** A shell can set no other names. */
const isIdentifier = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

/** Characters that mean themselves in each shell. */
const isPlain = (text: string): boolean => /^[\w.]*$/.test(text);
