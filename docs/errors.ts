/** Writes docs/errors.md from the table in src/errors.ts: `node --import tsx docs/errors.ts`. A test fails when the page is stale. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorCodes } from '../src/errors.js';

const opening = `# Error codes

Every failure of rxtract carries one of these codes: \`error.code\` in the library, \`code\` in \`--log json\`, and in front of
the message in the text log. Codes are stable; messages may change. This page is generated from
[src/errors.ts](../src/errors.ts).
`;

/** The whole page as Markdown: a section a code, in the order of the table. */
export function errorsPage(): string {
  const sections = Object.entries(errorCodes).map(
    ([code, { cause, remedy }]) => `## ${code}\n\n${cause}\n\n**Remedy.** ${remedy}\n`,
  );
  return [opening, ...sections].join('\n');
}

const here = fileURLToPath(import.meta.url);
if (process.argv[1] === here) writeFileSync(new URL('errors.md', import.meta.url), errorsPage());
