/** The named parts of a configuration, by their options. */
import { authentications } from '../auth/registry.js';
import type { OptionRows } from '../core/options/kind.js';
import { paginators } from '../pagination/registry.js';
import { parametersFields } from './config-fields.js';
import { besideMethod } from './pagination-fields.js';
import { sections } from './sections.js';

const every = (registry: Readonly<Record<string, { readonly fields: OptionRows }>>): OptionRows =>
  Object.assign({}, ...Object.values(registry).map(({ fields }) => fields));

const others: Readonly<Record<string, () => OptionRows>> = {
  parameters: () => parametersFields,
  iteration: () => sections.config.fields,
  pagination: () => ({ ...every(paginators), ...besideMethod }),
  authentication: () => every(authentications),
};

/** The options of a part, as `Kind.part` names it: of a section, or all that some method or type has. */
export function rowsOfPart(name: string): OptionRows {
  const section = new Map(Object.entries(sections)).get(name);
  return section?.fields ?? others[name]?.() ?? {};
}
