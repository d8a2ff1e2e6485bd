// Serves files of any size: a head, a block that is repeated, and a tail. Sends its port to its parent.
//
//   /csv?blocks=N   1,000 rows of 340 bytes a block
//   /xml?blocks=N   1,000 elements of 340 bytes a block
//   /gz?blocks=N    the CSV file behind gzip, each block a member of its own, as gzip files may have several
import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

const perBlock = 1000;
const each = (one) => Array.from({ length: perBlock }, (_, at) => one(at)).join('');
const words = 'a text of some words that repeats, as those of many exports do, ';
const note = `${words.repeat(3)}and some more words at its end `;

const rowOf = (at) => {
  const text = at % 5 === 0 ? `"${note}""quoted"", ${at}"` : `${note.replaceAll(',', '')}${at}`;
  return `${100_000 + at},Customer ${at % 977},user${at}@mail.example.com,2026-11-${10 + (at % 20)}T10:${10 + (at % 50)}:00Z,${(at * 7) % 9999}.50,EUR,paid,Main Street ${at % 99},Praha,11000,CZ,${text}\n`;
};
const header = 'id,name,email,created_at,total,currency,status,street,city,zip,country,note\n';

const elementOf = (at) =>
  `<order id="${100_000 + at}" status="paid"><name>Customer ${at % 977} &amp; Sons</name><email>user${at}@mail.example.com</email>` +
  `<created>2026-11-${10 + (at % 20)}T10:${10 + (at % 50)}:00Z</created><total currency="EUR">${(at * 7) % 9999}.50</total>` +
  `<note>${words}</note><address><street>Main Street ${at % 99}</street><city>Praha</city></address></order>\n`;

const files = {
  '/csv': { head: header, block: Buffer.from(each(rowOf)), tail: '' },
  '/xml': { head: '<?xml version="1.0"?>\n<orders>\n', block: Buffer.from(each(elementOf)), tail: '</orders>\n' },
  '/gz': { head: gzipSync(header), block: gzipSync(each(rowOf)), tail: '' },
};

const server = createServer(async ({ url }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const { head, block, tail } = files[pathname];
  response.on('error', () => {});
  response.write(head);
  for (let left = Number(searchParams.get('blocks')); left > 0 && !response.destroyed; left--) {
    if (!response.write(block)) await once(response, 'drain');
  }
  response.end(tail);
});

server.listen(0, '127.0.0.1', () => {
  const size = (name) => files[name].block.length;
  process.send({ port: server.address().port, bytes: { csv: size('/csv'), xml: size('/xml') } });
});
process.on('disconnect', () => process.exit());
