/** Runs one example against the sample API: `node examples/code/try.mjs loop`. Build first: `npm run build`. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startSampleApi } from '../sample-api.mjs';

const [name = 'loop'] = process.argv.slice(2);
const api = await startSampleApi((line) => process.stderr.write(`  ${line}\n`));
const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), file], {
  env: { ...process.env, SAMPLE_API: `${api.origin}/` },
  stdio: 'inherit',
});
child.on('close', (code) => {
  api.close();
  process.exitCode = code ?? 1;
});
