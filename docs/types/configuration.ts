/**
 * The types of configurations as the text of `src/config/configuration.ts`, made of the JSON Schema and the registries
 * it is made of.
 */
import { authentications } from '../../src/auth/registry.js';
import { parametersFields } from '../../src/config/config-fields.js';
import { configurationSchema } from '../../src/config/schema/configuration-schema.js';
import { sentence } from '../../src/config/schema/descriptions.js';
import { requiredOf } from '../../src/config/schema/members.js';
import { isSchema, type JsonSchema } from '../../src/core/options/json-schema.js';
import type { Argument, ExpressionFunction } from '../../src/language/expression/function.js';
import { references } from '../../src/language/expression/references.js';
import { functions } from '../../src/language/expression/registry.js';
import { paginators } from '../../src/pagination/registry.js';
import { comment, commentOf, indented, membersOf } from './write.js';

/** The module, its types in the order in which a reader meets them. */
export function configurationTypes(): string {
  const { definitions, ...document } = configurationSchema();
  const parts = isSchema(definitions) ? definitions : {};
  const blocks = [
    head,
    ...documentTypes(document, parts),
    ...sectionTypes(parts),
    ...choice(parts, { definition: 'pagination', key: 'method', registry: paginators }),
    ...choice(parts, { definition: 'authentication', key: 'type', registry: authentications }),
    referenceNames(),
    calls(),
    values,
  ];
  return `${blocks.join('\n\n')}\n`;
}

const head = `/**
 * The type of configurations, made of the tables that they are read by: \`npm run docs\`. Each key says what the
 * reference says of it. A type has the plain form of each value; \`parseConfiguration\` takes every form that the
 * language has.
 */
import type { ExactNumber } from '../core/json/exact.js';`;

/** Sections that stand alone have the last step of their path for a name, or one that says more. */
const sectionNames: Readonly<Record<string, string>> = {
  'config.jobs': 'JobSection',
  'authorization.oauth_api.credentials': 'OAuthCredentials',
};

const generic: Readonly<Record<string, string>> = {
  evaluated: 'Evaluated',
  expression: 'Expression',
  expressions: 'Expressions',
  headers: 'EvaluatedHeaders',
};

const own: Readonly<Record<string, string>> = {
  empty: 'null',
  variable: 'Variable',
  headers: 'Headers',
  header: 'HeaderValue',
  iteration: 'IterationSection',
  parameters: 'Parameters',
  pagination: 'Pagination',
  authentication: 'Authentication',
  'call.placeholders': 'PlaceholderCall',
};

/** The type of a definition of the schema. */
function nameOf(definition: string): string {
  const [use = '', ...set] = definition.split('.');
  const type = generic[use];
  const isSet = set.length > 0 && set.every((name) => Object.hasOwn(references, name));
  if (type !== undefined && isSet) return `${type}<${set.map((name) => `'${name}'`).join(' | ')}>`;
  return own[definition] ?? sectionNames[definition] ?? `${pascal(definition)}Section`;
}

const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z\d]+/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');

interface Interface {
  readonly name: string;
  /** What it extends: a name, or several. */
  readonly extended?: string;
  readonly said: string;
  readonly members: string;
  /** Shown to users of the package. */
  readonly shown?: boolean;
}

function interfaceOf({ name, extended, said, members }: Interface): string {
  const above = extended === undefined ? '' : ` extends ${extended}`;
  return `${said}export interface ${name}${above} {\n${indented(members)}\n}`;
}

const listed = (name: string): string => `readonly ${name}[]`;

/**
 * The document with \`api\` and \`config\` at its top or under \`parameters\`, jobs in \`config\` or in each iteration.
 * Where several types fit as well, the compiler's message is about the last one, by declaration or by name: the most
 * common form is the last by both.
 */
