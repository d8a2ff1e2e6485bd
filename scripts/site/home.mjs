/** The first page: README.md below a title with the ways to go on. */
import { manifest } from './repository.mjs';

const ways = [
  ['Tutorial', 'docs/tutorial.md', 'brand'],
  ['Install', 'docs/17-installing.md', 'alt'],
  ['Chapters', 'docs/README.md', 'alt'],
  ['Reference', 'docs/reference/README.md', 'alt'],
];

/** README without its title and badges, and without the list of chapters, which the navigation has. */
export function homePage(readme) {
  const body = readme
    .replace(/^# .*\n/, '')
    .replace(/^## Documentation\n[\s\S]*$/m, '')
    .trim();
  const [lead, ...rest] = body.split(/\n\n/);
  const actions = ways.flatMap(([text, path, theme]) => [
    `    - theme: ${theme}`,
    `      text: ${text}`,
    `      link: /${path.replace(/README\.md$/, '').replace(/\.md$/, '.html')}`,
  ]);
  const front = ['---', 'layout: home', 'hero:', `  name: ${manifest.name}`];
  front.push(`  tagline: ${JSON.stringify(lead.replaceAll('\n', ' '))}`, '  actions:', ...actions, '---', '');
  return [...front, rest.join('\n\n'), ''].join('\n');
}
