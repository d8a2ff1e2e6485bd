/** Parses the value of a `Link` header. RFC 8288, section 3 and appendix B. */

export interface WebLink {
  readonly target: string;
  /** In lower case. */
  readonly relations: readonly string[];
  /** The link is from another resource than the response. */
  readonly isAnchored: boolean;
}

const start = /[\s,]*<([^>]*)>/y;
const parameter = /\s*;\s*([^\s=;,"<>]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/sy;
/** Text that is no parameter, up to the next parameter or link. */
const rubbish = /\s*;?[^;,]*/y;

/** Returns the links in order; unreadable text is skipped up to the next comma. */
export function parseLinks(header: string): readonly WebLink[] {
  const links: WebLink[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(header);
    if (found !== null && found[0] !== '') at += found[0].length;
    return found?.[0] === '' ? null : found;
  };

  while (at < header.length) {
    const [, target] = take(start) ?? [];
    const parameters = new Map<string, string>();
    for (let found = take(parameter); found !== null; found = take(parameter)) {
      const [, name = '', quoted, token = ''] = found;
      const key = name.toLowerCase();
      // The first of a repeated parameter counts.
      if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/gs, '$1') ?? token);
    }
    if (target !== undefined) links.push(linkOf(target, parameters));
    if (take(rubbish) === null && header[at] !== ',') at += 1;
    if (header[at] === ',') at += 1;
  }
  return links;
}

function linkOf(target: string, parameters: ReadonlyMap<string, string>): WebLink {
  const relations = (parameters.get('rel') ?? '').toLowerCase().split(/\s+/);
  return { target: target.trim(), relations, isAnchored: parameters.has('anchor') };
}
