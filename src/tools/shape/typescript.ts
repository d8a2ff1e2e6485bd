/** Shapes as types of TypeScript. */

import type { Shapes } from '../../../sinks/shape/shape-document.js';
import type { TypeName, ValueShape } from '../../../sinks/shape/value-shape.js';

/** An interface for each data type, or a type if its items are no objects. */
export function typescriptOf(shapes: Shapes): string {
  const names = new Set<string>();
  return [...shapes].map(([dataType, shape]) => declaration(freeName(typeName(dataType), names), shape)).join('\n');
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}${number}`;
  taken.add(free);
  return free;
}

/** `order-lines` becomes `OrderLines`. */
function typeName(dataType: string): string {
  const words = dataType.split(/[^\p{L}\p{N}$]+/u).filter((word) => word !== '');
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return /^[\p{L}$]/u.test(name) ? name : `Item${name}`;
}

function declaration(name: string, shape: ValueShape): string {
  const isInterface = shape.types.size === 1 && shape.types.has('object') && shape.rest === undefined;
  const type = typeOf(shape, '');
  return isInterface ? `export interface ${name} ${type}\n` : `export type ${name} = ${type};\n`;
}

const simple: Partial<Record<TypeName, string>> = {
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  null: 'null',
};

function typeOf(shape: ValueShape, indent: string): string {
  const { types, values } = shape;
  if (types.size === 0) return 'unknown';
  const texts = values === undefined ? ['string'] : values.map((value) => JSON.stringify(value));
  const parts = [...types].flatMap((type) => {
    if (type === 'string') return texts;
    if (type === 'array') return [listType(shape, indent)];
    if (type === 'object') return [objectType(shape, indent)];
    return simple[type] ?? [];
  });
  const unique = [...new Set(parts.filter((part) => part !== 'null'))];
  return [...unique, ...(types.has('null') ? ['null'] : [])].join(' | ');
}

function listType({ items }: ValueShape, indent: string): string {
  const element = items === undefined ? 'unknown' : typeOf(items, indent);
  return element.includes(' | ') ? `(${element})[]` : `${element}[]`;
}

function objectType({ properties, required, rest }: ValueShape, indent: string): string {
  const others = rest === undefined ? undefined : `{ [name: string]: ${typeOf(rest, indent)} }`;
  if (properties.size === 0) return others ?? '{ [name: string]: never }';
  const inner = `${indent}  `;
  const lines = [...properties].map(
    ([name, member]) => `${inner}${memberName(name)}${required.has(name) ? '' : '?'}: ${typeOf(member, inner)};\n`,
  );
  const own = `{\n${lines.join('')}${indent}}`;
  return others === undefined ? own : `${own} & { [name: string]: unknown }`;
}

const memberName = (name: string): string => (/^[\p{L}$_][\p{L}\p{N}$_]*$/u.test(name) ? name : JSON.stringify(name));
