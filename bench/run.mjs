// Runs every bench, or those whose file name holds a word: npm run bench -- pull
//   --record      keeps the results in bench/results/, with the machine, the date and the share of other work
//   --rounds N    so many rounds, for benches that have rounds
import { readdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { machine, watchOtherWork } from './harness.mjs';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean', default: false }, rounds: { type: 'string' } },
});
const options = values.rounds === undefined ? {} : { rounds: Number(values.rounds) };
const folder = new URL('.', import.meta.url);
const files = (await readdir(folder)).filter((name) => /\.bench\.(mjs|ts)$/.test(name)).sort();
const chosen = files.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (chosen.length === 0) {
  console.error(`no bench has ${wanted.join(' or ')} in its name; there are: ${files.join(', ')}`);
  process.exitCode = 1;
}

for (const file of chosen) {
  const { question, run } = await import(new URL(file, folder).href);
  console.log(`\n${question}\n${machine()}`);
  const otherWork = watchOtherWork();
  const rows = await run(options);
  console.table(rows);
  const others = await otherWork();
  console.log(`CPU time that other work took on the machine meanwhile: ${others ?? 'unknown'} %`);
  if (!values.record) continue;
  const record = { question, machine: machine(), 'CPU of other work, %': others, ...options, rows };
  await writeFile(
    new URL(`results/${file.replace(/\.bench\.\w+$/, '.json')}`, folder),
    `${JSON.stringify(record, null, 2)}\n`,
  );
}
