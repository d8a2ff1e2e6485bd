/** The list of problems and warnings: each leads to its place in the editor. */
import type { CheckFinding, CheckResult } from '../page-messages.js';
import { element, fill } from './dom.js';

export interface ProblemsPanel {
  readonly content: HTMLElement;
  show(result: CheckResult): void;
}

export function createProblemsPanel(goTo: (finding: CheckFinding) => void): ProblemsPanel {
  const content = element('div', { className: 'stack' });
  const row = (finding: CheckFinding) => {
    const { level, path, line, message } = finding;
    const place = path ?? (line === undefined ? '' : `line ${line}`);
    const inner = element(
      'button',
      { type: 'button', className: `finding ${level}` },
      element('span', { className: 'word', textContent: level === 'error' ? 'problem' : level }),
      place === '' ? undefined : element('code', { textContent: place }),
      element('span', { textContent: message }),
    );
    inner.addEventListener('click', () => goTo(finding));
    return element('li', {}, inner);
  };
  return {
    content,
    show({ findings, isValid, jobs }) {
      const text = isValid
        ? `The configuration is valid: ${jobs.length === 1 ? 'job' : 'jobs'} ${jobs.join(', ')}.`
        : 'A run would not begin. Each problem leads to its place.';
      fill(
        content,
        element('h2', { textContent: 'Check' }),
        element('p', { textContent: text }),
        findings.length === 0 ? undefined : element('ul', { className: 'findings' }, ...findings.map(row)),
      );
    },
  };
}
