/** XML against lxml, or against expat where that is not installed: their documents by the mapping of chapter 14. */
import * as assert from 'uvu/assert';
import { readFormat, valuesOf } from '../format-run.js';
import { inPython, seedsFrom, sizesFor } from './python.js';
import { randomXml } from './random-xml.js';

/** An element is a name, attributes, and parts: texts and elements. */
const mapping = `
def is_blank(text): return all(c in ' \\t\\r\\n' for c in text)
def merged(parts):
    made = []
    for part in parts:
        if isinstance(part, str) and made and isinstance(made[-1], str): made[-1] += part
        elif part != '': made.append(part)
    return made
def value(element, is_item):
    name, attributes, parts = element
    parts = merged(parts)
    found = {'@' + key: text for key, text in attributes}
    elements = [part for part in parts if not isinstance(part, str)]
    text = ''.join(part for part in parts if isinstance(part, str))
    if not elements:
        if not found and not is_item: return text
        if text != '': found['#text'] = text
    elif any(isinstance(part, str) and not is_blank(part) for part in parts):
        found['#content'] = [part if isinstance(part, str) else {part[0]: value(part, False)} for part in parts]
    else:
        for part in elements:
            one = value(part, False)
            if part[0] not in found: found[part[0]] = (one,)
            else: found[part[0]] += (one,)
        found = {key: (each[0] if len(each) == 1 else list(each)) if isinstance(each, tuple) else each for key, each in found.items()}
    return found
def items(root): return [value(part, True) for part in root[2] if not isinstance(part, str) and part[0] == 'row']
`;

const byLxml = `
from lxml import etree
${mapping}
parser = etree.XMLParser(resolve_entities=False, strip_cdata=True, huge_tree=True)
def name_of(key, spaces):
    if key[0] != '{': return key
    uri, local = key[1:].split('}')
    return next(prefix for prefix, each in spaces.items() if each == uri) + ':' + local
def tree(node, above):
    declared = [('xmlns:' + key, uri) for key, uri in node.nsmap.items() if above.get(key) != uri]
    attributes = declared + [(name_of(key, node.nsmap), text) for key, text in node.attrib.items()]
    parts = [node.text or '']
    for child in node:
        if isinstance(child.tag, str): parts.append(tree(child, node.nsmap))
        parts.append(child.tail or '')
    return (name_of(node.tag, node.nsmap), attributes, parts)
def each(text): return items(tree(etree.fromstring(text.encode(), parser), {}))
`;

const byExpat = `
from xml.parsers import expat
${mapping}
def each(text):
    parser = expat.ParserCreate()
    parser.ordered_attributes = True
    stack = [('', [], [])]
    def start(name, pairs):
        one = (name, list(zip(pairs[::2], pairs[1::2])), [])
        stack[-1][2].append(one)
        stack.append(one)
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: stack.pop()
    parser.CharacterDataHandler = lambda text: stack[-1][2].append(text)
    parser.Parse(text.encode(), True)
    return items(stack[0][2][0])
`;

export const xmlReaders = { lxml: byLxml, 'xml.parsers.expat': byExpat };

/** Throws for the first seed of so many with another result. */
export function xmlTrips(program: string, first: number, count: number): void {
  const cases = seedsFrom(first, count).map((seed) => ({ seed, ...randomXml(seed) }));
  const results = inPython(
    program,
    cases.map(({ text }) => text),
  );
  for (const [at, { seed, text, element }] of cases.entries()) {
    for (const size of sizesFor(seed, text.length)) {
      const found = valuesOf(readFormat(text, { response: { format: 'xml', element }, size }));
      assert.equal(found, results[at], `seed ${seed}, chunks of ${size}: ${text}`);
    }
  }
}
