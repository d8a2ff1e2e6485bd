/** The page of the built command in Chromium. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** The program in CHROMIUM, or the first on the path. */
function browserPath(): string {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const found = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const path = process.env.CHROMIUM ?? found.find((each) => existsSync(each));
  if (path === undefined) throw new Error('Chromium is needed: apt-get install chromium, or its path in CHROMIUM');
  return path;
}

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox', '--force-color-profile=srgb'] });

export interface Served {
  readonly address: string;
  /** The folder of the command. */
  readonly folder: string;
  close(): Promise<void>;
}

/** Starts the command with these words in a folder of its own. */
export async function serve(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'rxtract-page-'));
  const child = spawn(process.execPath, [main, ...words], { cwd: folder, env: { ...process.env, ...env } });
  const address = await addressOf(child);
  return {
    address,
    folder,
    async close() {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGINT');
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(late);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const addressOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const look = (chunk: unknown) => {
      text += String(chunk);
      const [address] = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('close', () => reject(new Error(`the command has ended: ${text}`)));
  });

export interface OpenedPage {
  readonly page: Page;
  /** What the page has complained about, and requests to others. */
  readonly faults: readonly string[];
}

export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(20_000);
  await context.addInitScript('globalThis.__name = (each) => each'); // of the compiler of tests
  const page = await context.newPage();
  const faults: string[] = [];
  const { origin } = new URL(address);
  page.on('pageerror', (error) => void faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of 400')) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(`asked ${request.url()}`);
    const { referer = '' } = request.headers();
    if (referer !== '') faults.push(`a referer: ${referer}`);
  });
  await page.goto(address);
  await page.getByRole('tablist').waitFor();
  return { page, faults };
}
