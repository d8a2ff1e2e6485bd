// Runs every bench, or those whose file name holds an argument: npm run bench -- pull. Results go to bench/results/.
import { readdir, writeFile } from 'node:fs/promises';
import { machine } from './harness.mjs';

const wanted = process.argv.slice(2);
const folder = new URL('.', import.meta.url);
const files = (await readdir(folder)).filter((name) => /\.bench\.(mjs|ts)$/.test(name)).sort();

for (const file of files.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)))) {
  const { question, run } = await import(new URL(file, folder).href);
  console.log(`\n${question}\n${machine()}`);
  const rows = await run();
  console.table(rows);
  const record = { question, machine: machine(), rows };
  await writeFile(
    new URL(`results/${file.replace(/\.bench\.\w+$/, '.json')}`, folder),
    `${JSON.stringify(record, null, 2)}\n`,
  );
}
