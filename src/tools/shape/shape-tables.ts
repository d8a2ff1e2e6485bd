/** Shapes as tables: statements of SQL, and the `sources.yml` of a dbt project. */

import type { Shapes } from '../../../sinks/shape/shape-document.js';
import type { ValueShape } from '../../../sinks/shape/value-shape.js';
import { columnNames, columnsOf, type Database, quotedIn, sqlType } from './shape-columns.js';

/** A `CREATE TABLE` for each data type. Throws ERR_SINK for a name that the database cannot hold. */
export const sqlOf = (shapes: Shapes, database: Database): string =>
  [...shapes].map(([dataType, shape]) => createTable(dataType, shape, database)).join('\n');

function createTable(dataType: string, shape: ValueShape, database: Database): string {
  const columns = columnsOf(shape);
  const names = columnNames(columns, database);
  const lines = columns.map(({ shape: own, isRequired }, index) => {
    const name = quotedIn(database, names[index] ?? '', 'column');
    return `  ${name} ${sqlType(own, database)}${isRequired ? ' NOT NULL' : ''}`;
  });
  if (lines.length === 0) return `-- ${JSON.stringify(dataType)} has no columns\n`;
  return `CREATE TABLE ${quotedIn(database, dataType, 'table')} (\n${lines.join(',\n')}\n);\n`;
}

/** Tables with their columns, and the tests `not_null` and `accepted_values`. Types are those of PostgreSQL. */
export function dbtOf(shapes: Shapes): string {
  const tables = [...shapes].flatMap(([dataType, shape]) => [
    `      - name: ${text(dataType)}`,
    '        columns:',
    ...columnLines(shape),
  ]);
  return ['version: 2', 'sources:', '  - name: rxtract', '    tables:', ...tables, ''].join('\n');
}

function columnLines(shape: ValueShape): readonly string[] {
  const columns = columnsOf(shape);
  const names = columnNames(columns, 'postgres');
  return columns.flatMap(({ shape: own, isRequired }, index) => {
    const { values } = own;
    const tests = [
      ...(isRequired ? ['              - not_null'] : []),
      ...(values === undefined
        ? []
        : ['              - accepted_values:', `                  values: [${values.map(text).join(', ')}]`]),
    ];
    return [
      `          - name: ${text(names[index] ?? '')}`,
      `            data_type: ${sqlType(own, 'postgres')}`,
      ...(tests.length === 0 ? [] : ['            data_tests:', ...tests]),
    ];
  });
}

/** A text of YAML: JSON is YAML, and quotes keep words such as `no` and `2026-01-01` texts. */
const text = (value: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(value) && !words.has(value) ? value : JSON.stringify(value);

const words: ReadonlySet<string> = new Set(['null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n']);
