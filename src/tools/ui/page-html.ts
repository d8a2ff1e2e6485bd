/** The page of `rxtract ui` as one text: nothing else is loaded. */
import { randomBytes } from 'node:crypto';
import { escaped } from '../report/html.js';
import type { PageFiles } from './page-files.js';
import type { PageStart } from './page-messages.js';

export interface ServedPage {
  readonly html: string;
  /** The header Content-Security-Policy. */
  readonly policy: string;
}

export function servedPage({ script, style }: PageFiles, start: PageStart): ServedPage {
  const nonce = randomBytes(16).toString('base64');
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(start.title)}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<style nonce="${nonce}">${style}</style>
</head>
<body>
<noscript>This page is a program: allow JavaScript for it.</noscript>
<script type="application/json" id="start">${JSON.stringify({ ...start, nonce }).replaceAll('<', '\\u003c')}</script>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#1f6feb"/><path d="M4 4h8M4 8h6M4 12h3" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>';
