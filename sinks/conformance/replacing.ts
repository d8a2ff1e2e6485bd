/**
 * Rules on the output of an earlier run: `published` names what `close` would replace, and `close` keeps it on request.
 */
import type { Bench, Rule } from './bench.js';
import { linesOf, mustEqual } from './items.js';
import { pair } from './samples.js';

const noPublished =
  'the sink names no earlier output: it needs `published` if its close replaces what an earlier run has published';

export const replacingRules: readonly Rule[] = [
  {
    name: 'keeps what an earlier run has published where that is asked for',
    async run(bench) {
      const { dataType, make, read } = bench;
      const [earlier] = pair(dataType);
      const first = await make();
      if (first.sink.published === undefined) return noPublished;
      await first.write(earlier);
      mustName(bench, await first.published(dataType), 'none');
      await first.close();

      const second = await make();
      await second.open(dataType);
      mustName(bench, await second.published(dataType), 'some');
      await second.close({ keep: new Set([dataType]) });
      mustEqual(await read(dataType), linesOf(earlier));
      return undefined;
    },
  },
  {
    name: 'replaces what an earlier run has published with nothing, and names nothing then',
    async run(bench) {
      const { dataType, make, read } = bench;
      const [earlier] = pair(dataType);
      const first = await make();
      if (first.sink.published === undefined) return noPublished;
      await first.write(earlier);
      await first.close();

      const second = await make();
      await second.open(dataType);
      await second.close({ keep: new Set([`${dataType}-b`]) });
      mustEqual(await read(dataType), []);

      const third = await make();
      await third.open(dataType);
      mustName(bench, await third.published(dataType), 'none');
      await third.close();
      return undefined;
    },
  },
];

function mustName({ dataType }: Bench, names: readonly string[] = [], expected: 'none' | 'some'): void {
  const found = names.length === 0 ? 'none' : 'some';
  if (found === expected) return;
  const shown = names.map((name) => `"${name}"`).join(', ');
  throw new Error(
    expected === 'none'
      ? `no earlier run has published items of "${dataType}", and it names ${shown}`
      : `an earlier run has published items of "${dataType}", and it names nothing`,
  );
}
