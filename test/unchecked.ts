/** Configurations that tests build from parts, some of which the types would reject. */
import type { Configuration } from '../src/config/configuration.js';

/** The document as it is, whatever its type. */
export const unchecked = (document: object): Configuration => document as Configuration; // what no type checks here, the engine does
