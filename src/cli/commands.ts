/** The commands there are, in the order of the help: the one place to add another. */
import type { Command } from './command.js';
import { run } from './run.js';
import { schema } from './schema.js';
import { validate } from './validate.js';

export const commands: readonly Command[] = [run, validate, schema];
