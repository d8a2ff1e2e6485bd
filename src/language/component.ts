/** How authentication types and pagination methods describe themselves. */
import type { Problem } from '../core/errors/errors.js';
import type { ExactObject } from '../core/json/exact.js';
import type { FieldReference, Fields } from './types.js';

/**
 * A registry entry: an authentication type or a pagination method. `create` gets validated options; absent keys stay
 * absent. Summaries here and in fields are phrases: lower case, no full stop.
 */
export interface Component<Options, Result, Context = undefined> {
  readonly summary: string;
  readonly fields: Fields<Options>;
  /** Rules that no single field explains: a sentence each. */
  readonly rules?: readonly string[];
  /** A piece of configuration to copy. */
  readonly example: string;
  /** The new name, if this one is deprecated: a warning. */
  readonly successor?: string;
  /** Validates what single fields cannot, before anything is created. */
  inspect?(options: Options, around: ConfigContext): ValidationResult;
  create(options: Options, context: Context): Result;
}

/** The options of an entry without keys. */
export type NoOptions = Readonly<Record<never, never>>;

/** Other parts of a configuration that an entry may depend on. */
export interface ConfigContext {
  /** `config` without its jobs. */
  readonly attr: ExactObject;
  /** The `authorization` section of the document; empty if absent. */
  readonly authorization: ExactObject;
  /** The path of a key of the entry, from the document's root, whether it is present or not. */
  path(key: string): string;
  /** The same for a key of `config`. */
  configPath(key: string): string;
}

export interface ValidationResult {
  /** All problems, with their paths from the document's root. */
  readonly problems: readonly Problem[];
  /** The values of references in its expressions; a reference that is left out is not known before a request. */
  readonly roots?: ReadonlyMap<FieldReference, ExactObject>;
}
