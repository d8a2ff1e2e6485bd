/** What `rxtract init` may copy from a request into a file: all but what looks like a credential. */

import { looksSecret } from '../../core/secrets/looks-secret.js';
import { looksRandom } from '../../core/secrets/random-text.js';

/**
 * Whether a text of a JSON body may be copied: a GraphQL document with words and small numbers, whose arguments have no
 * name of a credential, or another text that does not look like one.
 */
export function isHarmlessText(name: string, text: string): boolean {
  return isGraphQl(name, text) ? isHarmlessGraphQl(text) : !looksSecret(name, text);
}

const isGraphQl = (name: string, text: string): boolean =>
  name === 'query' && /^\s*(?:#[^\n]*\n\s*)*(?:query\b|\{|fragment\b)/.test(text);

/** Its names are part of the API. A number of more than 6 digits may be a secret. */
function isHarmlessGraphQl(text: string): boolean {
  const [code, texts] = [text.replaceAll(stringInGraphQl, ' '), text.match(stringInGraphQl) ?? []];
  const values = [...text.matchAll(argumentOfGraphQl)];
  if (values.some(([, name = '', value = '']) => looksSecret(name, value))) return false;
  return ![...texts, ...(code.match(/[\w-]+/g) ?? [])].some((each) => /\d{7}/.test(each) || looksRandom(each));
}

const stringInGraphQl = /"""[\s\S]*?"""|"(?:[^"\\]|\\.)*"/g;
const argumentOfGraphQl = /\b(\w+)\s*:\s*"([^"\\]*)"/g;

/** Whether a segment of a path may be copied: words, and numbers such as those of an account. */
export const isHarmlessSegment = (segment: string): boolean => !looksRandom(segment);
