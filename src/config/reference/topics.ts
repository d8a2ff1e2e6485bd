/** The reference: every part of the language by topic, from the tables and registries that the program itself uses. */

import { guaranteeText, resumeText, type SinkEntry, writtenOptions } from '../../../sinks/entry.js';
import { sinks } from '../../../sinks/registry.js';
import { installCommand } from '../../../sinks/servers/load-client.js';
import { authentications } from '../../auth/registry.js';
import { errorCodes } from '../../core/errors/error-codes.js';
import { warnings } from '../../core/errors/warnings.js';
import type { OptionRow, OptionRows } from '../../core/options/kind.js';
import type { ExpressionFunction } from '../../language/expression/function.js';
import { environment, references } from '../../language/expression/references.js';
import { functions } from '../../language/expression/registry.js';
import { paginators, stopRules } from '../../pagination/registry.js';
import { earlyRequests, pagesAhead, repeatsCheck, statusesPastTheEnd, totalCheck } from '../pagination-fields.js';
import { type Section, sections } from '../sections.js';
import type { TopicName } from './names.js';
import { fieldTables, optionRows, placesOf, type ReferenceEntry, type ReferenceRow } from './reference-entry.js';

export interface Topic {
  readonly title: string;
  /** Paragraphs. */
  readonly about: readonly string[];
  /** The heading of the first column of its tables. */
  readonly column: string;
  readonly entries: readonly ReferenceEntry[];
}

/** The name of the document's section, which has none of its own. */
const documentName = 'document';

/** Each is made when it is read: the command loads this file without needing it. */
export const topics: Readonly<Record<TopicName, Topic>> = {
  get configuration(): Topic {
    return {
      title: 'Configuration',
      about: [
        'A configuration is one JSON document: `api` describes the API, `config` the jobs.',
        'A string of digits is accepted where a whole number is expected. A value that is `null` counts as absent.',
      ],
      column: 'Key',
      entries: Object.entries<Section>(sections).map(sectionEntry),
    };
  },
  get pagination(): Topic {
    return {
      title: 'Pagination methods',
      about: [
        'The `method` of `api.pagination`, or of the `pagination` of a job, defines how to request the next page. Without it each job sends one request.',
        'With every method, a page that is identical to the page before it ends the job and is not written. A longer sequence of pages that repeats is the error `ERR_LOOP`. Items that repeat are a warning or `ERR_LOOP`, unless `allowRepeatedItems` is set.',
        `Stopping conditions (${Object.keys(stopRules)
          .map((name) => `\`${name}\``)
          .join(
            ', ',
          )}) are objects beside any method. They can end a job early, but never extend it. They are checked after each page, in this order, before the method.`,
      ],
      column: 'Key',
      entries: [
        ...Object.entries<ComponentEntry>(paginators),
        ...Object.entries<ComponentEntry>(stopRules),
        ['totalKey', totalCheck] as const,
        ['allowRepeatedItems', repeatsCheck] as const,
        ['endStatuses', statusesPastTheEnd] as const,
        ['prefetch', pagesAhead] as const,
        ['overlap', earlyRequests] as const,
      ].map(componentEntry),
    };
  },
  get authentication(): Topic {
    return {
      title: 'Authentication types',
      about: [
        'The `type` of `api.authentication` defines how requests are authenticated. Without it requests are sent without credentials.',
      ],
      column: 'Key',
      entries: Object.entries<ComponentEntry>(authentications).map(componentEntry),
    };
  },
  get functions(): Topic {
    return {
      title: 'Expressions: references and functions',
      about: [
        'An expression is a computed value: a reference, or a function call whose arguments are expressions. Any other object or list may contain expressions. All other values are used as they are.',
        'Where a string is needed, true becomes "1", false and null become an empty string, and a number keeps its digits.',
      ],
      column: 'Argument',
      entries: [
        ...Object.entries(references).map(referenceEntry),
        environmentEntry(),
        ...Object.entries<ExpressionFunction>(functions).map(functionEntry),
      ],
    };
  },
  get sinks(): Topic {
    return {
      title: 'Sinks',
      about: [
        '`rxtract run` writes items to the sink of `--to`. With several sinks, every item goes to each of them. `--to NAME=URI` gives one the items of the data type NAME only.',
        'Options follow the address: `?name=value&name=value`, percent-encoded.',
      ],
      column: 'Option',
      entries: Object.entries<SinkEntry>(sinks).map(sinkEntry),
    };
  },
  get warnings(): Topic {
    return {
      title: 'Warnings',
      about: [
        'A warning does not end a run. With `--strict` (in code `strict: true`) it is the error `ERR_STRICT`. Each warning has a code: the text log shows it in brackets at the end of the line, `--log json` as `code`.',
        '`--allow CODE` (in code `allow`) suppresses a warning, also with `--strict`.',
      ],
      column: 'Code',
      entries: Object.entries(warnings).map(([name, { meaning, remedy }]) => ({
        name,
        summary: meaning,
        facts: [['Remedy', remedy]],
        tables: [],
      })),
    };
  },
  get errors(): Topic {
    return {
      title: 'Error codes',
      about: [
        'Every failure has one of these codes: `error.code` in the library, `code` in `--log json`, and below the message in the text log. Codes are stable; messages may change.',
      ],
      column: 'Code',
      entries: Object.entries(errorCodes).map(([name, { cause, remedy }]) => ({
        name,
        summary: cause,
        facts: [['Remedy', remedy]],
        tables: [],
      })),
    };
  },
};

/** The description of an entry in a registry of components. */
interface ComponentEntry {
  readonly summary: string;
  readonly fields: OptionRows;
  readonly rules?: readonly string[];
  readonly example: string;
}

function componentEntry([name, { summary, fields, rules = [], example }]: readonly [
  string,
  ComponentEntry,
]): ReferenceEntry {
  return { name, summary, tables: fieldTables(fields), rules, example: { text: example, language: 'json' } };
}

function sectionEntry([path, section]: readonly [string, Section]): ReferenceEntry {
  const { summary, fields, rules = [], example } = section;
  const tables = fieldTables(fields, (key) => seeOf(path === '' ? key : `${path}.${key}`));
  return { name: path || documentName, summary, tables, rules, example: { text: example, language: 'json' } };
}

/** Returns where a key is explained: a section of its own, or the topic of a registry. */
function seeOf(path: string): string | undefined {
  if (Object.hasOwn(sections, path)) return path;
  const chosen: Readonly<Record<string, TopicName>> = {
    'api.pagination': 'pagination',
    'config.jobs.pagination': 'pagination',
    'api.authentication': 'authentication',
  };
  return chosen[path];
}

function referenceEntry([name, { summary, rules, example }]: readonly [
  string,
  (typeof references)['attr'],
]): ReferenceEntry {
  const inSections = Object.entries<Section>(sections).flatMap(([path, { fields }]) => placesOf(name, fields, path));
  const inLogins = Object.values<ComponentEntry>(authentications).flatMap(({ fields }) =>
    placesOf(name, fields, 'api.authentication'),
  );
  const places = [...new Set([...inSections, ...inLogins])].map((path) => `\`${path}\``).join(', ');
  const facts = places === '' ? [] : [['Where', places] as const];
  return { name, summary, facts, tables: [], rules, example: { text: example, language: 'json' } };
}

