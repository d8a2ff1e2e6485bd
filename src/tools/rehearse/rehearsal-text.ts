/** What a rehearsal has found, as lines for people. */
import { counted } from '../text/format.js';
import type { Rehearsed, RehearsedOutcome, TriedCure } from './rehearse-configuration.js';

/** One line: the verdict, the fault, the page, and what helps. */
export function rehearsedLine(result: Rehearsed): string {
  const { fault, place, page, cures } = result;
  const help = cures.length === 0 ? '' : `; ${cures.map(cureText).join('; ')}`;
  return `${outcomeText(result)}: ${fault} at the ${place} page (${page})${help}`;
}

const cureText = ({ key, value }: TriedCure): string =>
  value === undefined ? `see ${key}` : `held with ${key}: ${value}`;

function outcomeText({ verdict, code, lost = 0, repeated = 0, changed = 0 }: RehearsedOutcome): string {
  const counts = [
    ...(lost > 0 ? [`lost ${counted(lost, 'item')}`] : []),
    ...(repeated > 0 ? [`repeated ${counted(repeated, 'item')}`] : []),
    ...(changed > 0 ? [`changed ${counted(changed, 'item')}`] : []),
  ];
  const error = code === undefined ? '' : ` (${code})`;
  return `${counts.length > 0 ? counts.join(', ') : verdict}${error}`;
}
