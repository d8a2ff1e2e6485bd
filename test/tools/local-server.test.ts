import { request } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listenLocally } from '../../src/tools/local-server.js';
import { rejection } from '../sinks/lib.js';

const host = '127.0.0.1';

/** The status and the text of a response. */
const ask = (port: number, method: string, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ host, port, method, path }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk)).on('end', () => resolve(`${response.statusCode} ${text}`));
    })
      .on('error', reject)
      .end();
  });

test('answers what is known to those who read, and nothing else', async () => {
  const sent: string[] = [];
  const answer = (target: string) =>
    target === '/here?a=1' ? { status: 200, text: 'yes', onSent: () => void sent.push(target) } : undefined;
  const server = await listenLocally({ host, port: 0, answer });
  try {
    assert.is(await ask(server.port, 'GET', '/here?a=1'), '200 yes\n');
    assert.is(await ask(server.port, 'HEAD', '/here?a=1'), '200 ');
    assert.is(await ask(server.port, 'GET', '/there'), '404 not found\n');
    assert.is(await ask(server.port, 'POST', '/here?a=1'), '404 not found\n');
    assert.equal(sent, ['/here?a=1', '/here?a=1']);
    await rejection(listenLocally({ host, port: server.port, answer }), 'ERR_USAGE', /cannot listen on 127\.0\.0\.1:/);
  } finally {
    await server.close();
  }
});

test('a failure to answer is a status', async () => {
  const server = await listenLocally({ host, port: 0, answer: () => Promise.reject(new Error('secret')) });
  try {
    assert.is(await ask(server.port, 'GET', '/'), '500 there is no answer\n');
  } finally {
    await server.close();
  }
});

test.run();
