/** The checkpoint of an object: its name, the place in its staged file, and what that holds. */
import { type Exact, ExactNumber, isObject } from '../../src/core/json/exact.js';
import type { SinkOutput } from '../contract.js';

type Counts = Pick<SinkOutput, 'items' | 'bytes'>;

export const checkpointOf = (key: string, staged: Exact, { items, bytes }: Counts): Exact =>
  new Map<string, Exact>([
    ['key', key],
    ['staged', staged],
    ['items', new ExactNumber(String(items))],
    ['bytes', new ExactNumber(String(bytes))],
  ]);

/** The members of a checkpoint; it comes from a file, so each may be missing. */
const memberOf = (at: Exact, name: string): Exact => (isObject(at) ? (at.get(name) ?? null) : null);
const textOf = (at: Exact, name: string): string => String(memberOf(at, name) ?? '');
export const keyIn = (at: Exact): string => textOf(at, 'key');
export const stagedIn = (at: Exact): Exact => memberOf(at, 'staged');
export const countsIn = (at: Exact): Counts => ({
  items: Number(textOf(at, 'items')),
  bytes: Number(textOf(at, 'bytes')),
});
/** The length of a staged file at its checkpoint, in bytes. */
export const lengthIn = (staged: Exact): number => Number(textOf(staged, 'fileBytes') || textOf(staged, 'bytes'));
