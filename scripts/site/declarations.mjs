/** The declarations of the public names as pages, from the types of the sources and their docstrings. */
import { join, posix } from 'node:path';
import { Application, Comment, Converter, ReflectionKind, UnknownType } from 'typedoc';
import { MarkdownPageEvent } from 'typedoc-plugin-markdown';
import ts from 'typescript';
import { headingAt, titleOf } from './markdown.mjs';
import { decisionPages, sitePath } from './pages.mjs';
import { addressOf, root, textOf } from './repository.mjs';

/** The entry points of package.json, by their sources. */
const entries = { 'src/index.ts': 'rxtract', 'operators/index.ts': 'operators', 'sinks/index.ts': 'sinks' };

const options = {
  plugin: ['typedoc-plugin-markdown'],
  entryPoints: Object.keys(entries).map((path) => join(root, path)),
  tsconfig: join(root, 'tsconfig.json'),
  basePath: root,
  name: 'API',
  readme: 'none',
  // `npm run typecheck` has checked them.
  skipErrorChecking: true,
  excludeInternal: true,
  excludeExternals: true,
  excludePrivate: true,
  gitRevision: 'main',
  sourceLinkTemplate: addressOf('{path}#L{line}'),
  disableGit: true,
  validation: { notDocumented: true, notExported: false, invalidLink: true },
  requiredToBeDocumented: ['Variable', 'Function', 'Class', 'Interface', 'Property', 'Method', 'Accessor', 'TypeAlias'],
  treatValidationWarningsAsErrors: false,
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'list',
  typeDeclarationFormat: 'table',
  indexFormat: 'table',
};

/** Tables whose types would be as long as the tables: what they hold, in short. */
const tables = {
  sinks: 'Readonly<Record<string, SinkEntry>>',
  errorCodes: 'Readonly<Record<ErrorCode, { cause: string; remedy: string }>>',
};

/**
 * Writes a page for each public name into `folder`, and says which have no docstring. `find` of the result gives the
 * address of a name in code, seen from a page of the repository.
 */
export async function writeDeclarations(folder) {
  const app = await Application.bootstrapWithPlugins(options);
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, addSummary);
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => shortenTables(project));
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => forgetTables(project));
  const pages = new Map();
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    if (page.model.kindOf?.(ReflectionKind.SomeExport)) pages.set(page.model, `api/${page.url}`);
    // Headings have anchors of their own; HTML would be shown as text.
    page.contents = withCitations(page.contents.replace(/<a id="[^"]*"><\/a> ?/g, ''), `api/${page.url}`);
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('typedoc has read no declarations');
  for (const module of project.children) module.name = entries[posix.join(module.sources[0].fileName)] ?? module.name;
  app.validate(project);
  app.options.setValue('out', folder);
  await app.generateOutputs(project);
  return { pages: pages.size, find: finder(pages) };
}

/** An option whose row has a summary is documented by it: rows are the source of help and reference too. */
function addSummary(context, reflection) {
  if (reflection.comment !== undefined || !reflection.kindOf(ReflectionKind.Property)) return;
  const declared = context.getSymbolFromReflection(reflection)?.declarations ?? [];
  const row = declared.map((each) => each.initializer).find((each) => each && ts.isObjectLiteralExpression(each));
  const summary = textIn(row, 'summary');
  if (summary === undefined) return;
  const otherwise = textIn(row, 'otherwise') ?? textIn(row, 'default');
  const rest = otherwise === undefined ? '' : ` Default: ${otherwise}.`;
  const text = `${summary[0].toUpperCase()}${summary.slice(1)}.${rest}`;
  // Its links are those of a chapter.
  reflection.comment = new Comment([{ kind: 'text', text: text.replace(/\]\((?![a-z]+:)/g, '](docs/') }]);
}

/** The text of a member; a number or a word is its code. */
function textIn(row, name) {
  const member = row?.properties.find((each) => each.name?.getText() === name)?.initializer;
  if (member === undefined) return undefined;
  return name !== 'default' && ts.isStringLiteralLike(member) ? member.text : `\`${member.getText()}\``;
}

function shortenTables(project) {
  for (const each of project.getReflectionsByKind(ReflectionKind.Variable)) {
    if (tables[each.name] === undefined || each.type?.type !== 'reflection') continue;
    project.removeReflection(each.type.declaration);
    each.type = new UnknownType(tables[each.name]);
  }
}

/** Types that are made of tables of rows have no page: nothing says that it inherits from them. */
function forgetTables(project) {
  for (const each of Object.values(project.reflections)) {
    if (each.inheritedFrom && !each.inheritedFrom.reflection) each.inheritedFrom = undefined;
    each.signatures?.forEach((signature) => {
      if (signature.inheritedFrom && !signature.inheritedFrom.reflection) signature.inheritedFrom = undefined;
    });
    each.extendedTypes = each.extendedTypes?.filter(({ type, reflection }) => type !== 'reference' || reflection);
  }
}

/** Chapters and decisions that a docstring cites become links; those of links lead to the pages of the site. */
function withCitations(text, page) {
  return text.replace(/(\]\()?(?<![\w./-])docs\/[\w./-]*\w(?:#[\w-]+)?/g, (match, link = '') => {
    const cited = match.slice(link.length);
    const [path, anchor] = cited.split('#');
    const number = /^docs\/decisions\/(\d{3})$/.exec(path)?.[1];
    const file = number ? decisionPages.find((each) => each.startsWith(`docs/decisions/${number}-`)) : path;
    if (!file.endsWith('.md')) return `[${cited}](${addressOf(file)})`;
    const target = textOf(file);
    const heading = anchor === undefined ? titleOf(target) : headingAt(target, anchor);
    const address = posix.relative(posix.dirname(page), sitePath(file)) + (anchor === undefined ? '' : `#${anchor}`);
    if (link !== '') return `](${address}`;
    return `[${heading}](${address})`;
  });
}

/** The first entry point that has the name wins; chapter 11 is about operators. */
function finder(pages) {
  const all = [...pages].map(([{ name, kind }, path]) => ({ name, kind, path }));
  return (code, page) => {
    const [, name, called] = /^(\w+)(\(.*\))?$/.exec(code) ?? [];
    const isType = /^[A-Z]/.test(name ?? '');
    const inOperators = page.startsWith('docs/11-');
    if (!isType && called === undefined && !inOperators) return undefined;
    const found = all.filter((each) => each.name === name);
    const own = found.find(({ path }) => path.startsWith('api/operators/') === inOperators) ?? found[0];
    return own && posix.relative(posix.dirname(page), own.path);
  };
}
