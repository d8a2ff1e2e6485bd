/** A process for huge-values.ts: shows texts of so many characters, with a heap that its parent chooses. */

import { ExtractError } from '../../src/core/errors/errors.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { frame } from '../../src/tools/live/frame.js';
import { textReport } from '../../src/tools/log/report-text.js';
import { widthOf } from '../../src/tools/text/cells.js';
import { fitTable, printable } from '../../src/tools/text/lines.js';
import { doneRow } from '../tools/live/activities.js';

const length = Number(process.argv[2]);
const write = (line: string) => void process.stdout.write(`${line}\n`);
const secrets = createSecrets();
secrets.add('hunter2-hunter2');
const report = textReport({ write, mask: secrets.mask, quiet: false, debug: false, color: false, columns: () => 80 });

for (const fill of ['x', '顧', '\u0301', '\u200b', '%41']) {
  const text = fill.repeat(length / fill.length);
  for (const line of frame([doneRow(text)], { columns: 80, rows: 24 }, 0, (each) => each)) {
    write(`displayed: ${line} (${widthOf(line)} cells)`);
  }
  for (const line of fitTable([['job'], [printable(text)]], new Set(), 80)) write(line);
  report.error(new ExtractError('ERR_JSON', text, { job: text }), 'To do.');
}
