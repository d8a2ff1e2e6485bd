/** The board of a command, by its address. */
import { hasLiteralSecret } from '../../../sinks/addresses/address.js';
import type { Board } from '../../checkpoint/board/board.js';
import { boardAt } from '../../checkpoint/board/board-address.js';
import type { ParsedArguments } from '../arguments.js';
import { notifyUnlessAllowed } from '../document.js';
import { contextOf, passwordIn } from '../open-sinks.js';
import type { Report } from '../report.js';
import type { Shell } from '../shell.js';

interface BoardPlace {
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
  /** What has the address, for messages. */
  readonly place: string;
  /** How long the board leaves a task to this process without a sign of life, in ms. */
  readonly lease?: number | undefined;
}

/** Connects at its first call. Throws ERR_USAGE for a wrong address. */
export function openBoard(address: string, { args, shell, report, place, lease }: BoardPlace): Board {
  const board = boardAt(address, contextOf(shell, report), lease);
  if (hasLiteralSecret(address)) notifyUnlessAllowed([passwordIn(place, '')], args, report.notice);
  return board;
}
