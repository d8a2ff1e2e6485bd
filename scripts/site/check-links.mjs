/** Checks the built site: each link leads to a file and an anchor that are there, and no page loads from elsewhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseHTML } from 'linkedom';

const external = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;
/** What a page loads by itself; a link is followed by its reader. */
const loading = 'script[src], link[href], img[src], source[srcset], iframe[src], video[src], audio[src]';

/** What is wrong with the files below `folder`, which are served under `base`. */
export function faultsOf(folder, base) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => posix.relative(folder, posix.join(each.parentPath ?? each.path, each.name)));
  const files = new Set(paths);
  const pages = new Map(
    paths
      .filter((path) => path.endsWith('.html'))
      .map((path) => [path, readPage(readFileSync(join(folder, path), 'utf8'))]),
  );
  const sheets = paths.filter((path) => path.endsWith('.css')).flatMap((path) => foreignUrls(folder, path));
  return [...sheets, ...[...pages].flatMap(([path, page]) => faultsIn(path, page, { files, pages, base }))];
}

function readPage(html) {
  const { document } = parseHTML(html);
  const given = (selector, name) => [...document.querySelectorAll(selector)].map((each) => each.getAttribute(name));
  return {
    anchors: new Set(given('[id]', 'id')),
    links: given('a[href]', 'href'),
    loaded: [...document.querySelectorAll(loading)].map(
      (each) => each.getAttribute('src') ?? each.getAttribute('href') ?? each.getAttribute('srcset'),
    ),
  };
}

function faultsIn(path, { links, loaded }, site) {
  const foreign = loaded.filter((each) => external.test(each) && !each.startsWith('data:'));
  const internal = [...links, ...loaded].filter((each) => !external.test(each));
  return [
    ...foreign.map((each) => `${path}: loads ${each}`),
    ...internal.flatMap((each) => faultOfLink(each, path, site) ?? []),
  ];
}

function faultOfLink(link, from, { files, pages, base }) {
  const [, target, anchor] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(link);
  if (target.startsWith('/') && !target.startsWith(base)) return `${from}: ${link}: is not below ${base}`;
  const path = target.startsWith('/') ? target.slice(base.length) : posix.join(posix.dirname(from), target);
  const file = target === '' ? from : decodeURI(path === '' || path.endsWith('/') ? `${path}index.html` : path);
  if (!files.has(file)) return `${from}: ${link}: there is no such file`;
  if (anchor === undefined || anchor === '' || !pages.has(file)) return undefined;
  return pages.get(file).anchors.has(decodeURIComponent(anchor))
    ? undefined
    : `${from}: ${link}: there is no such heading`;
}

const foreignUrls = (folder, path) =>
  [...readFileSync(join(folder, path), 'utf8').matchAll(/url\(["']?([^"')]+)|@import\s+["']([^"']+)/g)]
    .map(([, address, imported]) => address ?? imported)
    .filter((each) => external.test(each) && !each.startsWith('data:'))
    .map((each) => `${path}: loads ${each}`);
