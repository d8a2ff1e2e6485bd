/** Black-box rows: responses that are no plain JSON document, and compressed ones. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { acceptedEncodings } from '../../../src/http/transport/decode.js';
import { items, json, type Reply } from '../../loopback/api.js';
import { lines, type Row, step } from '../row.js';

const two = items(1, 2);
const users = { users: lines(...two) };
const ndjson = (body: string | Uint8Array, more: Readonly<Record<string, string>> = {}): Reply => ({
  headers: { 'content-type': 'application/x-ndjson', ...more },
  body,
});
const encoded = (encoding: string, body: Uint8Array): Reply =>
  json(undefined, { headers: { 'content-type': 'application/json', 'content-encoding': encoding }, body });
const text = JSON.stringify(two);

export const responseRows: readonly Row[] = [
  {
    rule: 'responses: requests ask for the encodings that this Node decodes',
    steps: [
      step('GET /users', encoded('gzip', gzipSync(text)), {
        headers: { 'Accept-Encoding': acceptedEncodings.join(', ') },
      }),
    ],
    files: users,
  },
  {
    rule: 'responses: without acceptEncoding none is asked for, and a compressed answer is decoded all the same',
    api: { http: { acceptEncoding: false } },
    steps: [step('GET /users', encoded('gzip', gzipSync(text)), { headers: { 'Accept-Encoding': null } })],
    files: users,
  },
  {
    rule: 'responses: a request for a range asks for no encoding',
    api: { http: { headers: { range: 'bytes=0-' } } },
    steps: [step('GET /users', json(two), { headers: { 'Accept-Encoding': null } })],
    files: users,
  },
  {
    rule: 'responses: a configured Accept-Encoding is sent with every request, and the answers are decoded',
    api: {
      http: { headers: { 'Accept-Encoding': 'gzip, br, deflate' } },
      pagination: { method: 'pagenum', limit: 2 },
    },
    steps: [
      step('GET /users?page=1&limit=2', encoded('gzip', gzipSync(text)), {
        headers: { 'Accept-Encoding': 'gzip, br, deflate' },
      }),
      step('GET /users?page=2&limit=2', encoded('br', brotliCompressSync(JSON.stringify(items(3, 2)))), {
        headers: { 'Accept-Encoding': 'gzip, br, deflate' },
      }),
      step('GET /users?page=3&limit=2', encoded('deflate', deflateSync(JSON.stringify(items(5, 1))))),
    ],
    files: { users: lines(...items(1, 5)) },
  },
  {
    rule: 'responses: lines of JSON may be compressed, in several members of gzip',
    api: { http: { headers: { 'Accept-Encoding': 'gzip' } } },
    steps: [
      step(
        'GET /users',
        ndjson(Buffer.concat(two.map((item) => gzipSync(lines(item)))), { 'content-encoding': 'gzip' }),
        { headers: { 'Accept-Encoding': 'gzip' } },
      ),
    ],
    files: users,
  },
  {
    rule: 'responses: an empty body is a page without lines, and ends the pages without a warning',
    api: { pagination: { method: 'pagenum' } },
    args: ['--strict'],
    steps: [step('GET /users?page=1', ndjson(lines(...two))), step('GET /users?page=2', ndjson(''))],
    files: users,
  },
  {
    rule: 'responses: a page of lines that repeats the one before it ends the job',
    api: { pagination: { method: 'pagenum' } },
    steps: [
      step('GET /users?page=1', ndjson(lines(...two))),
      step('GET /users?page=2', ndjson('{ "id": 1 }\r\n\r\n{ "id": 2 }')),
    ],
    files: users,
    says: [/\[same-page\]/],
  },
  {
    rule: 'responses: a cursor may lie in a value of the lines, by its index',
    api: { pagination: { method: 'response.param', responseParam: '0.next', queryParam: 'cursor' } },
    steps: [
      step('GET /users', ndjson('{"next":12345678901234567890}\n{"id":1}\n')),
      step('GET /users?cursor=12345678901234567890', ndjson('{"next":null}\n')),
    ],
    files: { users: '{"next":12345678901234567890}\n{"id":1}\n{"next":null}\n' },
  },
  {
    rule: 'responses: a broken line takes its page back and fails the job, with the byte offset',
    api: { pagination: { method: 'pagenum', limit: 2 } },
    steps: [
      step('GET /users?page=1&limit=2', ndjson(lines(...two))),
      step('GET /users?page=2&limit=2', ndjson('{"id":3}\n{"id":4} oops\n')),
    ],
    exit: 1,
    files: {},
    partial: users,
    says: [/ERR_JSON/, /at byte 18/],
  },
];
