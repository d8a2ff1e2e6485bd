/** JSON with comments for the editor: colours, indentation, brackets. */
import { HighlightStyle, LanguageSupport, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';

interface State {
  depth: number;
  isInComment: boolean;
}

const jsonc = StreamLanguage.define<State>({
  name: 'jsonc',
  startState: () => ({ depth: 0, isInComment: false }),
  token(stream, state) {
    if (state.isInComment || stream.match('/*')) {
      state.isInComment = !stream.match(/^.*?\*\//);
      if (state.isInComment) stream.skipToEnd();
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (stream.match('//')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return stream.match(/^\s*:/, false) ? 'propertyName' : 'string';
    if (stream.match(/^-?\d[\d.eE+-]*/)) return 'number';
    if (stream.match(/^(?:true|false|null)\b/)) return 'atom';
    const next = stream.next();
    if (next === '{' || next === '[') state.depth += 1;
    if (next === '}' || next === ']') state.depth = Math.max(0, state.depth - 1);
    return 'punctuation';
  },
  indent: ({ depth }, after, { unit }) => Math.max(0, /^\s*[}\]]/.test(after) ? depth - 1 : depth) * unit,
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['{', '[', '"'] },
    indentOnInput: /^\s*[}\]]$/,
  },
});

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-name)' },
  { tag: tags.string, color: 'var(--code-text)' },
  { tag: [tags.number, tags.atom], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.punctuation, color: 'var(--soft)' },
]);

export const jsoncSupport = (): LanguageSupport => new LanguageSupport(jsonc, [syntaxHighlighting(colors)]);
