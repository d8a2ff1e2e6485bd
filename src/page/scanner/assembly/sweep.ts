/**
 * The fast half of the scanner: plain tokens that lie whole in the window. Whatever else it meets it leaves to `step`:
 * values and names on a path, tokens that the window cuts, faults. It is one loop without a call in it, since each call
 * would make every local live in memory.
 */
import { OBJECT, TRACK } from './entry';
import {
  AFTER,
  COLON,
  cursor,
  isSpace,
  NAME_NEXT,
  NAME_OR_END,
  NOT_PLAIN_STRING,
  NOT_PLAIN_VALUE,
  skipSpace,
  stackAt,
  VALUE,
  VALUE_OR_END,
} from './grammar';
import { MAX_DEPTH } from './memory';
import { isDropping, isPlain, markItem, putItem } from './output';
import { fastLiteral, fastNumber, fastString } from './tokens';

/** Moves the cursor over plain tokens, up to one that is not, or to the end of the window. */
export function sweep(end: usize): void {
  let at = cursor.at;
  let run = cursor.run;
  let next = cursor.next;
  let depth = cursor.depth;
  let entry = cursor.entry;
  const itemDepth = cursor.itemDepth;
  const plain = isPlain();
  const compacting = plain || isDropping();

  while (true) {
    let byte = <u32>load<u8>(at);
    if (byte <= 32) {
      if (!isSpace(byte) || !compacting) break;
      if (plain) putItem(run, at);
      at = skipSpace(at + 1);
      run = at;
      byte = load<u8>(at);
      if (byte <= 32) break;
    }

    if (byte == 34) {
      if (next & NOT_PLAIN_STRING) break;
      const behind = fastString(at + 1);
      if (behind == 0) break;
      at = behind;
      if (next & 1) {
        const isColon = load<u8>(at) == 58;
        at += <usize>isColon;
        next = isColon ? VALUE : COLON;
        continue;
      }
      next = AFTER;
    } else if (byte == 58) {
      if (next != COLON) break;
      next = VALUE;
      at++;
      continue;
    } else if (byte == 123 || byte == 91) {
      if (next & NOT_PLAIN_VALUE || depth == MAX_DEPTH) break;
      entry = <u32>(byte == 123);
      next = entry ? NAME_OR_END : VALUE_OR_END;
      store<u32>(stackAt(++depth), entry);
      at++;
      continue;
    } else if (byte == 125) {
      if (entry != OBJECT || (next != AFTER && next != NAME_OR_END)) break;
      entry = load<u32>(stackAt(--depth));
      next = AFTER;
      at++;
    } else if (byte == 93) {
      if (entry != 0 || depth == 0 || (next != AFTER && next != VALUE_OR_END)) break;
      entry = load<u32>(stackAt(--depth));
      next = AFTER;
      at++;
    } else if (byte != 44) {
      if (next & NOT_PLAIN_VALUE) break;
      const behind = byte < 58 ? fastNumber(at) : fastLiteral(at);
      if (behind == 0 || behind >= end) break;
      at = behind;
      next = AFTER;
    }

    if (load<u8>(at) == 44) {
      if (next != AFTER || depth == 0) break;
      if (depth == itemDepth) {
        if (!plain || entry & TRACK || !markItem(at + 1 - run)) break;
        store<u8>(at, 10);
        next = VALUE;
      } else if (entry & OBJECT) next = NAME_NEXT | (entry & TRACK);
      else {
        if (entry & TRACK) break;
        next = VALUE;
      }
      at++;
    }
  }

  cursor.at = at;
  cursor.run = run;
  cursor.next = next;
  cursor.depth = depth;
  cursor.entry = entry;
}
