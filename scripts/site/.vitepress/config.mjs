/** What VitePress makes of the pages: their navigation, their search and how Markdown is read. */
import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf, titleOf } from '../markdown.mjs';
import { decisionPages, examples, markdownPages, out, sitePath, staging } from '../pages.mjs';
import { address, manifest, textOf } from '../repository.mjs';

const linkOf = (path) => `/${sitePath(path).replace(/(?:index)?\.md$/, (end) => (end === '.md' ? '.html' : ''))}`;
const item = (path, text = titleOf(textOf(path))) => ({ text, link: linkOf(path) });
const matching = (pattern) => markdownPages.filter((path) => pattern.test(path));
const group = (text, items, link) => ({ text, ...(link && { link }), collapsed: true, items });

const chapters = matching(/^docs\/\d\d-/).map((path) => item(path));
const sinks = group(
  'Options of sinks',
  matching(/^docs\/reference\/sinks\//).map((path) => item(path)),
);
const reference = matching(/^docs\/reference\/[^/]+\.md$/)
  .filter((path) => !path.endsWith('README.md'))
  .map((path) => item(path));
const ofExamples = examples.map((each) => ({ text: posix.basename(each), link: `/${each}/` }));

/** The declarations of an entry point, by their kinds. */
function declarations(entry, text) {
  const folder = join(staging, 'api', entry);
  if (!existsSync(folder)) return [];
  const kinds = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory());
  const items = kinds.map(({ name: kind }) => {
    const names = readdirSync(join(folder, kind)).map((file) => posix.basename(file, '.md'));
    const links = names.sort().map((name) => ({ text: name, link: `/api/${entry}/${kind}/${name}.html` }));
    return group(
      kind.replace('-', ' ').replace(/^./, (first) => first.toUpperCase()),
      links,
    );
  });
  return [group(text, items, `/api/${entry}/`)];
}

const guide = {
  text: 'Guide',
  items: [item('docs/README.md', 'All chapters'), item('docs/tutorial.md', 'Tutorial'), ...chapters],
};
const link = (text, path) => ({ text, link: path });

/** Each page has the list of its section alone: the lists of names, examples and decisions are long. */
const sidebar = {
  '/api/': [
    link('API', '/api/'),
    ...declarations('rxtract', 'rxtract'),
    ...declarations('operators', 'rxtract/operators'),
    ...declarations('sinks', 'rxtract/sinks'),
  ],
  '/examples/': [{ text: 'Examples', link: linkOf('examples/README.md'), items: ofExamples }],
  '/docs/decisions/': [
    { text: 'Decisions', link: linkOf('docs/decisions/README.md'), items: decisionPages.map((path) => item(path)) },
  ],
  '/': [
    guide,
    {
      text: 'To look up',
      items: [
        group('Reference', [...reference, item('docs/errors.md'), sinks], linkOf('docs/reference/README.md')),
        link('API', '/api/'),
        link('Examples', linkOf('examples/README.md')),
      ],
    },
    {
      text: 'Project',
      items: [
        item('CHANGELOG.md'),
        item('SECURITY.md'),
        item('ARCHITECTURE.md'),
        item('CONTRIBUTING.md'),
        item('CODE_OF_CONDUCT.md'),
        item('docs/dependencies.md'),
        link('Decisions', linkOf('docs/decisions/README.md')),
        group(
          'Measurements',
          matching(/^bench\//).map((path) => item(path)),
        ),
      ],
    },
  ],
};

/** Markdown as GitHub reads it: anchors of headings, no attributes in braces, nothing for Vue in the text. */
const markdown = {
  html: false,
  attrs: { disable: true },
  anchor: { slugify: anchorOf },
  config(md) {
    md.core.ruler.disable('emoji');
    const text = md.renderer.rules.text;
    md.renderer.rules.text = (...given) => text(...given).replaceAll('{{', '&#123;&#123;');
  },
};

/** Pages of the guide come before records and declarations that have the same words. */
const boostDocument = (id) => (/\/(?:api|bench|decisions|CHANGELOG|\d{3}-)/.test(id) ? 0.4 : 1);

export default defineConfig({
  srcDir: staging,
  outDir: out,
  cacheDir: join(staging, '..', '.cache'),
  base: process.env.SITE_BASE ?? '/',
  title: manifest.name,
  description: manifest.description,
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${process.env.SITE_BASE ?? '/'}icon.svg` }]],
  markdown,
  themeConfig: {
    logo: '/icon.svg',
    nav: [
      { text: 'Guide', link: linkOf('docs/README.md'), activeMatch: '^/docs/(?!reference)' },
      { text: 'Reference', link: linkOf('docs/reference/README.md'), activeMatch: '^/docs/reference' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      { text: 'Examples', link: linkOf('examples/README.md'), activeMatch: '^/examples/' },
      { text: 'Repository', link: address },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument } } } },
  },
});
