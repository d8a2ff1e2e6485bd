/**
 * Writes every page that is made of the program's own tables: `npm run docs`. A test fails when one of them is stale.
 * The pages are docs/reference/, docs/errors.md, examples/README.md and, for editors, schema.json and
 * src/config/configuration.ts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { topicNames } from '../src/config/reference/names.js';
import { schemaText } from '../src/config/schema/text.js';
import { examplesOf, readExamples, type Shown } from './examples.js';
import { document, indexPage, topicPage } from './markdown.js';
import { configurationTypes } from './types/configuration.js';

/** Each page by its path from the root of the repository. */
export function generatedPages(): ReadonlyMap<string, string> {
  const examples = readExamples();
  const pages = topicNames.map((topic) => {
    const linked = (entry: string) =>
      examplesOf(topic, entry, examples).map(({ name }) => ({ name, target: `../../examples/${name}/config.json` }));
    const path = topic === 'errors' ? 'docs/errors.md' : `docs/reference/${topic}.md`;
    return [path, topicPage(topic, linked)] as const;
  });
  return new Map([
    ...pages,
    ['docs/reference/README.md', indexPage()],
    ['examples/README.md', examplesPage(examples)],
    ['schema.json', schemaText()],
    ['src/config/configuration.ts', configurationTypes()],
  ]);
}

function examplesPage(examples: readonly Shown[]): string {
  const rows = examples.map(({ name, shows }) => `| [${name}](${name}/config.json) | ${shows} |`);
  return document([
    '# Examples',
    'Each directory is one rule of the configuration language, documentation and test at once:',
    [
      '- `config.json`: what to give to `rxtract run`; the API stands at `http://localhost:8080/`.',
      '- `environment.json`: variables of the environment, where the configuration refers to any.',
      "- `exchange.json`: the requests that go out, in order, with the API's replies. Targets and bodies are to the byte; of the headers, those named.",
      '- `expected/`: the files that come out, one a data type.',
      '- `README.md`: what it shows. This list is made of them by `npm run docs`.',
    ].join('\n'),
    ['| Example | Shows |', '|---|---|', ...rows].join('\n'),
    '`npm run example 036-children` runs one of them: it stands in for the API with what `exchange.json` says, runs the command on `config.json`, and shows what was asked and what came\n([example.mjs](example.mjs)). A part of the name will do; without one all are listed.',
    '`npm start` pulls a small API of its own ([sample-api.mjs](sample-api.mjs)) with [sample-users.json](sample-users.json) and\n[sample-events.json](sample-events.json) into `out/`, and shows what came.',
  ]);
}

const root = new URL('../', import.meta.url);
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(new URL('docs/reference/', root), { recursive: true });
  for (const [path, content] of generatedPages()) writeFileSync(new URL(path, root), content);
}
