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
  if (names.length === 0) return `${missing}: no environment was given (in code the option \`env\`)`;
  const near = didYouMean(name, names);
  const command = isIdentifier(name) ? setCommand([[name, '...']], platform) : '';
  if (command === '') return `${missing} in the environment${near}`;
  return `${missing} in the environment${near === '' ? ': ' : `${near} Otherwise: `}${command}`;
}

/** The command of the user's shell that sets these variables: `export A=... B=...`, or `set A=...` of Windows. */
export function setCommand(
  variables: readonly (readonly [name: string, value: string])[],
  platform: string = process.platform,
): string {
  if (platform === 'win32') {
    return variables
      .map(([name, value]) => `set ${isPlain(value) ? `${name}=${value}` : `"${name}=${value}"`}`)
      .join(', ');
  }
  return `export ${variables.map(([name, value]) => `${name}=${isPlain(value) ? value : `"${value}"`}`).join(' ')}`;
}

/** A shell can set no other names. */
const isIdentifier = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

/** Characters that mean themselves in each shell. */
const isPlain = (text: string): boolean => /^[\w.]*$/.test(text);
