/** Says whether each text of a row is one JSON value, by one tokenizer of stream-json for all of them. */
import { jsonParser, type Token } from 'stream-json/core/parser.js';
import { maxDepth, packedTokens, type Stage } from '../../core/json/exact-parse.js';

export type Verdict = 'one value' | 'too deep' | 'broken';
export type Judge = (text: string) => Verdict;

/** A text is tokenized in pieces of so many characters, so that what it takes does not grow with the text. */
const PIECE = 64 * 1024;

/** A value that the tokenizer gives out at once, unless it is still inside another. */
const PROBE = '0 ';

/**
 * Makes the judge of a row. A text must end with white space, which shows the tokenizer that a number is whole. After a
 * verdict other than 'one value' the judge is of no more use. The list that the row stands for takes one of the levels.
 */
export function createJudge(): Judge {
  const tokenize: Stage<{ readonly values: readonly Token[] } | symbol> = jsonParser({
    ...packedTokens,
    jsonStreaming: true,
  });
  const count = createCount();
  /** A string that is open after the value has come out as nothing yet; it would swallow the probe. */
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
