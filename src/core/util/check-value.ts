/** Checks values from callers that types cannot check. */
import { ExtractError } from '../errors/errors.js';

export const usageError = (message: string) => new ExtractError('ERR_USAGE', message);

/** An error about an option of a run. Other options are in backticks: the command shows the names of its flags. */
export const optionError = (option: string, message: string) =>
  new ExtractError('ERR_USAGE', `${option}: ${message}`, { option });

export const isMethod = (object: object, name: string): boolean => typeof Reflect.get(object, name) === 'function';
