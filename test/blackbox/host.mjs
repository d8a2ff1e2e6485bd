/**
 * Runs the built command again and again in one process, which shared-process.ts starts: loading it takes longer than
 * most runs.
 */
import { Readable, Writable } from 'node:stream';
import { processShell, rxtract } from '../../dist/src/cli/main-command.js';

const ownShell = processShell();

/** A stream that records what is written to it. */
function recorder() {
  const chunks = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

async function run({ args, cwd, stdin, env }) {
  process.chdir(cwd);
  const [out, err] = [recorder(), recorder()];
  const answer = (exit) => process.send({ exit, stdout: out.text(), stderr: err.text() });
  const shell = {
    ...ownShell,
    stdin: () => Readable.from([Buffer.from(stdin)]),
    stdout: out.stream,
    stderr: err.stream,
    env: { ...process.env, ...env },
    onSignal: () => () => {},
    exit: (code) => answer(code) && process.exit(code),
  };
  const exit = await rxtract(args, shell);
  process.chdir('/');
  answer(exit);
}

process.on('disconnect', () => process.exit());
process.on('message', run);
