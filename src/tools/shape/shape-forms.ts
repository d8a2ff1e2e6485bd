/** The forms in which a shape is written. */
import { readShapes } from '../../../sinks/shape/shape-document.js';
import type { ExactObject } from '../../core/json/exact.js';
import { shapeText } from './shape-file.js';
import { dbtOf, sqlOf } from './shape-tables.js';
import { typescriptOf } from './typescript.js';

export type ShapeForm = 'json' | 'ts' | 'sql:postgres' | 'sql:duckdb' | 'dbt';

/** The text of a document of shapes in a form. Throws ERR_SINK for a name that a database cannot hold. */
export function shapeAs(document: ExactObject, form: ShapeForm): string {
  if (form === 'json') return shapeText(document);
  const shapes = readShapes(document, 'shape');
  if (form === 'ts') return typescriptOf(shapes);
  if (form === 'dbt') return dbtOf(shapes);
  return sqlOf(shapes, form === 'sql:postgres' ? 'postgres' : 'duckdb');
}
