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
