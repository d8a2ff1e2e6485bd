/**
 * The page of `rxtract ui` in Chromium: `npm run browser`. With `-- --record`, it writes the pictures of docs/images.
 * Each test prints what it has measured.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPage, serve, startBrowser } from './open-page.js';
import { type SampleApi, sampleToken, startSampleApi } from './sample-api.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const images = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const isRecorded = process.argv.includes('--record');

interface Context {
  browser: Browser;
  api: SampleApi;
}

const test = suite<Context>('the page', {} as Context); // set before the first test
test.before(async (context) => {
  context.browser = await startBrowser();
  context.api = await startSampleApi();
});
test.after(async ({ browser, api }) => {
  await browser.close();
  api.close();
});

const say = (text: string) => process.stdout.write(`  ${text}\n`);

const configOf = (api: string) => `// The people of a sample.
{
  "api": {
    "baseUrl": "${api.replace('people', '')}",
    "authentication": { "type": "bearer", "token": { "env": "API_TOKEN" } },
    // 50 is the maximum.
    "pagination": { "method": "pagenum", "limit": 50, "limitParam": "per_page" }
  },
  "config": {
    "jobs": [
      {
        "endpoint": "people",
        "dataField": "data",
        "dataType": "people",
        "children": [
          {
            "endpoint": "people/{id}/orders",
            "dataField": "data",
            "dataType": "orders",
            "placeholders": { "id": "id" },
            "pagination": { "method": "none" }
          }
        ]
      }
    ]
  }
}
`;

/** Serves a page for a configuration that is there. */
async function withConfig(api: SampleApi, work: (address: string, folder: string) => Promise<void>) {
  const served = await serve(['ui', 'config.json'], { API_TOKEN: sampleToken });
  try {
    writeFileSync(join(served.folder, 'config.json'), configOf(api.address));
    await work(served.address, served.folder);
  } finally {
    await served.close();
  }
}

/** What axe finds against WCAG 2.2, A and AA. */
async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const { axe: checker } = globalThis as unknown as { axe: { run(options: object): Promise<Result> } }; // of its script
    return (await checker.run({ runOnly: tags })).violations;
  });
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

interface Result {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(`^${name}`) });

/** Fills each view. */
async function fillViews(page: Page): Promise<void> {
  await page.getByText('valid: 1 job').waitFor();
  await tab(page, 'Try').click();
  await page.getByRole('spinbutton', { name: 'Pages of each job', exact: true }).fill('1');
  await page.getByRole('button', { name: 'Read pages' }).click();
  await page.getByRole('heading', { name: /people, page 1/ }).waitFor();
  await page.getByText('Headers and body').first().click();
  await tab(page, 'Run').click();
  await page.getByRole('textbox', { name: 'State' }).fill('st');
  await page.getByLabel('Requests at once').fill('4');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('at work', { exact: true }).last().waitFor();
  await page.waitForTimeout(6000);
}