function documentTypes(document: JsonSchema, parts: JsonSchema): readonly string[] {
  const surroundings = membersOf(document, nameOf, [...Object.keys(parametersFields), 'parameters']);
  const inPlace = 'readonly parameters?: null | undefined;';
  const inParameters = ['readonly parameters: Parameters;', 'readonly api?: undefined;'];
  const { parameters: wrapped = {} } = propertiesOf(document);
  return [
    `${comment(document)}export type Configuration = ConfigurationInParameters | ConfigurationOfIterations | ConfigurationOfJobs;`,
    interfaceOf({
      name: 'ConfigurationInParameters',
      extended: 'Surroundings',
      said: commentOf('`api` and `config` are under `parameters`.'),
      members: `${comment(wrapped)}${inParameters.join('\n')}`,
    }),
    interfaceOf({
      name: 'ConfigurationOfIterations',
      extended: 'Iterated, Surroundings',
      said: commentOf('`api` and `config` are at the top, and each iteration has its jobs.'),
      members: inPlace,
    }),
    interfaceOf({
      name: 'ConfigurationOfJobs',
      extended: 'Once, Surroundings',
      said: commentOf('`api` and `config` are at the top, and the jobs are in `config`.'),
      members: inPlace,
    }),
    interfaceOf({ name: 'Surroundings', said: commentOf('What may stand beside.'), members: surroundings }),
    ...parametersTypes(parts),
  ];
}

/** What is under `parameters` or at the top: jobs in `config` or in each iteration. */
function parametersTypes(parts: JsonSchema): readonly string[] {
  const parameters = { ...partOf(parts, 'parameters'), required: requiredOf(parametersFields) };
  const foundation = membersOf(parameters, nameOf, ['config', 'iterations']);
  const { config = {}, iterations = {} } = propertiesOf(parameters);
  const member = (schema: JsonSchema, text: string) => `${comment(schema)}readonly ${text};`;
  const once = [
    member(config, 'config: ConfigSection'),
    member(iterations, `iterations?: ${listed('IterationSection')} | null | undefined`),
  ];
  const laid = [
    member(config, 'config: IterationSection'),
    member(iterations, `iterations: ${listed('ConfigSection')}`),
  ];
  return [
    `${commentOf('What is requested, and how.')}export type Parameters = Iterated | Once;`,
    interfaceOf({ name: 'Shared', said: commentOf('What holds for all jobs.'), members: foundation }),
    interfaceOf({
      name: 'Once',
      extended: 'Shared',
      said: commentOf('The jobs are in `config`.'),
      members: once.join('\n'),
    }),
    interfaceOf({
      name: 'Iterated',
      extended: 'Shared',
      said: commentOf('Each iteration has its jobs.'),
      members: laid.join('\n'),
    }),
  ];
}

const partOf = (parts: JsonSchema, name: string): JsonSchema => {
  const part = parts[name];
  if (isSchema(part)) return part;
  throw new Error(`the schema defines no "${name}"`);
};

const propertiesOf = ({ properties }: JsonSchema): { readonly [name: string]: JsonSchema } =>
  Object.fromEntries(
    Object.entries(isSchema(properties) ? properties : {}).flatMap(([key, each]) =>
      isSchema(each) ? [[key, each] as const] : [],
    ),
  );

/** A type for each section but the document; `config` has two, as an iteration may leave out its jobs. */
function sectionTypes(parts: JsonSchema): readonly string[] {
  const paths = Object.entries(parts).filter(([, each]) => isSchema(each) && isSchema(each.properties));
  const apart = ['parameters', 'pagination', 'authentication', 'config', 'config.jobs', 'variable', 'complete'];
  const isSection = (name: string) => !apart.includes(name) && !/^(call|expressions?|evaluated|headers?)\b/.test(name);
  const others = paths.filter(([name]) => isSection(name)).map(([name]) => sectionType(name, partOf(parts, name)));
  const jobs = jobTypes(partOf(parts, 'config.jobs'));
  return [...configTypes(partOf(parts, 'config')), ...jobs, ...others];
}

const sectionType = (name: string, part: JsonSchema): string =>
  interfaceOf({ name: nameOf(name), said: comment(part), members: membersOf(part, nameOf) });

function configTypes(config: JsonSchema): readonly string[] {
  const { jobs = {} } = propertiesOf(config);
  const extended = 'Attributes';
  const member = (text: string) => `${comment(jobs)}readonly ${text};`;
  return [
    interfaceOf({
      name: 'ConfigSection',
      extended,
      said: comment(config),
      members: member(`jobs: ${listed('JobSection')}`),
    }),
    interfaceOf({
      name: 'IterationSection',
      extended,
      said: commentOf('What an iteration lays over `config`: the same keys, or none.'),
      members: member(`jobs?: ${listed('JobSection')} | null | undefined`),
    }),
    interfaceOf({
      name: extended,
      said: commentOf('The keys of `config` beside its jobs.'),
      members: membersOf(config, nameOf, ['jobs']),
    }),
  ];
}

