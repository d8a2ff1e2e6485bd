/**
 * Tries the built site in Chromium: `npm run site -- --try`. Each page loads without an error and without a request to
 * another host, and fits a screen of 360 pixels; the search finds a term; dark and light have their colours.
 */
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';

const types = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Serves `folder` below `base`, at a port of the loopback interface. */
async function serve(folder, base) {
  const server = createServer(({ url }, response) => {
    const path = decodeURI(new URL(url, 'http://x').pathname);
    const file = join(
      folder,
      path.startsWith(base) ? path.slice(base.length) : 'none',
      path.endsWith('/') ? 'index.html' : '',
    );
    if (path.includes('..') || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    return createReadStream(file).pipe(response);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

/** What is wrong with the pages below `folder`, a line each. */
export async function triedPages(folder, base) {
  const { server, origin } = await serve(folder, base);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
    const page = await context.newPage();
    const faults = [];
    let now = '';
    const say = (what) => faults.push(`${now}: ${what}`);
    page.on('pageerror', ({ message }) => say(message));
    page.on('console', (each) => each.type() === 'error' && say(each.text()));
    page.on('requestfailed', (each) => each.failure()?.errorText !== 'net::ERR_ABORTED' && say(`${each.url()} failed`));
    page.on(
      'request',
      (each) => each.url().startsWith(origin) || each.url().startsWith('data:') || say(`asks ${each.url()}`),
    );
    const paths = readdirSync(folder, { recursive: true }).map(String);
    for (const path of paths.filter((each) => each.endsWith('.html') && each !== '404.html').sort()) {
      now = path.replaceAll('\\', '/');
      await page.goto(`${origin}${base}${now}`, { waitUntil: 'load' });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 360) say(`is ${width} pixels wide on a screen of 360`);
      const tag = await page.evaluate(() =>
        /<\/?(?:a|br|p|div|img)\b[^>]*>/.exec(document.querySelector('main')?.innerText ?? ''),
      );
      if (tag !== null && now.startsWith('api/')) say(`shows ${tag[0]} as text`);
    }
    now = 'search';
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${origin}${base}docs/`, { waitUntil: 'networkidle' });
    await page.keyboard.press('Control+k');
    await page.fill('input[type=search], .search-input', 'rateLimit');
    await page.waitForSelector('.results .result', { timeout: 10_000 }).catch(() => say('finds nothing for rateLimit'));
    now = 'colours';
    const colours = new Set();
    for (const colorScheme of ['light', 'dark']) {
      const themed = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 800 } });
      await themed.goto(`${origin}${base}`, { waitUntil: 'networkidle' });
      colours.add(await themed.evaluate(() => getComputedStyle(document.body).backgroundColor));
      if (process.env.SITE_PICTURES) {
        for (const [name, path] of [
          ['home', ''],
          ['chapter', 'docs/03-pagination.html'],
          ['api', 'api/'],
        ]) {
          await themed.goto(`${origin}${base}${path}`, { waitUntil: 'networkidle' });
          await themed.screenshot({ path: join(process.env.SITE_PICTURES, `site-${name}-${colorScheme}.png`) });
        }
      }
      await themed.close();
    }
    if (colours.size !== 2) say('dark and light are alike');
    return faults;
  } finally {
    await browser.close();
    server.close();
  }
}
