/** Observes the items of a run: the shape of each data type. Nothing is written. */

import { droppedLetters } from '../../../sinks/decorators/dead-letters.js';
import { createObserver, type Observer } from '../../../sinks/shape/observe.js';
import { shapeDocument } from '../../../sinks/shape/shape-document.js';
import { anything, type ValueShape } from '../../../sinks/shape/value-shape.js';
import type { ExactObject } from '../../core/json/exact.js';
import type { Batch } from '../../core/model/batch.js';
import { extract } from '../../run/extract.js';
import type { Extraction } from '../../run/extraction.js';
import type { ExtractOptions } from '../../run/options.js';

export interface ObservedRun extends Pick<Extraction, 'closed' | 'stop' | 'mask'> {
  readonly receipts: Extraction['receipts'];
  /** The shapes of all data types, in the order of the configuration; one without items may be anything. */
  document(): ExactObject;
}

/** Prepares a run that observes its items, as sinks would get them. Throws as `extract`. */
export function observeRun(configuration: ExactObject, options: ExtractOptions): ObservedRun {
  const observers = new Map<string, Observer>();
  const to = (batch: Batch) => {
    const observer = observers.get(batch.dataType) ?? createObserver();
    observers.set(batch.dataType, observer);
    observer.add(batch, 0, batch.count);
  };
  const { receipts, closed, stop, mask, summary } = extract(configuration, {
    ...options,
    to,
    onItemError: droppedLetters,
  });
  return {
    receipts,
    closed,
    stop,
    mask,
    document() {
      const dataTypes = new Set(summary().jobs.map(({ dataType }) => dataType));
      const shapeOf = (dataType: string) => observers.get(dataType)?.shape() ?? anything;
      return shapeDocument(
        new Map([...dataTypes].map((dataType) => [dataType, withoutSecrets(shapeOf(dataType), mask)])),
      );
    },
  };
}

/** Texts and names with secrets are masked: as values of an enumeration they are none. */
function withoutSecrets({ values, ...shape }: ValueShape, mask: Extraction['mask']): ValueShape {
  const { items, rest } = shape;
  const isOpen = values?.every((value) => mask(value) === value) === true;
  return {
    ...shape,
    properties: new Map([...shape.properties].map(([name, member]) => [mask(name), withoutSecrets(member, mask)])),
    required: new Set([...shape.required].map((name) => mask(name))),
    ...(isOpen ? { values } : {}),
    ...(items === undefined ? {} : { items: withoutSecrets(items, mask) }),
    ...(rest === undefined ? {} : { rest: withoutSecrets(rest, mask) }),
  };
}
