/** Reads and writes the file of a shape. */
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readShapes } from '../../../sinks/shape/shape-document.js';
import { asExtractError } from '../../core/errors/errors.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { type Exact, type ExactObject, isArray, isObject, stringifyExact } from '../../core/json/exact.js';
import { parseExact } from '../../core/json/exact-parse.js';
import { usageError } from '../../core/util/check-value.js';
import { makeFolder } from '../../core/util/make-folder.js';
import { renameFile } from '../../core/util/rename-file.js';

/** Reads a shape. Rejects with ERR_USAGE for a file that cannot be read, or is none. */
export async function readShapeFile(path: string): Promise<ExactObject> {
  const bytes = await readFile(path).catch((thrown: unknown) => {
    throw usageError(`${path}: cannot be read: ${describeSystemError(thrown)}`);
  });
  const document = parsed(bytes, path);
  readShapes(document, path);
  return document as ExactObject; // it was read as one
}

function parsed(bytes: Uint8Array, path: string): Exact {
  try {
    return parseExact(bytes);
  } catch (thrown) {
    throw usageError(`${path}: ${asExtractError(thrown).message}`);
  }
}

/** Writes a text to a file, which is the old one or the new one at any time. Rejects with ERR_SINK. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.partial`;
  try {
    await makeFolder(dirname(path));
    await writeFile(partial, text);
    await renameFile(partial, path);
  } catch (thrown) {
    await unlink(partial).catch(() => {});
    throw usageError(`${path}: cannot be written: ${describeSystemError(thrown)}`);
  }
}

/** The text of a shape, for people and for version control: what was seen of a value is one line. */
export const shapeText = (document: ExactObject): string => `${indented(document, '', '')}\n`;

function indented(value: Exact, name: string, indent: string): string {
  if (!isObject(value) || value.size === 0 || name === 'x-seen') return spaced(value);
  const inner = `${indent}  `;
  const members = [...value].map(([own, member]) => `${inner}${JSON.stringify(own)}: ${indented(member, own, inner)}`);
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function spaced(value: Exact): string {
  if (isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (!isObject(value) || value.size === 0) return stringifyExact(value);
  return `{ ${[...value].map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`).join(', ')} }`;
}
