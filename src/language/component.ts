import type { Problem } from '../core/errors/errors.js';
import type { ExactObject } from '../core/json/exact.js';
import type { FieldReference, Fields } from './types.js';

/**
 * A registry entry: an authentication type or a pagination method. `create` gets validated options; absent keys stay
 * absent. Summaries, here and of fields, are phrases: small letters, no full stop.
 */
export interface Component<Options, Made, Needs = undefined> {
  readonly summary: string;
  readonly fields: Fields<Options>;
  /** What the fields one by one do not tell: a sentence each. */
  readonly rules?: readonly string[];
  /** A piece of configuration that a reader can copy. */
  readonly example: string;
  /** The name to use in the place of this one, which is an old one: a warning. */
  readonly successor?: string;
  /** Looks at what the fields one by one cannot tell, before anything is made. */
  inspect?(options: Options, around: ConfigContext): ValidationResult;
  create(options: Options, needs: Needs): Made;
}

/** Of an entry that has no keys of its own. */
export type NoOptions = Readonly<Record<never, never>>;

/** What else of a configuration an entry may depend on. */
export interface ConfigContext {
  /** All of `config` but its jobs. */
  readonly attr: ExactObject;
  /** The `authorization` section of the document; empty where there is none. */
  readonly authorization: ExactObject;
  /** Where a key of the entry itself stands, or would stand, from the document's root. */
  path(key: string): string;
  /** The same for a key of `config`. */
  configPath(key: string): string;
}

export interface ValidationResult {
  /** Every fault found, with its path from the document's root. */
  readonly problems: readonly Problem[];
  /** What the references of its expressions lead into; of one that is left out nothing is known before a request. */
  readonly roots?: ReadonlyMap<FieldReference, ExactObject>;
}