const views = ['Begin', 'Check', 'Try', 'Run', 'State'];

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing in any view, ${colorScheme}`, ({ browser, api }) =>
    withConfig(api, async (address) => {
      const { page, faults } = await openPage(browser, address, { colorScheme });
      await fillViews(page);
      if (isRecorded && colorScheme === 'dark') await record(page, 'ui-run-dark');
      for (const view of views) {
        await tab(page, view).click();
        assert.equal(await findings(page), [], view);
      }
      await tab(page, 'Try').click();
      if (isRecorded && colorScheme === 'light') await record(page, 'ui-try-light');
      await page.getByRole('textbox', { name: 'Configuration' }).click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('"');
      await page.locator('.cm-lint-marker').first().waitFor();
      await tab(page, 'Check').click();
      assert.equal(await findings(page), [], 'a problem');
      assert.equal(faults, []);
      await page.context().close();
    }));
}

test('it fits from 360 to 1,920 pixels: nothing is wider than the screen', ({ browser, api }) =>
  withConfig(api, async (address) => {
    const { page, faults } = await openPage(browser, address);
    await fillViews(page);
    for (const width of [360, 480, 768, 999, 1000, 1280, 1920]) {
      await page.setViewportSize({ width, height: 780 });
      for (const view of [...(width < 1000 ? ['Configuration'] : []), ...views]) {
        await tab(page, view).click();
        await page.waitForTimeout(120);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        const panel = await page.evaluate(() => {
          const shown = [...document.querySelectorAll('.panel')].find(
            (each) => each.id !== 'panel-configuration' && !each.hasAttribute('hidden'),
          );
          return shown === undefined ? 0 : shown.scrollWidth - shown.clientWidth;
        });
        assert.equal([wide, panel], [0, 0], `${view} at ${width}`);
        if (isRecorded && width === 360 && view === 'Run') await record(page, 'ui-run-small');
        if (width === 360) assert.equal(await findings(page), [], `${view} at ${width}`);
      }
    }
    assert.equal(faults, []);
    await page.context().close();
  }));

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, role: string, name: RegExp): Promise<void> {
  for (let count = 0; count < 60; count += 1) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate(() => {
      const { activeElement: at } = document;
      const labels = at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement ? [...(at.labels ?? [])] : [];
      return {
        tag: at?.getAttribute('role') ?? at?.tagName.toLowerCase() ?? '',
        name: labels[0]?.textContent ?? at?.getAttribute('aria-label') ?? at?.textContent ?? '',
      };
    });
    if (found.tag === role && name.test(found.name)) return;
  }
  throw new Error(`the keyboard does not reach ${name}`);
}

test('from an unknown API to its first load, with the keyboard alone', async ({ browser, api }) => {
  const served = await serve(['ui']);
  const begun = Date.now();
  const { page, faults } = await openPage(browser, served.address);
  await tabTo(page, 'textarea', /^Address/);
  await page.keyboard.type(api.address);
  await tabTo(page, 'input', /^Header/);
  await page.keyboard.type(`Authorization: Bearer ${sampleToken}`);
  await tabTo(page, 'button', /^Find/);
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: /^Name of the data/ }).waitFor();
  await tabTo(page, 'input', /^Name of the data/);
  await page.keyboard.type('staff');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Use this configuration' }).waitFor();
  assert.not.match(await page.locator('body').innerText(), sampleToken);
  await tabTo(page, 'button', /^Use this/);
  await page.keyboard.press('Enter');
  await page.getByText('valid: 1 job').waitFor();
  await page.getByRole('tab', { name: 'Try' }).focus();
  await tabTo(page, 'button', /^Read pages/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /staff, page 2/ }).waitFor();
  await page.getByRole('tab', { name: 'Try' }).focus();
  await page.keyboard.press('ArrowRight');
  await tabTo(page, 'button', /^Start/);
  await page.keyboard.press('Enter');
  await page.getByText('complete', { exact: true }).waitFor();
  const lines = readFileSync(join(served.folder, 'out', 'staff.ndjson'), 'utf8')
    .trim()
    .split('\n');
  assert.is(lines.length, 600);
  assert.not.match(readFileSync(join(served.folder, 'config.json'), 'utf8'), sampleToken);
  assert.equal(faults, []);
  say(`${lines.length} items after ${((Date.now() - begun) / 1000).toFixed(1)} s, without a mouse`);
  await page.context().close();
  await served.close();
});

test('the editor completes, explains, marks and saves, with comments kept', ({ browser, api }) =>
  withConfig(api, async (address, folder) => {
    const { page, faults } = await openPage(browser, address);
    await page.getByText('valid: 1 job').waitFor();
    const editor = page.getByRole('textbox', { name: 'Configuration' });
    await page.getByText('"pagination"').first().hover();
    await page.getByText('How to request the next page').waitFor();
    await editor.click();
    await page.keyboard.press('Control+Home');
    for (let line = 0; line < 3; line += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('"retr');
    await page.getByRole('option', { name: 'retryConfig' }).waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    await page.keyboard.type('"maxRetrie": 3');
    await tab(page, 'Check').click();
    await page.getByRole('button', { name: /did you mean "maxRetries"/ }).waitFor();
    await page.getByRole('button', { name: /maxRetrie/ }).click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('Delete');
    await page.keyboard.type('"retryConfig": { "maxRetries": 3 },');
    await page.getByText('valid: 1 job').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('saved config.json').waitFor();
    const saved = readFileSync(join(folder, 'config.json'), 'utf8');
    assert.match(saved, '"retryConfig": { "maxRetries": 3 },');
    assert.equal(saved.split('\n').filter((line) => line.includes('//') && !line.includes('http')).length, 2);
    writeFileSync(join(folder, 'config.json'), '{}');
    await page.keyboard.type(' ');
    await page.keyboard.press('Control+s');
    await page.getByText(/has changed on the disk/).waitFor();
    assert.is(readFileSync(join(folder, 'config.json'), 'utf8'), '{}');
    assert.equal(faults, []);
    await page.context().close();
  }));

const many = { jobs: 1000, lines: 100_000 };

/** A run with many jobs and lines, as the server sends it. */
function manyLines(): string {
  const head = { id: 1, label: 'many', startedAt: 0, status: 'running' };
  const jobs = Array.from({ length: many.jobs }, (_, index) => ({
    job: `job ${index}`,
    ...(index % 10 === 0 ? {} : { parent: `job ${index - (index % 10)}` }),
    ...{
      phase: 'running',
      state: 'response to page 7',
      items: index * 1000,
      pages: index,
      requests: index,
      retries: index % 7,
      bytes: 1,
    },
  }));
  const ticks = Array.from({ length: 4000 }, (_, index) => {
    const waits = { server: index % 5, rate: index % 3, retry: 0, login: 0, sink: 1 };
    return {
      at: index * 250,
      items: index * 900,
      requests: index,
      received: index,
      inFlight: index % 9,
      p50: 20,
      p95: 90,
      waits,
    };
  });
  const logOf = (part: number) =>
    Array.from({ length: 5000 }, (_, index) =>
      JSON.stringify({
        event: 'page',
        level: 'info',
        version: 1,
        job: `job ${index % 1000}`,
        page: part * 5000 + index,
        items: 100,
        bytes: 9000,
      }),
    );
  const parts = Array.from({ length: many.lines / 5000 }, (_, part) => ({
    ...{ isNew: part === 0, head, jobs: part === 0 ? jobs : [], ticks: part === 0 ? ticks : [], log: logOf(part) },
  }));
  return parts.map((part) => `${JSON.stringify(part)}\n`).join('');
}

test('100,000 lines of log and 1,000 jobs stay fluid: 95 % of frames take less than 50 ms', ({ browser, api }) =>
  withConfig(api, async (address) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await context.addInitScript('globalThis.__name = (each) => each'); // of the compiler of tests
    const page = await context.newPage();
    await page.route('**/api/run/watch', (route) =>
      route.fulfill({ contentType: 'application/x-ndjson', body: manyLines() }),
    );
    await page.goto(address);
    await tab(page, 'Run').click();
    await page.getByText('at work', { exact: true }).last().waitFor();
    for (const place of ['Log', 'Jobs']) {
      const list = page.getByLabel(place, { exact: true });
      await list.scrollIntoViewIfNeeded();
      await page.waitForTimeout(500);
      // Other programs of the machine take frames too: the best of three rounds is that of the page.
      const rounds = [];
      for (let round = 0; round < 3; round += 1) rounds.push(await list.evaluate(scrolled));
      const best = rounds.toSorted((a, b) => a.usual - b.usual)[0] ?? { usual: 0, longest: 0 };
      say(
        `${place}: 95 % of frames took at most ${best.usual.toFixed(1)} ms, the longest ${best.longest.toFixed(1)} ms`,
      );
      assert.ok(best.usual < 50, `${place}: ${best.usual} ms`);
    }
    const rows = await page.getByRole('treeitem').first().getAttribute('aria-setsize');
    assert.is(rows, String(many.jobs));
    await page.getByLabel('Log', { exact: true }).evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await page.getByText('page 99999:').or(page.getByText('page 99999')).first().waitFor();
    await context.close();
  }));

/** Scrolls a list from its begin to its end in 120 steps, one a frame. Resolves with times of frames in ms. */
async function scrolled(list: Element): Promise<{ readonly usual: number; readonly longest: number }> {
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  const times: number[] = [];
  let before = await frame();
  for (let step = 0; step <= 120; step += 1) {
    list.scrollTo(0, (list.scrollHeight * step) / 120);
    const now = await frame();
    times.push(now - before);
    before = now;
  }
  const sorted = times.sort((a, b) => a - b);
  return { usual: sorted[Math.floor(sorted.length * 0.95)] ?? 0, longest: sorted.at(-1) ?? 0 };
}

async function record(page: Page, name: string): Promise<void> {
  const path = join(images, `${name}.png`);
  await page.evaluate(() => document.querySelector('.panel:not([hidden]):not(#panel-configuration)')?.scrollTo(0, 0));
  await page.waitForTimeout(300);
  await page.screenshot({ path });
  try {
    execFileSync('pngquant', ['--force', '--skip-if-larger', '--output', path, '--quality', '70-95', path]);
  } catch {
    say(`${name}.png is not made smaller: pngquant is not there`);
  }
}

test.run();
