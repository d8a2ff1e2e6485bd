/** What goes wrong with an answer, drawn from the dice: sockets, bodies, statuses and tokens. */
import type { Dice } from './dice.js';

export type Fault =
  | 'reset'
  | 'reset in the body'
  | 'cut body'
  | 'chunks without an end'
  | 'too long a length'
  | 'cut gzip'
  | 'stall'
  | 'stall in the body'
  | 429
  | 500
  | 503
  | 'revoke';

const faults: readonly [Fault, ...Fault[]] = [
  'reset',
  'reset in the body',
  'cut body',
  'chunks without an end',
  'too long a length',
  'cut gzip',
  'stall',
  'stall in the body',
  429,
  500,
  503,
  'revoke',
];

/** Below the retries that a request has, whatever comes together. */
const mostInARow = 4;

export interface Faults {
  /** Undefined: all goes well. Storms come and go; one address fails no more than four times running. */
  next(address: string): Fault | undefined;
}

export function createFaults(dice: Dice, probability: number): Faults {
  const running = new Map<string, number>();
  let storm: { readonly fault: Fault; left: number } | undefined;
  const draw = (): Fault | undefined => {
    if (storm !== undefined && storm.left > 0) {
      storm.left -= 1;
      return storm.fault;
    }
    if (!dice.happens(probability)) return undefined;
    const fault = dice.pick(faults);
    if ((fault === 429 || fault === 503) && dice.happens(0.3)) storm = { fault, left: dice.between(1, 6) };
    return fault;
  };
  return {
    next(address) {
      const already = running.get(address) ?? 0;
      const fault = already >= mostInARow ? undefined : draw();
      running.set(address, fault === undefined ? 0 : already + 1);
      return fault;
    },
  };
}
