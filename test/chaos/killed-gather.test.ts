/** A gather that is killed before any call of the file system: the manifest appears as a whole, or not at all. */
import { execFile } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sinkFromUri } from '../../sinks/registry.js';
import { inFolder } from '../sinks/lib.js';
import { bytesIn, manifestIn, readParts } from '../sinks/parts/lib.js';
import { pagesOf, publish, randomFrom, runAlone, runMembers } from '../sinks/parts/shared-run.js';

const seed = Number(process.env.SEED ?? Date.now() % 100_000);
const script = fileURLToPath(new URL('gather-once.ts', import.meta.url));
const start = promisify(execFile);

/** All of the last calls, which publish, and some of those before. */
const killsOf = (calls: number): readonly number[] =>
  Array.from({ length: calls }, (_, index) => index + 1).filter((each) => each > calls - 20 || each % 20 === 1);

test(
  `a gather that is killed anywhere is repeated as a whole (SEED=${seed})`,
  inFolder(async (dir) => {
    const pages = pagesOf(randomFrom(seed));
    await runAlone(sinkFromUri(`csv:${join(dir, 'alone')}`), pages);
    const expected = bytesIn(join(dir, 'alone'));
    const [first, place] = [join(dir, 'first'), join(dir, 'place')];
    const { members, wake } = await runMembers(
      () => sinkFromUri(`parts:${join(first, 'parts')}`),
      pages,
      randomFrom(seed + 1),
    );
    await wake();
    const left = [...members].map(([member, checkpoints]) => [member, [...checkpoints]]);
    writeFileSync(join(first, 'members.json'), JSON.stringify(left));
    const gatherOnce = (number: number) => start(process.execPath, ['--import', 'tsx', script, place, String(number)]);

    const fresh = () => {
      rmSync(place, { recursive: true, force: true });
      cpSync(first, place, { recursive: true });
    };
    fresh();
    const calls = Number((await gatherOnce(0)).stdout);
    assert.ok(calls > 50, `${calls} calls`);
    for (const number of killsOf(calls)) {
      fresh();
      const killed = await gatherOnce(number).catch((thrown: unknown) => thrown);
      assert.is(Reflect.get(Object(killed), 'signal'), 'SIGKILL');
      if (manifestIn(join(place, 'parts')) !== undefined) {
        assert.equal(bytesIn(join(place, 'out')), expected, `after call ${number} of ${calls}`);
        for (const dataType of ['users', 'orders', 'lines', 'logs']) readParts(join(place, 'parts'), dataType);
      }
      const sink = sinkFromUri(`parts:${join(place, 'parts')}?gather=csv:${join(place, 'out')}`);
      await publish(sink, { members, wake: async () => {} }, { epoch: 2, phase: 'publishing' });
      assert.equal(bytesIn(join(place, 'out')), expected, `again after call ${number} of ${calls}`);
      assert.ok(manifestIn(join(place, 'parts')) !== undefined);
    }
  }),
);

test.run();
