/** The pages of the members of `parts-processes.test.ts`. */
import { batchOf } from '../../sinks/batch.js';
import type { PageEnd } from '../../sinks/contract.js';
import { earlierOf, pageEnd } from '../sinks/lib.js';

/** Of each member. */
export const pages = 6;

export const jobs = [
  ['orders', 'orders'],
  ['lines', 'lines'],
] as const;

export const memberNames = ['J0-P0-C0-R0', 'J0-P0-C0-R25', 'J0-P1-C0-R0'] as const;

/** Members have walks of their own, in the order of their names. */
const walkOf = (member: string): string => {
  const [page, child, row] = [...member.matchAll(/[PCR](\d+)/g)].map(([, digits]) => digits);
  return `0/${page}.${child}.${row}.0`;
};

const { run } = earlierOf();

const itemsOf = (member: string, page: number) =>
  [0, 1, 2].map((n) => ({ member, page, n, [`m${page}`]: 'x'.repeat(9000) }));

export const batchOfPage = (member: string, dataType: string, job: string, page: number) =>
  batchOf(dataType, itemsOf(member, page), { job, run, walk: walkOf(member), page, offset: 0 });

export const endOfPage = (member: string, dataType: string, job: string, page: number): PageEnd =>
  pageEnd(dataType, { run, job, walk: walkOf(member), page, count: 3 });
