// Runs every bench but the long ones, keeps the results in bench/results/, and writes bench/results.md. With words it
// runs those whose file name contains one: npm run bench -- pull
//   --record      with words: keep the results too
//   --rounds N    so many rounds, for benches that have rounds
//   --write       only write bench/results.md from the results that are kept
import { readdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { machine, watchOtherWork } from './harness.mjs';
import { writeResults } from './write-results.mjs';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const options = values.rounds === undefined ? {} : { rounds: Number(values.rounds) };
const isAll = wanted.length === 0;
const folder = new URL('.', import.meta.url);
const files = (await readdir(folder)).filter((name) => /\.bench\.(mjs|ts)$/.test(name)).sort();
const chosen = values.write ? [] : files.filter((name) => isAll || wanted.some((word) => name.includes(word)));
if (chosen.length === 0 && !values.write) {
  console.error(`no bench has ${wanted.join(' or ')} in its name; there are: ${files.join(', ')}`);
  process.exitCode = 1;
}

const isKept = values.record || isAll;
const begun = Date.now();
for (const file of chosen) {
  const { question, run, isLong = false } = await import(new URL(file, folder).href);
  if (isLong && isAll) {
    console.log(`\n${file} takes long: npm run bench -- ${file.split('.')[0]}`);
    continue;
  }
  console.log(`\n${question}\n${machine()}, ${Math.round((Date.now() - begun) / 1000)} s since the start`);
  const otherWork = watchOtherWork();
  const rows = await run(options);
  console.table(rows);
  const others = await otherWork();
  console.log(`CPU time that other work took on the machine meanwhile: ${others ?? 'unknown'} %`);
  if (!isKept) continue;
  const record = { question, machine: machine(), 'CPU of other work, %': others, ...options, rows };
  await writeFile(
    new URL(`results/${file.replace(/\.bench\.\w+$/, '.json')}`, folder),
    `${JSON.stringify(record, null, 2)}\n`,
  );
}
if (isKept || values.write) await writeResults(files);
