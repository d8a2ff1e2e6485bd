// What careful scripts with popular packages look like: a line of JSON for each row or element, into a file.
//
//   node format.mjs KIND URL FILE
//
//   csv-parse    undici and csv-parse with the columns of the header, all rows that are ready at a time
//   sax, saxes   undici and events of the package, an object for each element, the lines of a chunk at a time
//
// All wait when the file stream requires it.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { request } from 'undici';

const [kind, url, target] = process.argv.slice(2);
const file = createWriteStream(target);
const { body } = await request(url);

async function write(text) {
  if (text !== '' && !file.write(text)) await once(file, 'drain');
}

/** Objects of the elements `order` in the root element; other elements are members of them. */
function orders() {
  const open = [];
  let lines = '';
  return {
    open({ name, attributes }) {
      const value = {};
      for (const [key, text] of Object.entries(attributes)) value[`@${key}`] = text;
      open.push({ name, value, text: '' });
    },
    text(text) {
      const element = open.at(-1);
      if (element !== undefined) element.text += text;
    },
    close() {
      const { name, value, text } = open.pop();
      const isObject = Object.keys(value).length > 0;
      if (isObject && text.trim() !== '') value['#text'] = text;
      if (open.length === 1) lines += `${JSON.stringify(value)}\n`;
      else if (open.length > 1) open.at(-1).value[name] = isObject ? value : text;
    },
    take() {
      const made = lines;
      lines = '';
      return made;
    },
  };
}

async function elements(parser) {
  const { take, ...handlers } = orders();
  const decoder = new StringDecoder();
  const feed = await parser(handlers);
  for await (const chunk of body) {
    feed.write(decoder.write(chunk));
    await write(take());
  }
  feed.close();
  await write(take());
}

const kinds = {
  async 'csv-parse'() {
    const { parse } = await import('csv-parse');
    const parser = body.pipe(parse({ columns: true }));
    const ended = once(parser, 'end');
    let isWaiting = false;
    const takeRows = () => {
      if (isWaiting) return;
      let lines = '';
      for (let row = parser.read(); row !== null; row = parser.read()) lines += `${JSON.stringify(row)}\n`;
      if (lines === '' || file.write(lines)) return;
      isWaiting = true;
      file.once('drain', () => {
        isWaiting = false;
        takeRows();
      });
    };
    parser.on('readable', takeRows);
    await ended;
  },
  sax: () =>
    elements(async ({ open, text, close }) => {
      const { default: sax } = await import('sax');
      return Object.assign(sax.parser(true), { onopentag: open, ontext: text, oncdata: text, onclosetag: close });
    }),
  saxes: () =>
    elements(async ({ open, text, close }) => {
      const { SaxesParser } = await import('saxes');
      const parser = new SaxesParser();
      for (const [event, handler] of Object.entries({ opentag: open, text, cdata: text, closetag: close })) {
        parser.on(event, handler);
      }
      return parser;
    }),
};

await kinds[kind]();
file.end();
await finished(file);
process.exit(0);
