/** Checks that each text of a sequence is one JSON value, with one stream-json tokenizer for all texts. */
import { jsonParser, type Token } from 'stream-json/core/parser.js';
import { maxDepth, packedTokens, type Stage } from '../../core/json/exact-parse.js';

export type Verdict = 'one value' | 'too deep' | 'broken';
export type Judge = (text: string) => Verdict;

/** Characters per tokenizer call: bounds its memory, whatever the size of a text. */
const PIECE = 64 * 1024;

/** A value that the tokenizer emits at once, unless it is still inside another value. */
const PROBE = '0 ';

/**
 * Creates the validator of a sequence. A text must end with white space, so that the tokenizer completes a number.
 * After a verdict other than 'one value' the validator is unusable. The list around the sequence uses one level of
 * depth.
 */
export function createJudge(): Judge {
  const tokenize: Stage<{ readonly values: readonly Token[] } | symbol> = jsonParser({
    ...packedTokens,
    jsonStreaming: true,
  });
  const count = createCount();
  /** The tokenizer has not emitted a string that is still open after the value; that string would swallow the probe. */
  const isClosed = () => {
    const tokens = tokenize(PROBE as never); // a stage takes text or the end of it
    return typeof tokens !== 'symbol' && tokens.values.length > 0;
  };
  return (text) => {
    count.restart();
    try {
      for (let from = 0; from < text.length; from += PIECE) {
        const piece = text.length <= PIECE ? text : text.slice(from, from + PIECE);
        const tokens = tokenize(piece as never); // a stage takes text or the end of it
        if (typeof tokens !== 'symbol') count.add(tokens.values);
        if (count.deepest() >= maxDepth) return 'too deep';
      }
      return count.isOne() && isClosed() ? 'one value' : 'broken';
    } catch {
      return 'broken';
    }
  };
}

function createCount() {
  let depth = 0;
  let deepest = 0;
  let values = 0;
  return {
    restart() {
      deepest = 0;
      values = 0;
    },
    add(tokens: readonly Token[]) {
      for (const { name } of tokens) {
        if (name === 'endObject' || name === 'endArray') depth--;
        else if (depth === 0) values++;
        if (name === 'startObject' || name === 'startArray') depth++;
        if (depth > deepest) deepest = depth;
      }
    },
    isOne: () => values === 1 && depth === 0,
    deepest: () => deepest,
  };
}
