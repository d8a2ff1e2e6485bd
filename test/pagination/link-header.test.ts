import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GivenOptions } from '../../src/core/options/kind.js';
import { linkHeader } from '../../src/pagination/link-header.js';
import { parseLinks } from '../../src/pagination/web-links.js';
import { job, made, show, walk } from './walk.js';

/** The target of the link to `next`. RFC 8288 3.5 has some of these. */
const headers: readonly (readonly [header: string, target: string | undefined])[] = [
  ['<https://x/y?page=2>; rel="next"', 'https://x/y?page=2'],
  ['<a>; rel=next', 'a'],
  ['<a>;rel=next', 'a'],
  ['  <a>  ;  rel  =  "next"  ', 'a'],
  ['<a>; REL="Next"', 'a'],
  ['<a>; rel="prev next"', 'a'],
  ['<a>; rel="nextish"', undefined],
  ['<a>; rel="prev"; rel="next"', undefined],
  ['<a>; rel="prev", <b>; rel="next", <c>; rel="last"', 'b'],
  ['<a>; rel="next", <b>; rel="next"', 'a'],
  ['<a,b;c>; rel="next"', 'a,b;c'],
  ['<a>; title="x, <b>; rel=\\"next\\""; rel="prev", <c>; rel=next', 'c'],
  ['<a>; title="a \\" b"; rel="next"', 'a'],
  ["<a>; title*=UTF-8'de'n%c3%a4chstes; rel=next", 'a'],
  ['<a>; hreflang; rel=next', 'a'],
  ['<a>; rel="next"; anchor="#foo"', undefined],
  ['<a>', undefined],
  ['<>; rel=next', ''],
  [',, <a>; rel=next ,,', 'a'],
  ['rubbish, <a>; rel=next', 'a'],
  ['<a>; "what"; rel=next, <b>; rel=next', 'b'],
  ['<a; rel=next', undefined],
  ['', undefined],
];

for (const [header, target] of headers) {
  test(`${header || 'no header'} leads ${target === undefined ? 'nowhere' : `to ${target || 'itself'}`}`, () => {
    const next = parseLinks(header).find(({ relations, isAnchored }) => relations.includes('next') && !isAnchored);
    assert.is(next?.target, target);
  });
}

test('a long header of nothing useful is read in one go', () => {
  assert.equal(parseLinks(`${'<a>;'.repeat(5000)}${'x;= "'.repeat(5000)}`).length > 0, true);
});

interface Case {
  readonly rule: string;
  readonly options?: GivenOptions<typeof linkHeader.fields>;
  readonly links: readonly (readonly string[])[];
  readonly requests: readonly string[];
  readonly stop?: string;
}

const cases: readonly Case[] = [
  {
    rule: 'resolves each link against the address of its response',
    links: [['<?page=2>; rel="next"'], ['</v2/users?page=3>; rel="next"'], ['<more>; rel="next"'], []],
    requests: [
      'users {"q":1}',
      'https://api.example/v1/users?page=2 {}',
      'https://api.example/v2/users?page=3 {}',
      'https://api.example/v1/more {}',
    ],
  },
  {
    rule: 'several header lines are one list',
    links: [['<a>; rel="prev"', '<b>; rel="next"']],
    requests: ['users {"q":1}', 'https://api.example/v1/b {}'],
  },
  {
    rule: 'the relation may be another one, in any case',
    options: { rel: 'Older', includeParams: true },
    links: [['<b>; rel="older"'], ['<c>; rel="next"']],
    requests: ['users {"q":1}', 'https://api.example/v1/b {"q":1}'],
    stop: 'no link to "Older"',
  },
  {
    rule: 'the value of another header is the link, and an empty one ends the job',
    options: { header: 'X-Next-Page-Url' },
    links: [['https://api.example/v1/users?page=2'], [' ?page=3 ', 'other'], ['']],
    requests: ['users {"q":1}', 'https://api.example/v1/users?page=2 {}', 'https://api.example/v1/users?page=3 {}'],
    stop: 'no link in the header "X-Next-Page-Url"',
  },
  {
    rule: 'another header may have links with relations',
    options: { header: 'X-Links', includeParams: true },
    links: [['<a>; rel="prev"', '<b>; rel="next"'], ['<a>; rel="prev"']],
    requests: ['users {"q":1}', 'https://api.example/v1/b {"q":1}'],
    stop: 'no link in the header "X-Links"',
  },
  {
    rule: 'the header Link has relations also where it is named',
    options: { header: 'LINK' },
    links: [['https://api.example/v1/users?page=2']],
    requests: ['users {"q":1}'],
    stop: 'no link to "next"',
  },
];

for (const { rule, options = {}, links, requests, stop } of cases) {
  test(rule, () => {
    const scroller = made(linkHeader, options);
    const name = (options.header ?? 'link').toLowerCase();
    assert.equal(scroller.headers, [name]);
    const pages = links.map((link) => ({ more: { headers: new Map(link.length === 0 ? [] : [[name, link]]) } }));
    const walked = walk(scroller, job({ q: 1 }), pages);
    assert.equal(walked.requests.map(show), requests);
    if (stop !== undefined) assert.equal(walked.stop, { stop, by: 'no next link' });
    assert.ok(walked.requests.slice(1).every(({ link }) => link === true));
  });
}

test.run();
