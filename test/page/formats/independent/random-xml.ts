/** Random documents of XML, written in random ways. The seed decides everything. */
import { numbersFrom } from '../random-csv.js';

const names = ['a', 'b', 'Item', 'x1', 'n:a', 'n:b', 'm:c', 'é', '漢', '_u', 'a.b-c'];
const letters = [...'abcXYZ019 .,;:/\\|"\'{}[]=é漢\u{1f600}\u2028\u00a0', '\n', '\t', ' '];
const references = ['&amp;', '&lt;', '&gt;', '&quot;', '&apos;', '&#233;', '&#x1F600;', '&#10;', '&#13;', '&#9;'];

export interface RandomXml {
  readonly text: string;
  readonly element: string;
}

export function randomXml(seed: number): RandomXml {
  const next = numbersFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T; // lists are not empty
  const many = (most: number, one: () => string) => Array.from({ length: next(most + 1) }, one).join('');
  const space = () => many(2, () => pick([' ', '\n', '\r\n', '\t']));
  const plain = () => many(8, () => pick(letters));
  const lineEnd = () => pick(['', '', '', '\r\n', '\r']);
  const cdata = () => `<![CDATA[${plain()}<&]]${lineEnd()}]]>`;
  const aside = () => pick([`<!-- ${plain().replaceAll('-', '+')} -->`, `<?p ${plain().replaceAll('?', '!')}?>`]);
  const characters = () => many(4, () => pick([plain, plain, () => pick(references), cdata, aside, lineEnd])());
  const attribute = (name: string) => {
    const quote = pick(['"', "'"]);
    const value = many(6, () => pick([...letters, ...references, '>', '\r\n'])).replaceAll(quote, '');
    return `${pick([' ', '\n', ' \t'])}${name}${space()}=${space()}${quote}${value}${quote}`;
  };
  const attributes = () => [...new Set(Array.from({ length: next(3) }, () => pick(names)))].map(attribute).join('');
  const element = (name: string, depth: number): string => {
    const begin = `${name}${attributes()}${space()}`;
    if (next(5) === 0) return `<${begin}/>`;
    return `<${begin}>${content(depth)}</${name}${space()}>`;
  };
  const content = (depth: number): string => {
    const kind = depth === 0 ? 0 : next(4);
    if (kind === 0) return characters();
    if (kind === 1)
      return many(4, () => `${pick([characters, space])()}${element(pick(names), depth - 1)}`) + characters();
    return many(5, () => `${space()}${pick(['', '', aside()])}${element(pick(names), depth - 1)}`) + space();
  };
  const items = many(6, () => `${space()}${element(pick(['row', 'row', 'row', 'other']), 3)}`);
  const head = pick(['', '', '<?xml version="1.0"?>', "<?xml version='1.0' encoding='UTF-8'?>\n", '\ufeff']);
  const before = head === '' ? '' : many(1, aside);
  return {
    text: `${head}${before}<root xmlns:n="urn:n" xmlns:m="urn:m"${attribute('z')}>${items}${space()}</root>${space()}${many(1, aside)}`,
    element: 'root.row',
  };
}