/** A job has an endpoint, or a report or a file in its place. */
function jobTypes(job: JsonSchema): readonly string[] {
  const { endpoint = {}, await: report = {}, download = {} } = propertiesOf(job);
  const only = (key: string, schema: JsonSchema) =>
    membersOf({ ...job, properties: { [key]: schema }, required: [key] }, nameOf);
  const lacks = (...keys: readonly string[]) => keys.map((key) => `readonly ${key}?: null | undefined;`).join('\n');
  const said = comment(job);
  const extended = 'JobBase';
  return [
    `${said}export type JobSection = EndpointJob | ReportJob | DownloadJob;`,
    interfaceOf({
      name: 'EndpointJob',
      extended,
      said: commentOf('A job with an endpoint.'),
      members: `${only('endpoint', endpoint)}\n${lacks('await', 'download')}`,
    }),
    interfaceOf({
      name: 'ReportJob',
      extended,
      said: commentOf('A job with a report.'),
      members: `${only('await', report)}\n${lacks('endpoint', 'download')}`,
    }),
    interfaceOf({
      name: 'DownloadJob',
      extended,
      said: commentOf('A job with a file for each item of its parent.'),
      members: `${only('download', download)}\n${lacks('endpoint', 'await')}`,
    }),
    interfaceOf({
      name: extended,
      said: commentOf('The keys of any job.'),
      members: membersOf(job, nameOf, ['endpoint', 'await', 'download']),
    }),
  ];
}

interface Choice {
  readonly definition: string;
  /** The key that names the entry. */
  readonly key: string;
  readonly registry: Readonly<Record<string, { readonly summary: string; readonly successor?: string }>>;
}

/** The entries that a section chooses from, each with its own keys and those beside the choice. */
function choice(parts: JsonSchema, { definition, key, registry }: Choice): readonly string[] {
  const schema = partOf(parts, definition);
  const type = pascal(definition);
  const entries = entriesOf(schema, key).map(([name, itself]) => {
    const { summary = '', successor } = registry[name] ?? {};
    const said = commentOf(sentence(summary), successor === undefined ? '' : `@deprecated Write \`${successor}\`.`);
    const members = [`readonly ${key}: '${name}';`, membersOf(itself, nameOf)].filter((each) => each !== '');
    return { name: `${pascal(name)}${type}`, extended: `${type}Base`, said, members: members.join('\n') };
  });
  const said = commentOf(`Its \`${key}\` decides which other keys there are.`);
  const base = membersOf({ ...schema, additionalProperties: false }, nameOf, [key]);
  return [
    `${said}export type ${type} =\n${entries.map(({ name }) => `  | ${name}`).join('\n')};`,
    ...entries.map((each) => interfaceOf(base === '' ? without(each) : each)),
    ...(base === ''
      ? []
      : [interfaceOf({ name: `${type}Base`, said: commentOf(`Keys beside any \`${key}\`.`), members: base })]),
  ];
}

const without = ({ name, said, members }: Interface): Interface => ({ name, said, members });

/** The branches of the schema that hold where the key has one value. */
function entriesOf({ allOf }: JsonSchema, key: string): readonly (readonly [string, JsonSchema])[] {
  const branches = Array.isArray(allOf) ? allOf.filter(isSchema) : [];
  return branches.flatMap(({ if: test, then: itself }) => {
    const name = isSchema(test) ? propertiesOf(test)[key]?.const : undefined;
    return typeof name === 'string' && isSchema(itself) ? [[name, itself] as const] : [];
  });
}

/** What an expression can refer to, by the name of the reference. */
function referenceNames(): string {
  const members = Object.entries(references).map(
    ([name, { summary }]) => `${commentOf(sentence(summary))}readonly ${name}: Path;`,
  );
  return interfaceOf({
    name: 'References',
    said: commentOf('What an expression may refer to.'),
    members: members.join('\n'),
  });
}

