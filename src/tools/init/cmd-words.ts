/** Splits a command of the Windows command prompt, as browsers copy it as "cURL (cmd)", into words. */

/** Whether a text is in the language of `cmd.exe`: the first quoted word has a caret, or a line ends with one. */
export const isCmd = (text: string): boolean =>
  /^[ \t]*(?:\S*[\\/])?curl(?:\.exe)?\s+(?:-\S+\s+)*\^"|\s\^[ \t]*\r?$/im.test(text);

/**
 * Returns the words of each command. A caret removes the meaning of the character after it, or continues the line; `&`
 * and `|` end a command. Then programs of the C library split words by their own quotes. Browsers that write carets
 * write every backslash twice, so there two are one.
 */
export function splitCmd(text: string): readonly (readonly string[])[] {
  const commands = withoutCarets(text.trim().replaceAll('\r\n', '\n'));
  const isEscaped = text.includes('^"');
  return commands.map((each) => splitArguments(each, isEscaped)).filter((words) => words.length > 0);
}

/** What `cmd.exe` hands to each program. */
function withoutCarets(text: string): readonly string[] {
  const commands: string[] = [''];
  const add = (char: string) => {
    commands.push(`${commands.pop()}${char}`);
  };
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '^' && !isQuoted) {
      at += text.charAt(at + 1) === '\n' ? 2 : 1;
      add(text.charAt(at));
    } else if (/[&|\n]/.test(char) && !isQuoted) commands.push('');
    else {
      if (char === '"') isQuoted = !isQuoted;
      add(char);
    }
  }
  return commands;
}

/** As the C library of Microsoft does. */
function splitArguments(text: string, isEscaped: boolean): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  const add = (text: string) => {
    word = `${word ?? ''}${text}`;
  };
  for (const [token] of text.matchAll(/\\+"?|""|[\s\S]/g)) {
    if (token.startsWith('\\')) {
      const { shown, isQuote } = ofBackslashes(token, isEscaped);
      add(shown);
      if (isQuote) isQuoted = !isQuoted;
    } else if (token === '""' && isQuoted) add('"');
    else if (token.startsWith('"')) {
      add('');
      if (token === '"') isQuoted = !isQuoted;
    } else if (/\s/.test(token) && !isQuoted) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else add(token);
  }
  return word === undefined ? words : [...words, word];
}

/** Before a quote two backslashes are one, and an odd one makes it a character. Elsewhere each counts. */
function ofBackslashes(token: string, isEscaped: boolean): { readonly shown: string; readonly isQuote: boolean } {
  const hasQuote = token.endsWith('"');
  const count = token.length - (hasQuote ? 1 : 0);
  const pairs = hasQuote ? Math.floor(count / 2) : Math.ceil(count / 2);
  const kept = '\\'.repeat(hasQuote || isEscaped ? pairs : count);
  return hasQuote && count % 2 === 1 ? { shown: `${kept}"`, isQuote: false } : { shown: kept, isQuote: hasQuote };
}
