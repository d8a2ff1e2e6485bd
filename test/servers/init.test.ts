/** `rxtract init` on the management API of a real RabbitMQ: what it writes pulls all queues. */
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, inTemporary } from '../blackbox/command.js';
import { freePort, rabbitMissing, startRabbit, type TestRabbit } from '../support/servers.js';
import { testWhere } from '../where.js';

const test = testWhere(rabbitMissing);

const queues = Array.from({ length: 130 }, (_, index) => ({
  ...{ name: `queue-${index}`, vhost: '/', durable: true, auto_delete: false, arguments: {} },
}));
const definitions = { vhosts: [{ name: '/' }], queues };

let rabbit: TestRabbit | undefined;
let origin = '';

run.before(async () => {
  if (rabbitMissing !== undefined) return;
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  rabbit = await startRabbit({
    morePorts: [port],
    plugins: ['rabbitmq_management'],
    files: { 'definitions.json': JSON.stringify(definitions) },
    lines: [
      'load_definitions = {folder}/definitions.json',
      `management.tcp.port = ${port}`,
      'management.tcp.ip = 127.0.0.1',
    ],
  });
  await rabbit.control('await_startup');
  await rabbit.control('add_user', 'reader', 'pass-4711/x');
  await rabbit.control('set_user_tags', 'reader', 'administrator');
  await rabbit.control('set_permissions', 'reader', '.*', '.*', '.*');
});

run.after(() => rabbit?.close());

const env = { RABBIT_USER: 'reader', RABBIT_PASSWORD: 'pass-4711/x' };

for (const path of ['/api/queues', '/api/queues?page=1&page_size=20', '/api/queues/%2F?sort=name']) {
  test(`${path}: all queues`, () =>
    inTemporary(async (folder) => {
      const file = `${folder}/config.json`;
      const source = `${origin.replace('//', '//$' + '{RABBIT_USER}:$' + '{RABBIT_PASSWORD}@')}${path}`;
      const made = await commandHere(['init', source, '--yes', '--out', file], { env });
      assert.is(made.exit, 0, made.stderr);
      const pull = await commandHere(['run', file, '--to', 'stdout:', '--strict', '--allow', 'round-end'], { env });
      assert.is(pull.exit, 0, pull.stderr);
      const names = pull.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).name);
      const auth = `Basic ${btoa(`${env.RABBIT_USER}:${env.RABBIT_PASSWORD}`)}`;
      const own = await fetch(`${origin}/api/queues`, { headers: { authorization: auth } });
      const all = (await own.json()) as readonly { readonly name: string }[]; // of the documentation of RabbitMQ
      assert.is(all.length, queues.length);
      assert.equal(names.sort(), all.map(({ name }) => name).sort(), made.stderr);
    }));
}

run.run();
