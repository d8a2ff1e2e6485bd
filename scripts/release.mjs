/**
 * Makes a release: `npm run release -- minor`. Checks what the release needs, then writes the version into the files
 * that name it, makes the unreleased notes those of the version, commits and tags. It pushes nothing: a tag that is
 * pushed starts the workflow that publishes.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { notesOf, problemsOf, released, unreleased } from './changelog.mjs';

/** What has to pass, in this order. */
const checks = ['lint', 'typecheck', 'test', 'test:packaging'];
const steps = ['major', 'minor', 'patch'];
const usage = 'npm run release -- major, minor, patch, or a version such as 1.0.0-beta.1; --dry-run changes nothing';

/** Ends the release. Nothing was changed. */
class Refused extends Error {}

const read = (path) => readFileSync(path, 'utf8');

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) throw new Refused(`git ${args[0]}: ${stderr.trim()}`);
  return stdout.trim();
}

/** The version after the current one: the next of a step, or one that is named. */
function versionAfter(current, word) {
  const parts = /^(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?$/.exec(current).slice(1, 4).map(Number);
  const step = steps.indexOf(word);
  if (step >= 0) return parts.map((part, at) => (at < step ? part : at === step ? part + 1 : 0)).join('.');
  if (/^\d+\.\d+\.\d+(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$/.test(word ?? '')) return word;
  throw new Refused(usage);
}

function check(version, manifest) {
  if (git('status', '--porcelain') !== '') throw new Refused('there are changes that are not committed');
  if (git('tag', '--list', `v${version}`) !== '') throw new Refused(`the tag v${version} is there already`);
  if (JSON.stringify([manifest.repository, manifest.bugs, manifest.homepage]).includes('example.com')) {
    throw new Refused(
      'package.json: repository, bugs and homepage are placeholders. npm compares repository with the place that publishes',
    );
  }
  const notes = notesOf(read('CHANGELOG.md'), unreleased);
  const problems = notes === undefined ? [`there is no "## ${unreleased}"`] : problemsOf(notes);
  if (problems.length > 0) throw new Refused(`CHANGELOG.md: ${problems.join('; ')}`);
  for (const name of checks) {
    const { status } = spawnSync(`npm run ${name}`, { stdio: 'inherit', shell: true });
    if (status !== 0) throw new Refused(`npm run ${name} has failed`);
  }
  if (git('status', '--porcelain') !== '') throw new Refused('the checks have changed files: commit them first');
  return notes;
}

/** Writes the version into the files that name it. */
function write(current, version, date) {
  const replace = (path, from, to) => {
    const text = read(path);
    if (!text.includes(from)) throw new Error(`${path} does not contain ${from}`);
    writeFileSync(path, text.replaceAll(from, to));
  };
  replace('package.json', `\n  "version": "${current}"`, `\n  "version": "${version}"`);
  const lock = JSON.parse(read('package-lock.json'));
  lock.version = version;
  lock.packages[''].version = version;
  writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
  const escaped = (text) => text.replaceAll('-', '--'); // as badges have it
  replace('README.md', `![version ${current}]`, `![version ${version}]`);
  replace('README.md', `badge/version-${escaped(current)}-`, `badge/version-${escaped(version)}-`);
  replace('README.md', `rxtract-${current}.tgz`, `rxtract-${version}.tgz`);
  writeFileSync('CHANGELOG.md', released(read('CHANGELOG.md'), version, date));
}

function release(args) {
  const words = args.filter((word) => word !== '--dry-run');
  if (words.length !== 1) throw new Refused(usage);
  const manifest = JSON.parse(read('package.json'));
  const version = versionAfter(manifest.version, words[0]);
  const notes = check(version, manifest);
  if (args.includes('--dry-run')) return `${version} can be released. Its notes:\n\n${notes}`;
  write(manifest.version, version, new Date().toISOString().slice(0, 10));
  git('add', 'package.json', 'package-lock.json', 'README.md', 'CHANGELOG.md');
  git('commit', '--quiet', '--message', `release: ${version}`);
  // A line that begins with # is part of the notes, no comment.
  git('tag', '--annotate', `v${version}`, '--cleanup=whitespace', '--message', `rxtract ${version}\n\n${notes}`);
  return `v${version} is tagged here. To publish it:\n\n  git push --follow-tags`;
}

try {
  process.stdout.write(`${release(process.argv.slice(2))}\n`);
} catch (thrown) {
  if (!(thrown instanceof Refused)) throw thrown;
  process.stderr.write(`no release: ${thrown.message}\n`);
  process.exitCode = 1;
}