function environmentEntry(): ReferenceEntry {
  const { summary, rules, example } = environment;
  const facts = [['Where', 'instead of any value'] as const];
  return { name: 'env', summary, facts, tables: [], rules, example: { text: example, language: 'json' } };
}

function functionEntry([name, called]: readonly [string, ExpressionFunction]): ReferenceEntry {
  const { summary, args, example, gives, only, rules: own = [] } = called;
  const rows = args.map(
    ({ name, summary, optional = false, variadic = false }): ReferenceRow => ({
      name,
      type: variadic ? 'any number of values' : 'a value',
      required: !optional && !variadic,
      summary,
    }),
  );
  const rules = only === undefined ? own : [...own, `It can only be called in \`${only}\`.`];
  return { name, summary, tables: [{ rows }], rules, example: { text: example, language: 'json', gives } };
}

function sinkEntry([name, sink]: readonly [string, SinkEntry]): ReferenceEntry {
  const { packages, address, options } = sink;
  const install = packages === undefined ? [] : [['Install', `\`${installCommand(packages)}\``] as const];
  const written = writtenOptions(sink);
  const isPart = ([option, row]: readonly [string, OptionRow]) =>
    option !== address.parts?.headers && written[option] !== row;
  const parts = Object.fromEntries(Object.entries<OptionRow>(options).filter(isPart));
  return {
    name,
    summary: sink.summary,
    facts: [
      ['Address', `\`${address.form}\``],
      ...install,
      ['In code', `\`${sink.code}\``],
      ['Guarantee', guaranteeText(sink)],
      ['Resumes an interrupted run', resumeText(sink)],
    ],
    tables: [{ rows: optionRows(written) }, { of: 'in code', rows: optionRows(parts) }],
    rules: sink.rules ?? [],
    example: { text: `rxtract run config.json --to ${quoted(sink.example)}`, language: 'shell' },
  };
}

/** As a shell needs it. */
function quoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text}'`;
}
