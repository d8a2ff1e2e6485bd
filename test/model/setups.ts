/** The setups that must hold, and for each rule one that must fail without it. */
import { type Kind, type Rule, type Setup, setupOf } from './setup.js';

const sideBySide = { atOnce: 2 } as const;
const oneType = { atOnce: 2, oneType: true } as const;
const disturbed = { kill: 1, change: 1, breaks: 1 };

const kinds: readonly Kind[] = ['cut', 'transaction', 'ids', 'none'];
const pairs: readonly (readonly Kind[])[] = [
  ['cut', 'transaction'],
  ['transaction', 'transaction'],
  ['transaction', 'none'],
  ['cut', 'ids'],
];

/** Those with few states: `npm test` explores them. */
export const quick: readonly Setup[] = [
  ...kinds.flatMap((kind) => [setupOf([kind], { kill: 2 }), setupOf([kind], { kill: 1, fresh: 1 })]),
  ...pairs.flatMap((both) => [setupOf(both, { kill: 2 }), setupOf(both, { kill: 2 }, { routes: [[0, 2], [1]] })]),
  setupOf(['transaction'], { kill: 1, destination: 1 }, { progress: 'left out' }),
];

/** One sink of each kind. */
const single: readonly Setup[] = kinds.flatMap((kind) => [
  setupOf([kind], { kill: kind === 'none' ? 1 : 2 }, sideBySide),
  setupOf([kind], { kill: 2 }, oneType),
  setupOf([kind], { ...disturbed, kill: 2 }, { cursor: true }),
  setupOf([kind], disturbed, { prefetch: true }),
  setupOf([kind], { kill: 1, power: 1, save: 2 }),
]);

/** Two sinks, each with its own guarantee. */
const double: readonly Setup[] = pairs.flatMap((both) => [
  setupOf(both, disturbed),
  setupOf(both, disturbed, { cursor: true }),
  setupOf(both, { kill: 1, power: 1, save: 1 }),
]);

/** Lanes side by side, logs that lose what they had or end under a commit. */
const losses: readonly Setup[] = [
  setupOf(['transaction'], disturbed, { ...oneType, cursor: true }),
  setupOf(['transaction'], { kill: 1, loss: 1, save: 2 }),
  setupOf(['cut', 'transaction'], { kill: 1, loss: 1, save: 1 }),
  setupOf(['cut', 'transaction'], { power: 2, change: 1, save: 1 }, { cursor: true }),
  setupOf(['transaction'], { kill: 1, destination: 1 }, sideBySide),
  setupOf(['cut', 'transaction'], { kill: 1, destination: 1 }, oneType),
  setupOf(['transaction', 'transaction'], { kill: 1, destination: 2 }),
  setupOf(['transaction', 'transaction'], { kill: 1 }, sideBySide),
];

/** Without a sink that is cut, the turn may pass on as soon as the commit is sent. */
const earlyTurns: readonly Setup[] = (['transaction', 'ids', 'none'] as const).flatMap((kind) => [
  setupOf([kind], { kill: 2 }, oneType, 'the turn ends with the line'),
  setupOf([kind], { kill: 1, change: 1 }, { ...oneType, cursor: true }, 'the turn ends with the line'),
]);

/** A keep without the progress of its lane: too long for its destination, or with a secret that cannot be written. */
const withoutStanding: readonly Setup[] = [
  setupOf(['transaction'], { kill: 2 }, { progress: 'either' }),
  setupOf(['transaction'], disturbed, { progress: 'either', cursor: true }),
  setupOf(['transaction'], { kill: 1, loss: 1, save: 1 }, { progress: 'either' }),
  setupOf(['transaction'], { kill: 2 }, { ...oneType, progress: 'left out' }),
  setupOf(['cut', 'transaction'], disturbed, { progress: 'either', cursor: true }),
  setupOf(['cut', 'transaction'], { kill: 1, loss: 1, save: 1 }, { progress: 'left out' }),
  setupOf(['cut', 'transaction'], { kill: 1, power: 1, save: 1 }, { progress: 'left out' }),
];

/** Sinks that get some of the pages, as the data types of a lane go to different sinks. */
const routed: readonly Setup[] = [
  ...pairs.flatMap((both) => [
    setupOf(both, disturbed, { routes: [[0, 1, 2], [0]], cursor: true }),
    setupOf(both, { kill: 1, power: 1, save: 1 }, { routes: [[1], [0, 1, 2]] }),
  ]),
  setupOf(['cut', 'transaction'], { kill: 1, loss: 1, save: 1 }, { routes: [[0, 1, 2], [0]] }),
  setupOf(['transaction', 'transaction'], { kill: 1, destination: 1 }, { routes: [[0, 2], [1]], progress: 'either' }),
];

