/** What `init` asks on a terminal: which list, the name of the data, and whether a POST may be sent. */
import { PassThrough, Writable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../../src/cli/main-command.js';
import { fakeShell } from '../../cli/fake-shell.js';
import { items, json, startApi } from '../../loopback/api.js';

/** Keys as a terminal sends them. */
const [down, enter, ctrlC] = ['\u001b[B', '\r', '\u0003'];

/** What is typed when a text of a question appears. Each is typed once. */
type Typed = readonly (readonly [question: string, keys: string])[];

/** Runs the command on a terminal that types. */
async function typing(args: readonly string[], typed: Typed) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  let [shown, at] = ['', 0];
  const stderr = Object.assign(
    new Writable({
      write(chunk, _, done) {
        shown += String(chunk);
        const [question, keys] = typed[at] ?? [];
        if (question !== undefined && shown.includes(question)) {
          at += 1;
          setImmediate(() => input.write(keys)); // after the question has begun to listen
        }
        done();
      },
    }),
    { isTTY: false, columns: 80, rows: 24 },
  );
  const shell = { ...fakeShell(), isInteractive: true, stdin: () => input, stderr };
  const exit = await rxtract(['init', '--out', '-', ...args], shell);
  input.end();
  return { exit, shown, stdout: shell.out(), asked: at };
}

const lists = { users: items(1, 5), groups: items(1, 3) };

test('the list and the name are asked', async () => {
  const api = await startApi(() => json(lists));
  const typed: Typed = [
    ['Which list?', `${down}${enter}`],
    ['Name of the data', `teams${enter}`],
  ];
  const { exit, stdout, shown, asked } = await typing([`${api.origin}/all`], typed);
  await api.close();
  assert.is(exit, 0, shown);
  assert.is(asked, 2);
  assert.match(stdout, '"dataField": "groups"');
  assert.match(stdout, '"dataType": "teams"');
});

test('an empty name is that of the address', async () => {
  const api = await startApi(() => json(items(1, 5)));
  const { stdout, shown } = await typing([`${api.origin}/all`], [['Name of the data', enter]]);
  await api.close();
  assert.match(stdout, '"dataType": "all"', shown);
});

test('with --yes nothing is asked', async () => {
  const api = await startApi(() => json(lists));
  const { exit, asked, stdout } = await typing([`${api.origin}/all`, '--yes'], [['?', enter]]);
  await api.close();
  assert.equal([exit, asked], [0, 0]);
  assert.match(stdout, '"dataField": "users"');
});

test('a POST is sent after a yes only', async () => {
  const api = await startApi(() => json(items(1, 5)));
  const post = [`${api.origin}/search`, '--body', '{}'];
  const refused = await typing(post, [['The request is a POST.', 'n']]);
  assert.equal([refused.exit, api.requests.length], [1, 0]);
  const sent = await typing(post, [
    ['The request is a POST.', 'y'],
    ['Name of the data', enter],
  ]);
  await api.close();
  assert.is(sent.exit, 0, sent.shown);
  assert.ok(api.requests.every(({ method }) => method === 'POST'));
});

test('Ctrl-C at a question ends the command, and nothing is written', async () => {
  const api = await startApi(() => json(lists));
  const { exit, stdout } = await typing([`${api.origin}/all`], [['Which list?', ctrlC]]);
  await api.close();
  assert.equal([exit, stdout], [130, '']);
});

test.run();
