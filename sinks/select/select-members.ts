/** A select as a transform before one sink. */
import { createBatch } from '../../src/core/model/batch.js';
import type { Transform } from '../decorators/through.js';
import { parseSelect } from './parse-select.js';
import { createSelector } from './selector.js';

/**
 * Keeps, renames and drops members: `selectMembers('id, address.city as city, !password')`. A data type before a colon
 * limits it to that data type. Values keep their bytes. Throws ERR_USAGE for a fault in the text.
 */
export function selectMembers<In = unknown, Out = unknown>(text: string): Transform<In, Out> {
  const { dataType, entries } = parseSelect(text);
  const selector = createSelector(entries);
  return (batch) => {
    const isOther = dataType !== undefined && batch.dataType !== dataType;
    return createBatch<Out>(batch, isOther ? batch : selector.select(batch), batch.offset);
  };
}
