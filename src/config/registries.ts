/** The registries of the language, with types that are just enough for validation. */

import { authentications } from '../auth/registry.js';
import type { AuthContext, Authenticator } from '../auth/types.js';
import type { OptionRows } from '../core/options/kind.js';
import type { AnyFunction } from '../language/check-expressions.js';
import type { ConfigContext, ValidationResult } from '../language/component.js';
import { functions } from '../language/expression/registry.js';
import { onePage } from '../pagination/none.js';
import { paginators, stopRules } from '../pagination/registry.js';
import type { StopRule } from '../pagination/stop-rule.js';
import type { PaginationContext, Paginator } from '../pagination/types.js';

/** A registry entry with unknown options, which must have passed its `fields` before `create` gets them. */
export interface AnyComponent<Result, Context> {
  readonly fields: OptionRows;
  readonly successor?: string;
  inspect?(options: never, around: ConfigContext): ValidationResult;
  create(options: never, context: Context): Result;
}

export interface Registries {
  /** Most need no context. */
  readonly paginators: Readonly<Record<string, AnyComponent<Paginator, PaginationContext | undefined>>>;
  /** Stopping conditions, in the order of evaluation. */
  readonly stopRules: Readonly<Record<string, AnyComponent<StopRule, undefined>>>;
  readonly authentications: Readonly<Record<string, AnyComponent<Authenticator, AuthContext>>>;
  readonly functions: Readonly<Record<string, AnyFunction>>;
  /** The paginator of a configuration without pagination. */
  readonly none: Paginator;
}

/** The registries of rxtract itself. */
export const builtIn: Registries = { paginators, stopRules, authentications, functions, none: onePage };
