/** A value from outside of the program as a configuration: imported JSON has no type that says what it is. */

import type { Configuration } from '../config/configuration.js';
import { withoutStandIns, withoutVariables } from '../config/env.js';
import { inspect } from '../config/parse-config.js';
import { configError } from '../core/errors/collect-errors.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { type Exact, fromPlain, isObject } from '../core/json/exact.js';
import { checkConfiguration } from './check-options.js';

/**
 * Checks a value of plain JSON, such as an imported file, and returns it as it is, with the type of configurations. It
 * takes all that the language takes, in every form, and no more: what is returned may have odd forms that the type
 * leaves out. Values that come from the environment are checked by `extract`, which knows it, as is all that only
 * evaluation shows. Sends nothing. Throws ERR_CONFIG with every fault at once, each with its path in `problems`, and
 * ERR_USAGE for a text and for what `parseDocument` gave.
 */
export function parseConfiguration(value: unknown): Configuration {
  checkConfiguration(value);
  if (isObject(value)) {
    throw new ExtractError('ERR_USAGE', 'the configuration is already parsed: pass it to extract or run');
  }
  const { document, variables } = withoutVariables(documentOf(value));
  const { problems } = inspect(document);
  const faults = withoutStandIns(problems, variables);
  if (faults.length > 0) throw configError(faults);
  return value as Configuration; // it has just been found to be one
}

/** A value of the program as exact JSON. Throws ERR_CONFIG, with the path, where it has no JSON form. */
export function documentOf(configuration: unknown): Exact {
  try {
    return fromPlain(configuration);
  } catch (thrown) {
    const { message } = asExtractError(thrown);
    throw new ExtractError('ERR_CONFIG', message, { cause: thrown, problems: [{ path: '', message }] });
  }
}
