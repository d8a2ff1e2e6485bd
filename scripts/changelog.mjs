/** The form of CHANGELOG.md: versions, and below each of them kinds of changes, components and lists of notes. */

export const unreleased = 'Unreleased';
const kinds = ['Added', 'Changed', 'Fixed'];
const components = [
  'Configuration',
  'Requests',
  'Formats',
  'Authentication',
  'Responses',
  'Pagination and jobs',
  'Sinks',
  'State and resume',
  'Command line',
  'In code',
  'Installation',
  'Security',
  'Speed and memory',
];

/** The notes of a version, without their heading, which may have a date; undefined if there is no such heading. */
export function notesOf(text, version) {
  const [, ...sections] = `\n${text}`.split(/\n## /);
  const section = sections.find((each) => each.split('\n')[0].split(' ')[0] === version);
  return section?.slice(section.indexOf('\n') + 1).trim();
}

/** What is wrong with notes: each is an item of a list, below a kind and a component, in their order. */
export function problemsOf(notes) {
  const problems = [];
  let [kind, component] = [];
  const read = {
    '### ': (name) => {
      if (!isNext(name, kinds, kind)) problems.push(`"${name}" is not one of ${kinds.join(', ')}, in this order`);
      [kind, component] = [name];
    },
    '#### ': (name) => {
      if (!isNext(name, components, component)) {
        problems.push(`${kind}: "${name}" is not one of ${components.join(', ')}, in this order`);
      }
      component = name;
    },
    '- ': (note) => {
      if (kind === undefined || component === undefined) problems.push(`no kind or component is above "${note}"`);
    },
  };
  for (const line of notes.split('\n')) {
    const mark = Object.keys(read).find((each) => line.startsWith(each));
    if (mark !== undefined) read[mark](line.slice(mark.length));
    else if (line !== '' && !line.startsWith('  ')) problems.push(`"${line}" is neither a heading nor part of a list`);
  }
  if (!/^- /m.test(notes)) problems.push('there are no notes');
  return problems;
}

const isNext = (name, order, last) => order.indexOf(name) > order.indexOf(last);

/** The text with the unreleased notes as those of a version. */
export const released = (text, version, date) =>
  text.replace(`## ${unreleased}\n`, `## ${unreleased}\n\n## ${version} - ${date}\n`);
