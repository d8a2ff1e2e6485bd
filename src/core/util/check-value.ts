/** Checks values from callers that types cannot check. */
import { ExtractError } from '../errors/errors.js';

export const usageError = (message: string) => new ExtractError('ERR_USAGE', message);

export const isMethod = (object: object, name: string): boolean => typeof Reflect.get(object, name) === 'function';
