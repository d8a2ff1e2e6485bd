/** A server of the Model Context Protocol for assistants: the tools of the command, one call after the other. */
import type { Readable, Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createTurns } from '../../../sinks/serialize.js';
import { asExtractError } from '../../core/errors/errors.js';
import { version } from '../../core/util/version.js';
import type { CompletedCommand } from '../completion/candidates.js';
import { callTool, type ToolServer } from './call-tool.js';
import { inputSchema } from './tool-input.js';
import { toolTable } from './tool-table.js';

export interface ServedTools extends ToolServer {
  readonly commands: readonly CompletedCommand[];
  readonly input: Readable;
  readonly output: Writable;
  /** Masks what is secret in a message of an error. */
  mask(text: string): string;
}

/** The most characters of an answer. */
const longestAnswer = 200_000;

const instructions = `rxtract pulls paginated HTTP APIs by a JSON configuration. Begin with init, look at the result with preview, and check every change with validate. Secrets are environment variables, {"env": "NAME"}: never write a value of one.`;

/** Serves until the input ends or the signal aborts. */
export async function serveTools(served: ServedTools, signal: AbortSignal): Promise<void> {
  const server = new Server({ name: 'rxtract', version }, { capabilities: { tools: {} }, instructions });
  const inTurn = createTurns(); // a replay has the clock of the process
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolsOf(served) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal: cancelled }) =>
    inTurn(() => answerTo(served, params, AbortSignal.any([signal, cancelled]))),
  );
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) served.input.on(event, resolve);
    signal.addEventListener('abort', () => resolve());
  });
  await server.connect(new StdioServerTransport(served.input, served.output));
  await ended;
  await server.close();
}

const toolsOf = ({ commands, mayWrite }: ServedTools) =>
  toolTable.map((tool) => ({
    name: tool.name,
    description: tool.about,
    inputSchema: inputSchema(tool, commandOf(commands, tool.name), mayWrite),
    annotations: {
      readOnlyHint: !mayWrite || tool.writes.length === 0,
      openWorldHint: tool.sends !== undefined,
    },
  }));

const commandOf = (commands: readonly CompletedCommand[], name: string): CompletedCommand =>
  commands.find((each) => each.name === name) ?? { name, summary: '', options: {} };

interface Call {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

async function answerTo(served: ServedTools, call: Call, signal: AbortSignal) {
  const { exit, text } = await printedBy(served, call, signal);
  const shown = text.length > longestAnswer ? `${text.slice(0, longestAnswer)}\n... and more` : text;
  return { content: [{ type: 'text' as const, text: shown }], isError: exit !== 0 };
}

async function printedBy(served: ServedTools, { name, arguments: input = {} }: Call, signal: AbortSignal) {
  const tool = toolTable.find((each) => each.name === name);
  if (tool === undefined) return { exit: 1, text: `there is no tool "${name}"` };
  try {
    return await callTool(served, tool, commandOf(served.commands, name), input, signal);
  } catch (thrown) {
    const { code, message } = asExtractError(thrown);
    return { exit: 1, text: served.mask(`error: ${message}\n  code  ${code}`) };
  }
}
