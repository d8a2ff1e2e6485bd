/** How authentication types and pagination methods describe themselves. */
import type { Problem } from '../core/errors/errors.js';
import type { ExactObject } from '../core/json/exact.js';
import type { FieldReference } from '../core/model/field-reference.js';
import type { OptionRow, OptionRows, OptionsOf } from '../core/options/kind.js';

/**
 * A registry entry: an authentication type or a pagination method. `create` gets validated options, with
 * the defaults of their rows. The summary is a phrase: lower case, no full stop.
 */
export interface Component<Rows extends OptionRows, Result, Context = undefined> {
  readonly summary: string;
  readonly fields: Rows;
  /** Rules that no single field explains: a sentence each. */
  readonly rules?: readonly string[];
  /** A piece of configuration to copy. */
  readonly example: string;
  /** The new name, if this one is deprecated: a warning. */
  readonly successor?: string;
  /** Validates what single fields cannot, before anything is created. */
  inspect?(options: OptionsOf<Rows>, around: ConfigContext): ValidationResult;
  create(options: OptionsOf<Rows>, context: Context): Result;
}

/** The table of an entry without keys. */
export type NoRows = Readonly<Record<never, OptionRow>>;

/** Other parts of a configuration that an entry may depend on. */
export interface ConfigContext {
  /** `config` without its jobs. */
  readonly attr: ExactObject;
  /** The `authorization` section of the document; empty if absent. */
  readonly authorization: ExactObject;
  /** The path of a key of the entry, from the document's root, whether it is present or not. */
  path(key: string): string;
  /** Whether a key of the entry is present: its value may be its default. */
  isGiven(key: string): boolean;
  /** The same for a key of `config`. */
  configPath(key: string): string;
}

export interface ValidationResult {
  /** All problems, with their paths from the document's root. */
  readonly problems: readonly Problem[];
  /** The values of references in its expressions; a reference that is left out is not known before a request. */
  readonly roots?: ReadonlyMap<FieldReference, ExactObject>;
}