/** A call of each function, and those that can be called in one place alone. */
function calls(): string {
  const all = Object.entries<ExpressionFunction>(functions);
  const callsOf = (only: boolean) =>
    all.filter(([, each]) => (each.only !== undefined) === only).map(([name, each]) => call(name, each));
  return [
    `${commentOf('A function of the language, and its arguments.')}export type Call<Name extends keyof References> =\n${callsOf(false).join('\n')};`,
    `${commentOf('What can be called in placeholders besides.')}export type PlaceholderCall<Name extends keyof References = 'placeholder'> =\n  | Call<Name>\n${callsOf(true).join('\n')};`,
  ].join('\n\n');
}

function call(name: string, { summary, args }: ExpressionFunction): string {
  const described = args.map((each) => `${each.name}: ${each.summary}`).join('; ');
  const mayMiss = args.every(({ optional, variadic }) => optional === true || variadic === true);
  const members = [
    `${commentOf(sentence(summary))}readonly function: '${name}';`,
    `${described === '' ? '' : commentOf(sentence(described))}readonly args${mayMiss ? '?' : ''}: ${argumentList(args)}${mayMiss ? ' | undefined' : ''};`,
  ];
  return `  | {\n${indented(indented(indented(members.join('\n'))))}\n    }`;
}

const argumentList = (args: readonly Argument[]): string => {
  const each = args.map(({ name, optional, variadic }) => {
    if (variadic === true) return `...${labelOf(name)}: readonly Expression<Name>[]`;
    return `${labelOf(name)}${optional === true ? '?' : ''}: Expression<Name>`;
  });
  return `readonly [${each.join(', ')}]`;
};

const labelOf = (name: string): string => name.replace(/\W+/g, '_');

/** The types that do not depend on any table. */
const values = `/** The value of an environment variable, a text: \`env\` of the options says which there are. */
export interface Variable {
  /** The name of the variable. */
  readonly env: string;
}

/** A number with every digit that it has. */
export type Numeric = number | bigint | ExactNumber;

/** Digits, as a text. */
export type Digits = \`\${number}\`;

/** A name in capitals or in small letters. */
export type InAnyCase<Name extends string> = Name | Lowercase<Name>;

/** Where a reference leads: names parted by dots. */
export type Path = string | number | Variable;

/** An object whose members are yours; a \`Map\` keeps their order. */
export type OpenObject = { readonly [name: string]: unknown } | ReadonlyMap<string, unknown>;

/** What \`JSON.stringify\` writes by a method of its own, as a date. */
export interface Jsonable {
  toJSON(): unknown;
}

/** A reference, alone in its object. */
export type Reference<Name extends keyof References> = { [Each in Name]: Pick<References, Each> }[Name];

/** An object that becomes one value. */
export type Evaluated<Name extends keyof References> =
  | Reference<Name>
  | Call<Name>
  | ('placeholder' extends Name ? PlaceholderCall<Name> : never);

/** Any value; references and calls in it are evaluated. */
export type Expression<Name extends keyof References> =
  | null
  | undefined
  | boolean
  | string
  | Numeric
  | Jsonable
  | Evaluated<Name>
  | readonly Expression<Name>[]
  | ExpressionMembers<Name>
  | ReadonlyMap<string, unknown>;

/** An object with members of any names. */
export interface ExpressionMembers<Name extends keyof References> {
  readonly function?: undefined;
  readonly [name: string]: Expression<Name>;
}

/** An object whose members are expressions; a list that is a member itself is sent unchanged. */
export type Expressions<Name extends keyof References> = ExpressionMembers<Name> | ReadonlyMap<string, unknown>;

/** The value of a header. */
export type HeaderValue = string | Numeric | boolean | null | undefined | Variable | readonly (string | Numeric | boolean | null | Variable)[];

/** Headers, sent as they stand. */
export type Headers = { readonly [name: string]: HeaderValue } | ReadonlyMap<string, unknown>;

/** Headers whose values may be expressions. */
export type EvaluatedHeaders<Name extends keyof References> =
  | { readonly [name: string]: HeaderValue | Evaluated<Name> }
  | ReadonlyMap<string, unknown>;`;
