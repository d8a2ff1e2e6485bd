/** All messages about a configuration given as text, valid or not. */

import { parseJsonc } from '../../src/config/document.js';
import { inspect } from '../../src/config/parse-config.js';
import { builtIn, type Registries } from '../../src/config/registries.js';
import { ExtractError, type Problem } from '../../src/core/errors/errors.js';
import type { Notice } from '../../src/core/model/notice.js';

export interface Validation {
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
}

/**
 * Finds every fault at once. A text that is no JSON is one problem, without a path, that begins `label:line:column`.
 * Throws nothing of its own.
 */
export function validateConfig(
  source: string | Uint8Array,
  label: string,
  registries: Registries = builtIn,
): Validation {
  const duplicates: Notice[] = [];
  try {
    const document = parseJsonc(source, label, (notice) => duplicates.push(notice));
    const { problems, notices } = inspect(document, registries);
    return { problems, notices: [...duplicates, ...notices] };
  } catch (thrown) {
    if (!(thrown instanceof ExtractError) || thrown.code !== 'ERR_CONFIG_SYNTAX') throw thrown;
    return { problems: [{ path: '', message: thrown.message }], notices: duplicates };
  }
}
