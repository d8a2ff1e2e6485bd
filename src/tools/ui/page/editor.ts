/** The configuration in an editor: CodeMirror with the schema of configurations. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { placeOf, readJsonc, stepsOf } from '../jsonc-tree.js';
import type { CheckFinding } from '../page-messages.js';
import { element } from './dom.js';
import { jsoncSupport } from './jsonc-language.js';
import { schemaCompletion, schemaHover } from './schema-help.js';
import { type Schema, schemaWalk } from './schema-walk.js';

export interface Editor {
  readonly place: HTMLElement;
  /** With the line breaks of the file. */
  text(): string;
  /** Replaces the text; `isNew`: nothing before it can be undone. */
  setText(text: string, isNew?: boolean): void;
  useSchema(schema: Schema): void;
  showFindings(findings: readonly CheckFinding[]): void;
  /** Moves the cursor to the place of a finding. */
  goTo(finding: CheckFinding): void;
  focus(): void;
}

export interface EditorOptions {
  readonly label: string;
  readonly nonce: string;
  readonly onChange: () => void;
  readonly onSave: () => void;
}

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--paper)', color: 'var(--text)', fontSize: '14px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--paper)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--row)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--select)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--select)', outline: 'none' },
  '.cm-selectionMatch, .cm-searchMatch': { backgroundColor: 'var(--select)' },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--card)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
  },
  '.cm-panels': { borderRadius: '0' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionIcon': { display: 'none' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px 12px', maxWidth: '340px' },
  '.cm-diagnostic': { padding: '6px 12px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-lint-marker': { width: '0.8em' },
});

export function createEditor(options: EditorOptions): Editor {
  const place = element('div', { className: 'editor' });
  const help = new Compartment();
  const breaks = new Compartment();
  const fixed = [...extensionsOf(options), help.of([])];
  const stateOf = (doc: string) =>
    EditorState.create({ doc, extensions: [...fixed, breaks.of(EditorState.lineSeparator.of(breakOf(doc)))] });
  const view = new EditorView({ state: stateOf(''), parent: place });
  let loaded: Schema | undefined;
  const useSchema = (schema: Schema) => {
    loaded = schema;
    const walk = schemaWalk(schema);
    const completion = autocompletion({ override: [schemaCompletion(walk)], activateOnTyping: true });
    view.dispatch({ effects: help.reconfigure([completion, schemaHover(walk)]) });
  };
  return {
    place,
    text: () => view.state.sliceDoc(),
    setText(text, isNew = false) {
      if (isNew) {
        view.setState(stateOf(text));
        if (loaded !== undefined) useSchema(loaded);
      } else {
        view.dispatch({ effects: breaks.reconfigure(EditorState.lineSeparator.of(breakOf(text))) });
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      }
    },
    useSchema,
    showFindings(findings) {
      const shown = findings.map(
        (each): Diagnostic => ({ ...offsetOf(view.state.doc, each), severity: each.level, message: each.message }),
      );
      view.dispatch(setDiagnostics(view.state, shown));
    },
    goTo(finding) {
      const { from, to } = offsetOf(view.state.doc, finding);
      const effects = EditorView.scrollIntoView(from, { y: 'center' });
      view.dispatch({ selection: { anchor: from, head: to }, effects });
      view.focus();
    },
    focus: () => view.focus(),
  };
}

const extensionsOf = ({ label, nonce, onChange, onSave }: EditorOptions) => [
  EditorView.cspNonce.of(nonce),
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  EditorView.lineWrapping,
  lineNumbers(),
  lintGutter(),
  highlightActiveLineGutter(),
  highlightActiveLine(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  search({ top: true }),
  highlightSelectionMatches(),
  jsoncSupport(),
  look,
  keymap.of([
    {
      key: 'Mod-s',
      preventDefault: true,
      run() {
        onSave();
        return true;
      },
    },
    ...[closeBracketsKeymap, defaultKeymap, searchKeymap, historyKeymap, completionKeymap, lintKeymap].flat(),
  ]),
  EditorView.updateListener.of(({ docChanged }) => void (docChanged && onChange())),
];

function offsetOf(doc: Text, { path, line, column = 1 }: CheckFinding): { readonly from: number; readonly to: number } {
  if (line === undefined) return placeOf(readJsonc(doc.toString()), stepsOf(path ?? ''));
  const found = doc.line(Math.min(line, doc.lines));
  const from = Math.min(found.from + column - 1, found.to);
  return { from, to: Math.min(from + 1, doc.length) };
}

/** How the lines of a text end. Where they differ, `\r` is a character that stays. */
const breakOf = (text: string): string =>
  text.includes('\r\n') && !text.replaceAll('\r\n', '').includes('\n') ? '\r\n' : '\n';
