/** All commands in the order of the help: add new ones here. */
import { bench } from './bench.js';
import type { Command } from './command.js';
import { catalog } from './commands/catalog.js';
import { mcpOf } from './commands/mcp.js';
import { rehearse } from './commands/rehearse.js';
import { schema } from './commands/schema.js';
import { sinks } from './commands/sinks.js';
import { uiOf } from './commands/ui.js';
import { verify } from './commands/verify.js';
import { completionOf } from './completion.js';
import { doctor } from './doctor.js';
import { init } from './init.js';
import { plan } from './plan.js';
import { preview } from './preview.js';
import { run } from './run.js';
import { shape } from './shape.js';
import { cancel, retry, status, sweep } from './shared/board-commands.js';
import { worker } from './shared/worker-command.js';
import { state } from './state-command.js';
import { test } from './test.js';
import { login } from './user-login.js';
import { validate } from './validate.js';

export const commands: readonly Command[] = [
  init,
  run,
  validate,
  plan,
  preview,
  shape,
  login,
  test,
  rehearse,
  verify,
  doctor,
  bench,
  state,
  worker,
  status,
  cancel,
  retry,
  sweep,
  sinks,
  catalog,
  schema,
  mcpOf(() => commands),
  uiOf(() => commands),
  completionOf(() => commands),
];
