/** Checks a value from outside the program as a configuration: imported JSON has no type of its own. */

import type { Configuration } from '../config/configuration.js';
import { withoutStandIns, withoutVariables } from '../config/env.js';
import { inspect } from '../config/parse-config.js';
import { fillSecrets } from '../config/secret-sources.js';
import { configError } from '../core/errors/collect-errors.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { type Exact, fromPlain, isObject } from '../core/json/exact.js';
import { usageError } from '../core/util/check-value.js';

/**
 * Checks a value of plain JSON, such as an imported file, and returns it unchanged, with the type of configurations.
 * Accepts every form of the language, also those that the type leaves out. `extract` checks values from the
 * environment, and what only evaluation shows. Sends nothing. Throws ERR_CONFIG with every problem at once, each with
 * its path in `problems`, and ERR_USAGE for a string and for the result of `parseDocument`.
 */
export function parseConfiguration(value: unknown): Configuration {
  if (isObject(value)) {
    throw new ExtractError('ERR_USAGE', 'the configuration is already parsed: pass it to extract or run');
  }
  const { document, variables } = withoutVariables(documentOf(value));
  const { problems } = inspect(fillSecrets(document, { sources: 'stand in' }).document);
  const faults = withoutStandIns(problems, variables);
  if (faults.length > 0) throw configError(faults);
  return value as Configuration; // checked above
}

/**
 * Converts a value of the program to exact JSON. Throws ERR_USAGE for a string or bytes, and ERR_CONFIG, with the path,
 * if it has no JSON form.
 */
export function documentOf(configuration: unknown): Exact {
  if (typeof configuration === 'string' || configuration instanceof Uint8Array) throw usageError(isText);
  try {
    return fromPlain(configuration);
  } catch (thrown) {
    const { message } = asExtractError(thrown);
    throw new ExtractError('ERR_CONFIG', message, { cause: thrown, problems: [{ path: '', message }] });
  }
}

const isText = 'the configuration is a string, not an object: parse it with parseDocument(text, name) of rxtract';
