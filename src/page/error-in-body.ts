/**
 * Finds out whether a successful response says that it failed: by members at its top level, which the scanner captures
 * while the page passes. docs/14-any-response.md#errors-in-successful-responses.
 */
import { type Exact, isArray, isNumber } from '../core/json/exact.js';
import type { DataField } from '../core/model/job.js';
import type { CapturePath, Envelope } from '../core/model/page.js';

/** What the response says: the member that shows the error, its value in words, and the text of the error. */
export interface ErrorInBody {
  readonly member: string;
  readonly detail: string | undefined;
}

const textOf = (segments: readonly string[]): string => ['\0error', ...segments].join('\0');

const named = (segments: readonly string[], kinds: Partial<CapturePath>): CapturePath => ({
  text: textOf(segments),
  segments,
  shallow: true,
  ...kinds,
});

const value = (...segments: readonly string[]): CapturePath => named(segments, { silent: true });

/** A member that no API has: the names beside it show whether an object is empty. */
const anyOf = (member: string): CapturePath => named([member, '\0'], { within: true });

const objectMembers = ['error', 'errors'] as const;
const falseMembers = ['success', 'ok'] as const;

/** Where a text of the error may be, the likeliest first; the members of errors come before. */
const texts = [
  value('errors', '0', 'message'),
  value('errors', '0'),
  value('error', '0'),
  value('message'),
  value('error_description'),
  value('description'),
];

/** The paths to capture. They only take a place in the envelope if a page has such members. */
export const errorPaths: readonly CapturePath[] = [
  ...objectMembers.flatMap((member) => [value(member), value(member, 'message'), value(member, 'code'), anyOf(member)]),
  ...falseMembers.map((member) => value(member)),
  value('status'),
  ...texts,
];

/** Made once: most pages have none of these members. */
const stating = [...objectMembers, ...falseMembers, 'status'].map((member) => textOf([member]));

/** The parts of a page that are examined. */
export interface ErrorView {
  readonly envelope: Envelope;
  /** Items of the response, including those that stages dropped. */
  readonly received: number;
}

/**
 * Returns the error that the response states; undefined: none. A response that is an item itself has members of its
 * own, and a list at the data field is no list of errors. With items a `status` says nothing about the page.
 */
export function errorIn({ envelope, received }: ErrorView, dataField: DataField): ErrorInBody | undefined {
  const isItem = dataField.kind === 'path' && dataField.segments.length === 0;
  if (isItem || !stating.some((text) => envelope.has(text))) return undefined;
  const items = dataField.kind === 'path' ? dataField.segments[0] : undefined;
  const isOutside = (member: string) => member !== items;
  const stated =
    objectMembers.find((member) => isOutside(member) && isError(envelope, member)) ??
    falseMembers.find((member) => isOutside(member) && isFalse(at(envelope, member)));
  const member = stated ?? (received === 0 && isOutside('status') && isFailure(envelope) ? 'status' : undefined);
  return member === undefined ? undefined : { member, detail: detailOf(envelope, member) };
}

const at = (envelope: Envelope, ...segments: readonly string[]): Exact | undefined =>
  envelope.get(textOf(segments))?.value;

/** Texts that say that there is no error. */
const noError = new Set(['', '0', 'false', 'null', 'none', 'no', 'ok', 'success', 'no error', 'no errors']);

function isError(envelope: Envelope, member: string): boolean {
  const found = at(envelope, member);
  if (found === undefined || found === null || found === false) return false;
  if (typeof found === 'string') return !noError.has(found.trim().toLowerCase());
  if (isNumber(found)) return Number(found.text) !== 0;
  if (isArray(found)) return at(envelope, member, '0') !== undefined;
  return found === true || isErrorObject(envelope, member);
}

/** An object without members is none, nor one whose code and message say that all is well. */
function isErrorObject(envelope: Envelope, member: string): boolean {
  const message = at(envelope, member, 'message');
  const code = at(envelope, member, 'code');
  if (code !== undefined && isWell(code)) return false;
  if (message !== undefined && message !== null && message !== '') return true;
  if (code !== undefined) return true;
  const names = envelope.get(anyOf(member).text)?.beside ?? [];
  return names.some((name) => name !== 'message');
}

/** Whether a code says that all is well. */
function isWell(code: Exact): boolean {
  if (isNumber(code)) return Number(code.text) === 0 || Number(code.text) === 200;
  return code === null || code === false || (typeof code === 'string' && noError.has(code.toLowerCase()));
}

const isFalse = (found: Exact | undefined): boolean =>
  found === false || (typeof found === 'string' && found.toLowerCase() === 'false');

const failures = new Set(['error', 'fail', 'failed', 'failure', 'ko']);

function isFailure(envelope: Envelope): boolean {
  const status = at(envelope, 'status');
  return typeof status === 'string' && failures.has(status.trim().toLowerCase());
}

const isErrorMember = (member: string): boolean => objectMembers.some((each) => each === member);

function detailOf(envelope: Envelope, member: string): string | undefined {
  const own = isErrorMember(member) ? [at(envelope, member, 'message'), at(envelope, member)] : [];
  const all = [...own, ...texts.map(({ text }) => envelope.get(text)?.value)];
  return all.find((each): each is string => typeof each === 'string' && each !== '');
}
