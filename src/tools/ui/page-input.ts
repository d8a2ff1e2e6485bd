/** Reads the members of a request of the page. */
import { usageError } from '../../core/util/check-value.js';
import type { PageInput } from './page-server.js';

/** Throws ERR_USAGE if it is no text. */
export function textAt(input: PageInput, name: string): string {
  const value = input[name];
  if (typeof value !== 'string') throw usageError(`"${name}" is a text`);
  return value;
}

/** Empty if it is absent. Throws ERR_USAGE if it is no text. */
export const textOrNone = (input: PageInput, name: string): string =>
  input[name] === undefined ? '' : textAt(input, name);

/** As an option of a command, which checks its range. Throws ERR_USAGE if it is no number. */
export function numberAt(input: PageInput, name: string): string {
  const value = input[name];
  if (typeof value !== 'number') throw usageError(`"${name}" is a number`);
  return String(value);
}

/** Throws ERR_USAGE if it is no list of texts. */
export function textsAt(input: PageInput, name: string): readonly string[] {
  const value = input[name];
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) {
    throw usageError(`"${name}" is a list of texts`);
  }
  return value;
}
