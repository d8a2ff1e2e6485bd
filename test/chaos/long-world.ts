/** The data of a long chaos run: two lists of many items, for sinks that are killed in the middle of them. */
import { createDice } from './dice.js';
import { configurationAt, listOf, type World } from './world.js';

/** Below the bound of an atomic batch of NATS. */
const pageSize = 500;

/** Two lists in two ways of paging, of half as many items each: they are made once. */
export function createLongWorld(seed: number, items: number): World {
  const dice = createDice(seed);
  const half = Math.ceil(items / 2);
  const text = dice.pick(['event ', 'ž']).repeat(50);
  const lists = new Map([
    ['events', listOf(dice, 'pages', half, (id) => ({ id, text }), pageSize)],
    ['north/logs', listOf(dice, 'links', items - half, (id) => ({ id, where: 'north', text }), pageSize)],
  ]);
  const overlaps = dice.happens(0.5);
  return {
    pageSize,
    overlaps,
    listing: (path) => lists.get(path),
    configuration(origin) {
      const { config, ...all } = configurationAt(origin, overlaps, pageSize);
      return { ...all, config: { ...config, jobs: config.jobs.slice(0, 2) } };
    },
  };
}
