/** `--set PATH=VALUE`: changes single values of a configuration, by paths as messages show them. */

import { type Exact, type ExactObject, emptyObject, isArray, isObject } from '../core/json/exact.js';
import { parseIfJson } from '../core/json/exact-parse.js';
import type { Notify } from '../core/model/notice.js';
import { describeKind } from '../core/options/read-options.js';
import { usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';
import { joinPath } from '../language/config-path.js';
import { parametersFields, wrappingFields } from './config-fields.js';
import { variableName } from './env.js';
import { secretSource } from './secret-sources.js';

type SetStep = string | number;

interface Assignment {
  readonly steps: readonly SetStep[];
  readonly value: Exact;
}

/**
 * Returns the document with the changes, made in order. Missing objects on the way are created. Reports a text that
 * looks like broken JSON to `notify`. Throws ERR_USAGE for an invalid path, a path that leads nowhere, and a secret on
 * the command line.
 */
export function applyAssignments(
  document: ExactObject,
  assignments: readonly string[],
  notify: Notify = () => {},
): ExactObject {
  return assignments
    .map((text) => parseAssignment(text, notify))
    .reduce((changed, { steps, value }) => putMember(changed, '', completePath(changed, steps), value), document);
}

/** The value is JSON, or else a string. */
function parseAssignment(text: string, notify: Notify): Assignment {
  const steps: SetStep[] = [];
  const step = /(?:(^|\.)([^.=[\]"]+)|\[(\d{1,9}|"(?:[^"\\]|\\.)*")\])/y;
  let end = 0;
  for (let found = step.exec(text); found !== null; found = step.exec(text)) {
    const [, , name, inBrackets] = found;
    steps.push(name ?? stepIn(inBrackets ?? ''));
    end = step.lastIndex;
  }
  if (steps.length === 0 || typeof steps[0] === 'number' || text[end] !== '=') {
    throw usageError(
      '--set expects PATH=VALUE, as in config.jobs[0].params.limit=100; a name with dots is written ["a.b"]',
    );
  }
  const written = text.slice(end + 1);
  const value = jsonOrText(written);
  const path = steps.reduce<string>(joinPath, '');
  rejectSecrets(path, steps, value);
  if (value === written && beginsAsJson(written)) {
    const message = `--set ${path}: looks like JSON but is not valid, so it is used as a string; in a shell, put single quotes around JSON`;
    notify({ level: 'warning', code: 'broken-value', message });
  }
  return { steps, value };
}

/**
 * Whether it begins as an object, a list or a string of JSON, and not as an endpoint that begins with a placeholder.
 */
const beginsAsJson = (text: string): boolean =>
  /^\s*(?:\{\s*(?:["'}]|[a-z_#]\w*\s*:|$)|\[\s*(?:["'{[\d\]-]|$)|")/i.test(text);

function stepIn(brackets: string): SetStep {
  if (!brackets.startsWith('"')) return Number(brackets);
  const name = jsonOrText(brackets);
  return typeof name === 'string' ? name : brackets;
}

function jsonOrText(text: string): Exact {
  const value = parseIfJson(text);
  return value === undefined ? text : value; // null is JSON
}

/** Process lists show command lines to other users. */
function rejectSecrets(path: string, steps: readonly SetStep[], value: Exact): void {
  const key = steps.find((step) => typeof step === 'string' && step.startsWith('#'));
  const isOpen = key !== undefined ? !isReference(value) : holdsSecret(value);
  if (!isOpen) return;
  const what = key === undefined ? 'a value under a key with #' : `"${key}"`;
  throw usageError(
    `--set ${path}: ${what} is a secret, and process lists show command lines: set it to {"env": "NAME"}`,
  );
}

/** It names a secret, and does not contain it. */
const isReference = (value: Exact): boolean => variableName(value) !== undefined || secretSource(value) !== undefined;

function holdsSecret(value: Exact): boolean {
  if (isArray(value)) return value.some(holdsSecret);
  if (!isObject(value)) return false;
  return [...value].some(([key, member]) => (key.startsWith('#') ? !isReference(member) : holdsSecret(member)));
}

const sections = Object.keys(parametersFields);
const wrapping = Object.keys(wrappingFields);

/** The complete path from the root, with or without `parameters` as in the document. */
function completePath(document: ExactObject, steps: readonly SetStep[]): readonly SetStep[] {
  const [first, ...rest] = steps;
  const name = String(first);
  const isWrapped = isObject(document.get('parameters') ?? null);
  if (name === 'parameters' && !isWrapped && rest.length > 0) return completePath(document, rest);
  if (sections.includes(name)) return isWrapped ? ['parameters', ...steps] : steps;
  if (wrapping.includes(name)) return steps;
  throw usageError(
    `--set ${joinPath('', name)}: no such part of a configuration${didYouMean(name, [...sections, ...wrapping])}`,
  );
}

function put(found: Exact, path: string, steps: readonly SetStep[], value: Exact): Exact {
  const [step] = steps;
  if (step === undefined) return value;
  return typeof step === 'number' ? putElement(found, path, steps, value) : putMember(found, path, steps, value);
}

function putMember(found: Exact, path: string, [step, ...rest]: readonly SetStep[], value: Exact): ExactObject {
  const object = found ?? emptyObject;
  const name = String(step);
  if (!isObject(object)) {
    const hint = isArray(object) ? `; an element is written ${path}[0]` : '';
    throw usageError(`--set ${joinPath(path, name)}: ${path} is ${describeKind(object)}, which has no members${hint}`);
  }
  const at = joinPath(path, name);
  if (typeof rest[0] === 'number' && (object.get(name) ?? null) === null) {
    throw usageError(`--set ${at}[${rest[0]}]: there is no ${at}${didYouMean(name, object.keys())}`);
  }
  return new Map([...object, [name, put(object.get(name) ?? null, at, rest, value)]]);
}

/** An index one after the end appends to the list, if the path ends there. */
function putElement(list: Exact, path: string, [step, ...rest]: readonly SetStep[], value: Exact): Exact {
  const at = `${path}[${step}]`;
  if (!isArray(list)) throw usageError(`--set ${at}: ${path} is ${describeKind(list)}, not a list`);
  const index = Number(step);
  if (index > list.length || (index === list.length && rest.length > 0)) {
    throw usageError(
      `--set ${at}: no such element; ${path} ends ${list.length === 0 ? 'before [0]' : `with [${list.length - 1}]`}`,
    );
  }
  const element = put(list[index] ?? null, at, rest, value);
  return index === list.length ? [...list, element] : list.with(index, element);
}
