/** Shapes as tables: statements of SQL, and the `sources.yml` of a dbt project. */

import type { Shapes } from '../../../sinks/shape/shape-document.js';
import type { ValueShape } from '../../../sinks/shape/value-shape.js';
import { columnsOf, type Database, quotedIn } from './shape-columns.js';

/** A `CREATE TABLE` for each data type. Throws ERR_SINK for a name that the database cannot hold. */
export const sqlOf = (shapes: Shapes, database: Database): string =>
  [...shapes].map(([dataType, shape]) => createTable(dataType, shape, database)).join('\n');

function createTable(dataType: string, shape: ValueShape, database: Database): string {
  const lines = columnsOf(dataType, shape, database).map(
    ({ name, type, isRequired }) => `  ${quotedIn(database, name, 'column')} ${type}${isRequired ? ' NOT NULL' : ''}`,
  );
  const all = lines.length === 0 ? withoutColumns[database] : `(\n${lines.join(',\n')}\n)`;
  return `CREATE TABLE ${quotedIn(database, dataType, 'table')} ${all};\n`;
}

/** The table of items without values. */
const withoutColumns = { postgres: '()', duckdb: '("value" JSON)' } as const;

/** Tables with their columns, and the tests `not_null` and `accepted_values`. Types are those of PostgreSQL. */
export function dbtOf(shapes: Shapes): string {
  const tables = [...shapes].flatMap(([dataType, shape]) => [
    `      - name: ${text(dataType)}`,
    '        columns:',
    ...columnLines(dataType, shape),
  ]);
  return ['version: 2', 'sources:', '  - name: rxtract', '    tables:', ...tables, ''].join('\n');
}

function columnLines(dataType: string, shape: ValueShape): readonly string[] {
  return columnsOf(dataType, shape, 'postgres').flatMap(({ name, type, shape: own, isRequired }) => {
    const { values } = own;
    const tests = [
      ...(isRequired ? ['              - not_null'] : []),
      ...(values === undefined
        ? []
        : ['              - accepted_values:', `                  values: [${values.map(text).join(', ')}]`]),
    ];
    return [
      `          - name: ${text(name)}`,
      `            data_type: ${type}`,
      ...(tests.length === 0 ? [] : ['            data_tests:', ...tests]),
    ];
  });
}

/** A text of YAML: JSON is YAML, and quotes keep words such as `no` and `2026-01-01` texts. */
const text = (value: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(value) && !words.has(value) ? value : JSON.stringify(value);

const words: ReadonlySet<string> = new Set(['null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n']);
