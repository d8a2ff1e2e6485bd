/** Calls a tool: checks what an assistant asks for, and runs the command with it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from '../../config/document.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { usageError } from '../../core/util/check-value.js';
import type { CompletedCommand } from '../completion/candidates.js';
import { checkReach, insideFolder } from './guard.js';
import { optionWords, type ToolInput, textIn, textsIn } from './tool-input.js';
import type { ToolRow } from './tool-table.js';

/** What a command has printed. */
export interface Printed {
  readonly exit: number;
  readonly text: string;
}

export interface ToolServer {
  /** The folder whose files tools may read. */
  readonly folder: string;
  /** The only hosts that requests may go to; empty: tools send no request. */
  readonly hosts: readonly string[];
  readonly mayWrite: boolean;
  /** A proxy for all requests. */
  readonly proxy?: string | undefined;
  /** Runs a command to its end. */
  run(command: string, words: readonly string[], stdin: string, signal: AbortSignal): Promise<Printed>;
}

/** Rejects with ERR_USAGE for an input that the tool refuses: nothing has been sent then. */
export async function callTool(
  server: ToolServer,
  tool: ToolRow,
  command: CompletedCommand,
  input: ToolInput,
  signal: AbortSignal,
): Promise<Printed> {
  const options = optionWords(tool, command, input, server.mayWrite);
  for (const path of ['replay', 'record', 'out']) checkPath(server, textIn(input, path));
  mustMaySend(server, tool, input);
  const { words, stdin } = await takenBy(server, tool, input);
  return server.run(tool.name, [...words, ...options, ...boundsOf(server, tool, input)], stdin, signal);
}

function checkPath({ folder }: ToolServer, path: string | undefined): void {
  if (path !== undefined) insideFolder(folder, path);
}

function mustMaySend({ hosts }: ToolServer, { name, sends }: ToolRow, input: ToolInput): void {
  if (sends === undefined || hosts.length > 0 || input.replay !== undefined) return;
  throw usageError(
    `${name} sends requests, and no host is allowed: start the server with --host HOST, or with the path of a configuration`,
  );
}

/** The words for what the command takes, and its standard input. */
async function takenBy(server: ToolServer, { name, takes }: ToolRow, input: ToolInput) {
  if (takes === 'folders') {
    const folders = textsIn(input, 'folders').map((each) => insideFolder(server.folder, each));
    return { words: folders.map((each) => `./${each}`), stdin: '' };
  }
  const [one, other] = takes === 'config' ? (['config', 'content'] as const) : (['source', 'curl'] as const);
  const [first, second] = [textIn(input, one), textIn(input, other)];
  if ((first === undefined) === (second === undefined)) throw usageError(`${name} needs either "${one}" or "${other}"`);
  if (takes === 'source') return first === undefined ? { words: ['-'], stdin: second ?? '' } : addressOf(first);
  const text = second ?? (await readIn(server.folder, first ?? ''));
  checkReach(
    server.folder,
    parseDocument(Buffer.from(text), first ?? 'content', () => {}),
  );
  return { words: ['-'], stdin: text };
}

/** Files are not read here: a document may lead to others. */
function addressOf(source: string) {
  if (/^https?:\/\//i.test(source)) return { words: [source], stdin: '' };
  throw usageError(`source: expected an address that begins with http:// or https://, found "${source}"`);
}

async function readIn(folder: string, path: string): Promise<string> {
  const inside = insideFolder(folder, path);
  return readFile(join(folder, inside), 'utf8').catch((thrown: unknown) => {
    throw usageError(`${path}: cannot be read: ${describeSystemError(thrown)}`);
  });
}

/** What the command may do, whatever the configuration says. */
function boundsOf({ hosts, proxy }: ToolServer, { takes, sends }: ToolRow, input: ToolInput): readonly string[] {
  if (takes === 'folders') return [];
  const only = hosts.map((host) => `--host=${host}`);
  const way = proxy === undefined || sends === undefined || input.replay !== undefined ? [] : [`--proxy=${proxy}`];
  if (takes === 'config') return ['--no-commands', ...only, ...way];
  return ['--yes', ...(input.out === undefined ? ['--out=-'] : []), ...only, ...way];
}
