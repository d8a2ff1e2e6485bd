/** The sinks of a run behind its rules for items: what differs from its shape, and what a destination refuses. */
import type { Sink } from '../../../sinks/contract.js';
import {
  type HandledSinks,
  handleItemErrors,
  holdsLetters,
  type ItemErrorHooks,
  type ItemErrorRule,
} from '../../../sinks/decorators/dead-letters.js';
import { all, sinksOf } from '../../../sinks/decorators/fan-out.js';
import { nameFailures } from '../../../sinks/decorators/name-failures.js';
import type { SinkContext } from '../../../sinks/entry.js';
import { nullSink } from '../../../sinks/null.js';
import { readAddress, withoutSecrets } from '../../../sinks/open-addresses.js';
import { outputPlace, sinkFromUri } from '../../../sinks/registry.js';
import { createJudge, type ItemJudge } from '../../../sinks/shape/judge.js';
import { readShapes, shapeDocument } from '../../../sinks/shape/shape-document.js';
import { type JobConfig, withChildren } from '../../config/config.js';
import { makesLetters } from '../../config/on-error.js';
import { type ExactObject, fromPlain, isObject } from '../../core/json/exact.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import { didYouMean } from '../../core/util/suggest.js';
import type { CompleteOptions, ExtractOptions } from '../options.js';
import type { ItemErrorOption } from '../run-options.js';
import { sinkOfTarget } from './sink-target.js';

export interface RuledSinks extends HandledSinks {
  /** Undefined: there is no shape. */
  readonly judge: ItemJudge | undefined;
  /** The document of the shapes that the judge has. */
  readonly shape: () => ExactObject | undefined;
}

/**
 * Items are judged before a sink gets them. With a rule for refused items, sinks report what they have left out. Throws
 * ERR_USAGE for a wrong shape, and for rules that do not belong together.
 */
export function ruledSinks<Item>(
  to: ExtractOptions<Item>['to'] = nullSink(),
  options: CompleteOptions & Pick<SinkContext, 'span'>,
  hooks: ItemErrorHooks,
): RuledSinks {
  const { env, onItemError, span } = options;
  const judge = judgeOf(options, hooks);
  const context = { notify: hooks.notify, ...defined({ env, span }) };
  const sink = sinkOfTarget(to, context);
  const takesLetters = judge?.rule === 'dead-letter';
  const handled =
    onItemError === 'fail'
      ? { sink, refused: () => [], refusedOf: () => 0 }
      : handleItemErrors(sink, itemErrorRule(onItemError, to, context), hooks, takesLetters ? judge : undefined);
  const named = nameFailures(handled.sink);
  if (judge === undefined) return { ...handled, sink: named, judge, shape: () => undefined };
  return {
    ...handled,
    judge,
    shape: () => shapeDocument(judge.shapes(), documentOf(options)),
    sink: takesLetters ? named : all(sinksOf(named).map((each) => judge.before(each))),
    refusedOf: (number, dataType) => handled.refusedOf(number, dataType) + judge.leftOut(dataType),
  };
}

/** An address of dead letters becomes a sink. Throws ERR_USAGE for an address that gets the items too. */
function itemErrorRule<Item>(
  rule: Exclude<ItemErrorOption, 'fail'>,
  to: ExtractOptions<Item>['to'],
  context: SinkContext,
): Exclude<ItemErrorRule, 'fail'> {
  if (rule === 'skip') return rule;
  const { deadLetter } = rule;
  if (typeof deadLetter !== 'string') return { deadLetter };
  const addresses = [to].flat().filter((each) => typeof each === 'string');
  if (addresses.some((each) => outputPlace(readAddress(each, 'to').uri) === outputPlace(deadLetter))) {
    const shown = withoutSecrets(deadLetter);
    throw usageError(`onItemError: ${shown} is in \`to\` as well: dead letters need a sink of their own`);
  }
  return { deadLetter: sinkFromUri(deadLetter, context) };
}

function judgeOf({ shape, onDrift, onItemError }: CompleteOptions, hooks: ItemErrorHooks): ItemJudge | undefined {
  if (shape === undefined) {
    if (onDrift !== undefined) throw usageError('onDrift: needs `shape`');
    return undefined;
  }
  if (onDrift === 'dead-letter' && (typeof onItemError === 'string' || !('deadLetter' in onItemError))) {
    throw usageError(
      'onDrift: "dead-letter" needs the sink of dead letters: --on-item-error dead-letter=URI (in code `onItemError: { deadLetter: sink }`)',
    );
  }
  return createJudge({ ...hooks, shapes: readShapes(fromPlain(shape), 'shape'), rule: onDrift ?? 'warn' });
}

function documentOf({ shape }: CompleteOptions): ExactObject | undefined {
  const document = fromPlain(shape);
  return isObject(document) ? document : undefined;
}

/** Throws ERR_USAGE if a data type of the run has no shape. */
export function mustHaveShapes(judge: ItemJudge | undefined, jobs: readonly JobConfig[]): void {
  if (judge === undefined) return;
  const names = [...judge.shapes().keys()];
  const other = withChildren<JobConfig>(jobs).find(({ dataType }) => !names.includes(dataType));
  if (other === undefined) return;
  const hint = didYouMean(other.dataType, names);
  const known = hint === '' ? `: it has ${names.map((name) => `"${name}"`).join(', ')}` : hint;
  throw usageError(`shape: there is none of the data type "${other.dataType}"${known}`);
}

/**
 * Throws ERR_USAGE if a job makes dead letters of requests, and the run has sinks but none for letters. A run that
 * stores nothing needs none.
 */
export function mustTakeLetters(jobs: readonly JobConfig[], sinks: readonly Sink[]): void {
  if (sinks.some(holdsLetters) || sinks.every(isNull)) return;
  const job = withChildren<JobConfig>(jobs).find(({ onError }) => onError !== undefined && makesLetters(onError));
  if (job === undefined) return;
  throw usageError(
    `${job.path}.onError: "dead-letter" of the job "${job.name}" needs the sink of dead letters: --on-item-error dead-letter=URI (in code \`onItemError: { deadLetter: sink }\`)`,
  );
}

const isNull = ({ name }: Sink): boolean => name === 'null:';
