/** Items that a destination refuses for their own sake: how a sink reports one and leaves it out. */
import { ExtractError } from '../src/core/errors/errors.js';
import type { Batch } from '../src/core/model/batch.js';
import type { Opening, RefusedItem } from './contract.js';

/** The reports of one sink. */
export interface ItemErrors {
  /** Passes on what `open` was given. */
  open(opening: Opening | undefined): void;
  /** Whether the run leaves refused items out: then it is worth finding the ones that a destination refuses. */
  isHandled(): boolean;
  /**
   * Reports an item. When it settles, the sink leaves the item out. Throws the error that ends the run: ERR_SINK, if
   * the run does not leave items out.
   */
  refuse(refused: RefusedItem): Promise<void>;
}

/** Creates the reports of a sink; `sink` is its name in messages. */
export function createItemErrors(sink: string): ItemErrors {
  let handler: Opening['onItemError'];
  return {
    open(opening) {
      handler = opening?.onItemError ?? handler;
    },
    isHandled: () => handler !== undefined,
    async refuse(refused) {
      if (handler === undefined) throw itemError(sink, refused);
      await handler(refused);
    },
  };
}

/** The place of an item in its page, in words. */
export const placeOf = ({ offset }: Pick<Batch, 'offset'>, index: number): string =>
  `item ${offset + index} of the page (from 0)`;

function itemError(sink: string, { batch, index, reason, cause }: RefusedItem): ExtractError {
  const { job, page } = batch;
  const message = `${sink}: ${placeOf(batch, index)} ${reason}`;
  return new ExtractError('ERR_SINK', message, { job, page, ...(cause === undefined ? {} : { cause }), remedy });
}

const remedy =
  'Change the item or the destination, or leave such items out: `--on-item-error skip` or `dead-letter=URI` (in code `onItemError`).';
