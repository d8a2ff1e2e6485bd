/**
 * Writes every page that is made of the program's own tables: `npm run docs`. A test fails when one of them is stale.
 * The pages are docs/reference/, docs/errors.md, examples/README.md, log.schema.json and, for editors, schema.json
 * and src/config/configuration.ts; for the command, src/tools/catalog/entries.ts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { topicNames } from '../src/config/reference/names.js';
import { topics } from '../src/config/reference/topics.js';
import { schemaText } from '../src/config/schema/text.js';
import { logSchemaText } from '../src/tools/log/events.js';
import { catalogModule, catalogPage, readCatalog } from './catalog.js';
import { examplesOf, readExamples, type Shown } from './examples.js';
import { document, indexPage, sinkPage, topicPage } from './markdown.js';
import { chapterWithTables } from './option-tables.js';
import { configurationTypes } from './types/configuration.js';

/** Each page by its path from the root of the repository. */
export function generatedPages(): ReadonlyMap<string, string> {
  const examples = readExamples();
  const catalog = readCatalog();
  const pages = topicNames.map((topic) => {
    const linked = (entry: string) =>
      examplesOf(topic, entry, examples).map(({ name }) => ({ name, target: `../../examples/${name}/config.json` }));
    const path = topic === 'errors' ? 'docs/errors.md' : `docs/reference/${topic}.md`;
    return [path, topicPage(topic, linked)] as const;
  });
  const sinkPages = topics.sinks.entries.map(
    (sink) => [`docs/reference/sinks/${sink.name}.md`, sinkPage(sink)] as const,
  );
  const chapters = ['docs/05-command-line.md', 'docs/08-in-code.md', 'docs/20-watching.md'].map(
    (path) => [path, chapterWithTables(path)] as const,
  );
  return new Map([
    ...pages,
    ...chapters,
    ...sinkPages,
    ['docs/reference/README.md', indexPage()],
    ['docs/reference/catalog.md', document(catalogPage(catalog))],
    ['src/tools/catalog/entries.ts', catalogModule(catalog)],
    ['examples/README.md', examplesPage(examples)],
    ['schema.json', schemaText()],
    ['log.schema.json', logSchemaText()],
    ['src/config/configuration.ts', configurationTypes()],
  ]);
}

function examplesPage(examples: readonly Shown[]): string {
  const rows = examples.map(({ name, shows }) => `| [${name}](${name}/config.json) | ${shows} |`);
  return document([
    '# Examples',
    'Each directory is one rule of the configuration language, documentation and test at once:',
    [
      '- `config.json`: the configuration for `rxtract run`; the API is at `http://localhost:8080/`.',
      '- `environment.json`: environment variables, if the configuration refers to any.',
      '- `exchange.json`: the requests in order, with the responses of the API. Targets and bodies are exact to the byte; only some headers are listed.',
      '- `expected/`: the files that the run writes, one for each data type.',
      '- `README.md`: the rule in one line. `npm run docs` creates the list below from these lines.',
    ].join('\n'),
    ['| Example | Shows |', '|---|---|', ...rows].join('\n'),
    '`npm run example 036-children` runs one of them: it serves the responses in `exchange.json`, runs the command on `config.json`, and shows the requests and the output\n([example.mjs](example.mjs)). A part of the name is enough; without a name all are listed.',
    '`npm start` starts a small API ([sample-api.mjs](sample-api.mjs)), runs [sample-users.json](sample-users.json) and\n[sample-events.json](sample-events.json) against it into `out/`, and shows the output.\n`node examples/sample-api.mjs` serves it until Ctrl-C, as [the tutorial](../docs/tutorial.md) needs it.',
    ...apisSection(),
  ]);
}

function apisSection(): readonly string[] {
  return [
    '## Real APIs',
    'Each directory of [apis](apis/) is a configuration to start from: [the catalogue](../docs/reference/catalog.md) lists them with their login, pages, limits, and what is not proven. `rxtract init --like stripe` [writes one](../docs/05-command-line.md#like-a-known-api) as `config.json`.',
    'In the repository each has a `recording.jsonl` of made-up responses in the form of the documentation, so that you can try it without an account, and `expected/` for `rxtract test examples/apis`:',
    '```\nrxtract run examples/apis/stripe/config.json --replay examples/apis/stripe/recording.jsonl\n```',
    'Tokens come from [the environment](../docs/01-configuration.md#values-of-the-environment). The rest is at the top of `config`: change it there, or by [`--set`](../docs/05-command-line.md#changing-single-values), as in `--set config.shop=my-shop`. In a\n[data folder](../docs/05-command-line.md#a-data-folder) later runs request [only what is new](../docs/10-recipes.md#only-what-is-new-every-night).',
  ];
}

const root = new URL('../', import.meta.url);
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(new URL('docs/reference/sinks/', root), { recursive: true });
  for (const [path, content] of generatedPages()) writeFileSync(new URL(path, root), content);
}
