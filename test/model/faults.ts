/** What must hold in every state of the model: nothing twice, and at the end nothing lost, torn or beside its path. */
import { positionAt } from './journal.js';
import { gets, isLed, type Lane, lanes, pages, type Setup } from './setup.js';
import type { Item, SinkState, State } from './state.js';

/** The first fault in words; undefined: there is none. */
export function faultOf(state: State, setup: Setup): string | undefined {
  if (state.phase === 'stuck') return 'files and journal share no position';
  if (state.phase === 'rows are gone') return 'a lane continues with rows that are gone';
  if (state.phase === 'requests again') return 'pages of the journal are requested again';
  if (state.phase === 'refused' && setup.events.loss === state.left.loss)
    return 'refused, though no log has lost anything';
  for (const [at, sink] of state.sinks.entries()) {
    for (const lane of lanes) {
      const fault =
        setup.onChange === 'again' && (sink.kind === 'cut' || sink.kind === 'transaction')
          ? versionFault(state, setup, at, sink, lane)
          : sink.kind === 'cut' || sink.kind === 'transaction'
            ? pathFault(state, setup, at, sink, lane)
            : deliveryFault(state, setup, at, sink, lane);
      if (fault !== undefined) return `sink ${at} (${sink.kind}): ${fault}`;
    }
  }
  return undefined;
}

/** Items of one batch, of this extraction. */
function itemsOf({ extraction }: State, sink: SinkState, lane: Lane, page: number, batch: number): readonly Item[] {
  const items = sink.kind === 'cut' ? (sink.published ?? Object.values(sink.files).flat()) : sink.items;
  return items.filter((item) => item.startsWith(`${extraction}${lane}${page}${batch}`));
}

/** `cut` and `transaction`: every page whole and once, each requested by the one before it as this sink has that. */
function pathFault(state: State, setup: Setup, at: number, sink: SinkState, lane: Lane): string | undefined {
  let before: string | undefined;
  for (let page = 0; page < pages; page++) {
    const [first, second] = [itemsOf(state, sink, lane, page, 0), itemsOf(state, sink, lane, page, 1)];
    if (first.length > 1 || second.length > 1) return `${lane}${page} is there twice`;
    const isMissing = first.length === 0 || second.length === 0;
    if (isMissing && state.phase === 'done' && gets(setup, at, page)) return `${lane}${page} is lost`;
    if (!gets(setup, at, page) && first.length + second.length > 0) return `${lane}${page} is not for this sink`;
    const isWhole = sink.kind === 'transaction' || state.phase === 'done';
    const isHalf = setup.without.has('items and keep are one transaction');
    if (!isHalf && isWhole && first[0]?.slice(4) !== second[0]?.slice(4)) return `${lane}${page} is torn or mixed`;
    const isFollowed = state.phase === 'done' && isLed(setup, page) && before !== undefined && first[0] !== undefined;
    if (isFollowed && first[0]?.[5] !== before) return `${lane}${page} does not follow ${lane}${page - 1}`;
    before = gets(setup, at, page) ? first[0]?.[4] : undefined;
  }
  return undefined;
}

/**
 * `cut` and `transaction` where a changed page comes again: each version of a page once and whole, requested by a
 * version of the page before it that is there too. If a log has lost its tail, pages of its earlier path may come again
 * too: then one version of each page follows one before it.
 */
function versionFault(state: State, setup: Setup, at: number, sink: SinkState, lane: Lane): string | undefined {
  let before: readonly Item[] = [];
  for (let page = 0; page < pages; page++) {
    const [first, second] = [itemsOf(state, sink, lane, page, 0), itemsOf(state, sink, lane, page, 1)];
    const isTwice = new Set(first).size < first.length || new Set(second).size < second.length;
    if (isTwice && setup.events.power + setup.events.loss === 0) return `${lane}${page} is there twice`;
    if (state.phase !== 'done' || !gets(setup, at, page)) continue;
    if (first.length === 0) return `${lane}${page} is lost`;
    const endings = (items: readonly Item[]) => [...new Set(items.map((item) => item.slice(4)))].sort().join();
    if (endings(first) !== endings(second)) return `${lane}${page} is torn`;
    const isFollowing = (item: Item) => before.some((earlier) => earlier[4] === item[5]);
    const isChecked = isLed(setup, page) && gets(setup, at, page - 1);
    const following = isChecked ? first.filter(isFollowing) : first;
    const isPath = setup.events.loss > 0 ? following.length > 0 : following.length === first.length;
    if (!isPath) return `${lane}${page} does not follow ${lane}${page - 1}`;
    before = following;
  }
  return undefined;
}

/** `ids` and `none`: each item of each page that counts is there, with `ids` once. */
function deliveryFault(state: State, setup: Setup, at: number, sink: SinkState, lane: Lane): string | undefined {
  const { versions } = positionAt(setup, state.journal).lanes[lane];
  const isNumbered = setup.without.has('an id is made of places, not of numbers in the data type');
  for (let page = 0; page < pages; page++) {
    if (!gets(setup, at, page)) continue;
    const found = [itemsOf(state, sink, lane, page, 0), itemsOf(state, sink, lane, page, 1)];
    const isLost = found.some((items) => !items.some((item) => item[4] === versions[page]));
    if (state.phase === 'done' && isLost) return `items of ${lane}${page} are lost`;
    const isTwice = found.some((items) => new Set(items.map((item) => item[4])).size < items.length);
    if (sink.kind === 'ids' && !isNumbered && isTwice) return `${lane}${page} is there twice`;
  }
  return undefined;
}
