/** Parses the text of a configuration into exact JSON; comments and trailing commas are allowed. */
import { jsoncParser } from 'stream-json/core/jsonc/parser.js';
import { jsoncVerifier } from 'stream-json/core/jsonc/verifier.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactObject, isObject } from '../core/json/exact.js';
import {
  assemble,
  decode,
  findFault,
  maxDepth,
  packedTokens,
  tokenize,
  withoutMark,
} from '../core/json/exact-parse.js';
import type { Notify } from '../core/model/notice.js';
import { joinPath } from '../language/config-path.js';

const silent = { ...packedTokens, streamWhitespace: false, streamComments: false, packComments: false } as const;

/**
 * Parses a configuration; numbers and the order of members are preserved. Reports repeated members to `notify`; the
 * last one counts. Throws ERR_CONFIG_SYNTAX as `label:line:column: what was expected`, and ERR_CONFIG if it is no
 * object. Messages quote nothing of the text, which may be secret.
 */
export function parseDocument(source: string | Uint8Array, label: string, notify?: Notify): ExactObject {
  const document = parseJsonc(source, label, notify);
  if (isObject(document)) return document;
  throw new ExtractError('ERR_CONFIG', `${label}: expected an object with "api" and "config"`);
}

/** As `parseDocument`, for any part of a configuration. */
export function parseJsonc(source: string | Uint8Array, label: string, notify?: Notify): Exact {
  const text = withoutMark(typeof source === 'string' ? source : decodeDocument(source, label));
  if (text.trim() === '') throw new ExtractError('ERR_CONFIG_SYNTAX', `${label}: the file is empty`);

  const tokens = tokenize(jsoncParser(silent), text, () => syntaxError(text, label));
  const warn = (steps: readonly (string | number)[]) => {
    const path = steps.reduce<string>(joinPath, '');
    notify?.({
      level: 'warning',
      code: 'duplicate-key',
      message: `${path}: written more than once; the last one counts`,
    });
  };
  try {
    const [document = null] = assemble(tokens, warn);
    return document;
  } catch (error) {
    if (asExtractError(error).code !== 'ERR_DEPTH') throw error;
    throw new ExtractError('ERR_CONFIG_SYNTAX', `${label}: nested deeper than ${maxDepth} levels`);
  }
}

function decodeDocument(bytes: Uint8Array, label: string): string {
  try {
    return decode(bytes);
  } catch (error) {
    throw new ExtractError('ERR_CONFIG_SYNTAX', `${label}: ${asExtractError(error).message}`);
  }
}

function syntaxError(text: string, label: string): ExtractError {
  const { offset, reason } = findFault(jsoncVerifier(), text);
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return new ExtractError('ERR_CONFIG_SYNTAX', `${label}:${lines.length}:${column}: ${reason}`);
}
