/** The pages of the site, made from the Markdown of the repository. Their paths are those of the repository. */
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { homePage } from './home.mjs';
import { anchorOf, linkCode, mapProse, titleOf } from './markdown.mjs';
import { addressOf, root, textOf } from './repository.mjs';

/** Markdown that VitePress reads. It is below this folder, so that Vue is found, which pages import. */
export const staging = join(root, 'scripts', 'site', '.pages');
export const out = join(root, 'build', 'site');

const alone = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'SECURITY.md'];
/** Files that are served as they are: editors and programs read them. */
const served = ['schema.json', 'log.schema.json', 'certificate.schema.json'];
/** Chapters about code: the names in them lead to their declarations. */
const aboutCode = /^docs\/(?:08|09|11)-/;

const below = (folder, pattern) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((path) => `${folder}/${String(path).replaceAll('\\', '/')}`)
    .filter((path) => pattern.test(path))
    .sort();

/** Examples, each of a rule: the folder is a page. The catalog of APIs is a page of the reference. */
export const examples = below('examples', /^examples\/\d{3}-[^/]+\/README\.md$/).map(dirname);
const pictures = ['docs/images', 'bench/results'];

/** The pages that are there as Markdown. */
export const markdownPages = [
  ...alone,
  ...below('docs', /\.md$/),
  ...below('bench', /^bench\/[^/]+\.md$/),
  'examples/README.md',
];

export const decisionPages = markdownPages.filter((path) => path.startsWith('docs/decisions/'));
const decisions = 'docs/decisions/README.md';

/** Where a page of the repository is in the site. */
export const sitePath = (path) => path.replace(/README\.md$/, 'index.md');

/** Writes all pages and their pictures; the number of pages. */
export function writePages(declarations) {
  const pages = new Map([
    ...markdownPages.map((path) => [path, path === 'README.md' ? homePage(textOf(path)) : textOf(path)]),
    ...examples.map((folder) => [`${folder}/README.md`, examplePage(folder)]),
    [decisions, decisionsPage()],
  ]);
  for (const [path, text] of pages) {
    const chapter = aboutCode.test(path) ? linkCode(text, (code) => declarations.find(code, path)) : text;
    writePage(
      path,
      mapProse(chapter, (prose) => withLinks(prose, path, pages)),
    );
  }
  for (const path of pictures.flatMap((folder) => below(folder, /\.(?:svg|png)$/))) {
    cpSync(join(root, path), join(staging, path));
  }
  const assets = join(staging, 'public');
  cpSync(new URL('public', import.meta.url), assets, { recursive: true });
  for (const name of served) cpSync(join(root, name), join(assets, name));
  return pages.size;
}

function writePage(path, text) {
  const file = join(staging, sitePath(path));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Without what only the repository shows, and with links to pages, to files that are served, or to the repository. */
function withLinks(prose, path, pages) {
  return prose
    .replace(/<!--[\s\S]*?-->\n*/g, '')
    .replace(/^!\[[^\]]*\]\(https:[^)]*\)\n/gm, '')
    .replace(/\]\(([^)\s]+)\)/g, (link, target) =>
      /^[a-z]+:/.test(target) ? link : `](${resolve(target, path, pages)})`,
    );
}

function resolve(link, from, pages) {
  const [target = '', anchor] = link.split('#');
  const at = anchor === undefined ? '' : `#${anchor}`;
  if (target === '') return link;
  const path = posix.join(posix.dirname(from), target).replace(/\/$/, '');
  const relative = (page) => posix.relative(posix.dirname(from), sitePath(page)) + at;
  if (pages.has(path)) return relative(path);
  if (pages.has(`${path}/README.md`)) return relative(`${path}/README.md`);
  if (served.includes(path)) return `/${path}`;
  // Declarations are pages too, which are written before.
  if (/^api\//.test(path) || (pictures.includes(posix.dirname(path)) && /\.(?:svg|png)$/.test(path))) return link;
  const [example, file] = /^(examples\/[^/]+)\/(.+)$/.exec(path)?.slice(1) ?? [];
  if (pages.has(`${example}/README.md`) && shownFiles(example).includes(file)) {
    return `${relative(`${example}/README.md`)}#${anchorOf(file)}`;
  }
  if (!existsSync(join(root, path))) throw new Error(`${from}: ${link}: there is no such file`);
  return addressOf(path) + at;
}

/** The files of an example, in the order in which they are read. */
function shownFiles(folder) {
  const first = ['config.json', 'environment.json', 'exchange.json'];
  const rest = below(folder, /\.(?:ndjson|json|csv)$/)
    .map((path) => path.slice(folder.length + 1))
    .filter((path) => !first.includes(path) && (path.startsWith('expected/') || !path.includes('/')));
  return [...first.filter((name) => existsSync(join(root, folder, name))), ...rest];
}

const about = {
  'config.json': 'The configuration.',
  'environment.json': 'The environment variables.',
  'exchange.json': 'The requests in order, with the responses of the API.',
};

function examplePage(folder) {
  const name = posix.basename(folder);
  const files = shownFiles(folder).map((file) => {
    const text = textOf(`${folder}/${file}`).trimEnd();
    const kind = file.endsWith('.csv') ? 'csv' : 'json';
    return `## ${file}\n\n${about[file] ?? 'What the run writes.'}\n\n\`\`\`\`${kind}\n${text}\n\`\`\`\``;
  });
  return [
    `# ${name}`,
    textOf(`${folder}/README.md`).trim(),
    `\`\`\`\nnpm run example ${name}\n\`\`\``,
    ...files,
    '',
  ].join('\n\n');
}

function decisionsPage() {
  const list = decisionPages.map((path) => `- [${titleOf(textOf(path))}](${posix.basename(path)})`);
  return ['# Decisions', 'What needed an argument: context, choice and price of each.', list.join('\n'), ''].join(
    '\n\n',
  );
}
