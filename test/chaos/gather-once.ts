/** A process that publishes a shared run, and kills itself before the n-th call of the file system: `DIR N`. */
import fs, { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const [dir = '', number = '0'] = process.argv.slice(2);

let calls = 0;
const counted = ['open', 'rename', 'rm', 'mkdir', 'unlink', 'readFile', 'stat', 'readdir'] as const;
const system: Record<string, unknown> = { ...fs.promises };
for (const name of counted) {
  const call = system[name] as (...given: readonly unknown[]) => Promise<unknown>; // each is a function of promises
  Object.assign(fs.promises, {
    [name]: async (...given: readonly unknown[]) => {
      calls += 1;
      if (calls === Number(number)) process.kill(process.pid, 'SIGKILL');
      return call(...given);
    },
  });
}
syncBuiltinESMExports();

const { sinkFromUri } = await import('../../sinks/registry.js');
const { publish } = await import('../sinks/parts/shared-run.js');
const left = JSON.parse(readFileSync(join(dir, 'members.json'), 'utf8')) as [string, [string, string][]][];
const members = new Map(left.map(([member, checkpoints]) => [member, new Map(checkpoints)]));
const sink = sinkFromUri(`parts:${join(dir, 'parts')}?gather=csv:${join(dir, 'out')}`);
await publish(sink, { members, wake: async () => {} }, { phase: 'publishing' });
console.log(calls);
