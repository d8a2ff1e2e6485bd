/** Configurations that tests put together of parts: what the types would refuse is among what they are about. */
import type { Configuration } from '../src/config/configuration.js';

/** The document as it is, whatever its types say. */
export const unchecked = (document: object): Configuration => document as Configuration; // what no type checks here, the engine does
