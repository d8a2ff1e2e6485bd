/** A request with the origin of each of its values, as `plan --explain` has it. */
import type { ExplainedRequest, ExplainedValue } from '../../../http/explain-request.js';
import { element } from './dom.js';

/** A request in words, with its values below. */
export function requestView(title: string, request: ExplainedRequest): HTMLElement {
  const note = request.trusted
    ? undefined
    : element('p', { className: 'soft', textContent: 'Another origin: no credentials, no configured header.' });
  return element(
    'div',
    { className: 'request' },
    element('p', {}, element('b', { textContent: title }), ' ', addressOf(request)),
    note,
    request.values.length === 0 ? undefined : valueTable(request.values),
  );
}

const addressOf = ({ method, url }: ExplainedRequest): HTMLElement =>
  element('code', {
    textContent: `${method} ${url
      .replace(/%3C([\w.-]*)%3E/g, '<$1>')
      .replace(/%7B([\w:.-]+)%7D/g, '{$1}')
      .replaceAll('%2A%2A%2A', '***')}`,
  });

function valueTable(values: readonly ExplainedValue[]): HTMLElement {
  const rows = values.map(({ name, value, in: place, sources }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row', textContent: name }),
      element('td', {}, element('code', { textContent: value })),
      element('td', { className: 'soft', textContent: place }),
      element('td', {}, ...originOf(sources)),
    ),
  );
  return table(['value', 'as sent', 'in', 'where it comes from'], rows, 'Values of the request');
}

function originOf(sources: ExplainedValue['sources']): readonly HTMLElement[] {
  return sources.toReversed().map(({ from, value }, index) => {
    const words = index === 0 ? '' : 'instead of ';
    return element('div', {
      className: index === 0 ? '' : 'soft',
      textContent: `${words}${from}${value === undefined ? '' : `: ${value}`}`,
    });
  });
}

/** A table that scrolls by itself, also with the keyboard. */
export function table(heads: readonly string[], rows: readonly HTMLElement[], label: string): HTMLElement {
  const head = element('tr', {}, ...heads.map((text) => element('th', { scope: 'col', textContent: text })));
  return element(
    'div',
    { className: 'wide', tabIndex: 0, attributes: { role: 'region', 'aria-label': label } },
    element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows)),
  );
}