/** A page that a sink holds in another version comes again for that sink, where the user wants that. */
const again = { cursor: true, onChange: 'again' } as const;
const changedAgain: readonly Setup[] = [
  setupOf(['cut', 'transaction'], { kill: 2, change: 1 }, again),
  setupOf(['transaction', 'transaction'], { kill: 2, change: 1 }, again),
  setupOf(['transaction', 'transaction'], { kill: 1, change: 1, destination: 1 }, again),
  setupOf(['transaction', 'none'], disturbed, again),
  setupOf(['cut', 'ids'], disturbed, again),
  setupOf(['cut', 'transaction'], { power: 1, change: 1, save: 1 }, again),
  setupOf(['cut', 'transaction'], { kill: 1, change: 1, loss: 1, save: 1 }, again),
  setupOf(['transaction', 'transaction'], { kill: 1, change: 1, loss: 1, save: 1 }, again),
];

/** A page whose rows lead to the page of a child: another version of it has other children. */
const rows = { rows: true } as const;
const rowsAgain = { rows: true, onChange: 'again' } as const;
const withRows: readonly Setup[] = [
  setupOf(['none'], { power: 1, save: 1 }, rows),
  setupOf(['cut'], { kill: 1, power: 1, change: 1, save: 1 }, rows),
  setupOf(['transaction'], { kill: 1, power: 1, change: 1, save: 1 }, rows),
  setupOf(['transaction'], { kill: 1, loss: 1, save: 1 }, { ...rows, progress: 'either' }),
  setupOf(['cut', 'transaction'], { kill: 2, change: 1 }, rows),
  setupOf(['cut', 'transaction'], { power: 1, change: 1, save: 1 }, rows),
  setupOf(['transaction', 'none'], disturbed, { ...rows, cursor: true }),
  setupOf(['cut', 'transaction'], { kill: 2, change: 1 }, rowsAgain),
  setupOf(['transaction', 'transaction'], { kill: 1, change: 1, destination: 1 }, rowsAgain),
  setupOf(['cut', 'transaction'], { kill: 1, change: 1, loss: 1, save: 1 }, rowsAgain),
];

export const holding: readonly Setup[] = [
  ...quick,
  ...single,
  ...double,
  ...losses,
  ...earlyTurns,
  ...withoutStanding,
  ...routed,
  ...changedAgain,
  ...withRows,
];

const without = (rule: Rule, ...[kinds, events, others]: Parameters<typeof setupOf>) =>
  [rule, setupOf(kinds, events, others, rule)] as const;

/** For each rule a setup that holds with it. */
export const failing: ReadonlyMap<Rule, Setup> = new Map([
  without('the sink says which pages it holds', ['transaction'], { kill: 2 }),
  without('a run has an id', ['transaction'], { kill: 1, fresh: 1 }),
  without('the id of a run is on the disk before the first page', ['transaction'], { kill: 1 }),
  without('items and keep are one transaction', ['transaction'], { kill: 1 }),
  without('a keep belongs to one lane', ['transaction'], { kill: 1 }, sideBySide),
  without('a resume fences older transactions', ['transaction'], { kill: 1 }),
  without('after a failed commit the sink is asked', ['transaction'], { destination: 1 }),
  without('a lane begins where the sinks are, not where the journal is', ['transaction'], { loss: 1, save: 1 }),
  without('a lane begins at the least mark', ['cut', 'transaction'], { kill: 1 }),
  without('each sink has its own mark', ['cut', 'transaction'], { kill: 2, loss: 1, save: 1 }),
  without('a page that a sink holds is compared', ['cut', 'transaction'], { kill: 1, change: 1 }, { cursor: true }),
  without('publishing does not ask what is held', ['transaction'], { kill: 1 }),
  without('the line follows the page', ['none'], { kill: 1 }),
  without('a resume writes the journal anew', ['cut'], { kill: 1, power: 1, save: 1 }),
  without('a resume makes the output durable first', ['cut'], { kill: 1, power: 1 }),
  without('a resume cuts the output', ['cut'], { kill: 1 }),
  without('the output is saved before the journal', ['cut'], { power: 1, save: 1 }),
  without('the turn ends with the line', ['cut'], { kill: 1 }, oneType),
  without('a broken attempt is rolled back', ['transaction'], { breaks: 1 }),
  without('what a broken attempt delivered is compared', ['none'], { breaks: 1, change: 1 }),
  without('an id is made of places, not of numbers in the data type', ['ids'], { kill: 1 }, oneType),
  without('an id has the run', ['ids'], { kill: 1, fresh: 1 }),
  without('an id has the walk', ['ids'], { kill: 2 }),
  without('an id has the page', ['ids'], { kill: 2 }),
  without('an id has the offset', ['ids'], { kill: 2 }),
  without('an id has the hash of the item', ['ids'], { kill: 1, change: 1 }),
  without('another version of a page with rows is not joined', ['cut', 'transaction'], { kill: 1, change: 1 }, rows),
  without('rows that are gone are requested again', ['none'], { power: 1 }, rows),
  without(
    'a sink that gets other data types is not late',
    ['transaction', 'transaction'],
    { kill: 1 },
    { routes: [[0, 2], [1]] },
  ),
]);
