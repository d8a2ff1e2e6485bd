// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of a shell are the subject.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { splitCmd } from '../../../src/tools/init/cmd-words.js';
import { readCurl, readCurlText } from '../../../src/tools/init/curl.js';
import type { FoundRequest } from '../../../src/tools/init/found-request.js';
import type { ReadContext } from '../../../src/tools/init/read-context.js';
import { failure } from '../../support/failure.js';
import { contextOf } from './read-context.js';

const read = (text: string, over: Partial<ReadContext> = {}): Promise<FoundRequest> =>
  readCurlText(text, contextOf(over));

/** What a test compares of a request: method and URL, headers, body, environment variables. */
function shown({ method, url, headers, body, secrets }: FoundRequest): object {
  return {
    request: `${method} ${url}`,
    headers: headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? {} : { body: `${body.kind} ${body.text}` }),
    env: secrets.map(({ env }) => env),
  };
}

interface Case {
  readonly name: string;
  readonly text: string;
  readonly request: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly env?: readonly string[];
}

const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';

const cases: readonly Case[] = [
  {
    name: 'Chrome on Linux, a GET',
    text: `curl 'https://app.example.com/api/v2/users?page=1&per_page=50&team=9f31ab42c7d05e88' \\
  -H 'accept: application/json, text/plain, */*' \\
  -H 'accept-language: de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7' \\
  -H 'authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc' \\
  -b '_ga=GA1.1.1; session=s%3Aabc' \\
  -H 'if-none-match: W/"5-abc"' \\
  -H 'priority: u=1, i' \\
  -H 'referer: https://app.example.com/users?token=abc' \\
  -H 'sec-ch-ua: "Chromium";v="131", "Not_A Brand";v="24"' \\
  -H 'sec-fetch-mode: cors' \\
  -H 'user-agent: ${userAgent}' \\
  -H 'x-csrf-token: c0ffee'`,
    request: 'GET https://app.example.com/api/v2/users?page=1&per_page=50&team=9f31ab42c7d05e88',
    headers: [
      'Cookie: _ga=GA1.1.1; session=s%3Aabc',
      'accept: application/json, text/plain, */*',
      'accept-language: de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7',
      'authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc',
      'referer: https://app.example.com/',
      `user-agent: ${userAgent}`,
      'x-csrf-token: c0ffee',
    ],
    env: ['API_TEAM', 'COOKIE', 'API_TOKEN', 'X_CSRF_TOKEN'],
  },
  {
    name: 'Chrome on Linux, a POST with $-quotes',
    text: `curl 'https://app.example.com/graphql' \\
  -H 'content-type: application/json' \\
  --data-raw $'{"query":"query Users { users(first: 10) { nodes { id } } }","variables":{"name":"O\\'Neil\\u0021"}}' \\
  --compressed`,
    request: 'POST https://app.example.com/graphql',
    body: `json {"query":"query Users { users(first: 10) { nodes { id } } }","variables":{"name":"O'Neil!"}}`,
    env: [],
  },
  {
    name: 'Chrome on Windows, cmd',
    text: `curl ^"https://app.example.com/api/users?q=a^%^20b^&page=1^" ^
  -H ^"accept: */*^" ^
  -H ^"x-api-key: k^&1^" ^
  --data-raw ^"^{^\\^"filter^\\^":^\\^"C:^\\^\\^\\^\\x^\\^",^\\^"limit^\\^":50^}^"`,
    request: 'POST https://app.example.com/api/users?q=a%20b&page=1',
    headers: ['accept: */*', 'x-api-key: k&1'],
    body: 'json {"filter":"C:\\\\x","limit":50}',
    env: ['X_API_KEY'],
  },
  {
    name: 'Firefox on Linux',
    text: `curl 'https://api.example.com/items?limit=10&cursor=YXJyYXljb25uZWN0aW9uOjE%3D' -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/2010 Firefox/133.0' -H 'Accept: application/json' -H 'Accept-Language: en-US,en;q=0.5' -H 'Accept-Encoding: gzip, deflate, br, zstd' -H 'DNT: 1' -H 'Connection: keep-alive' -H 'Cookie: sid=xyz' -H 'Sec-Fetch-Dest: empty' -H 'TE: trailers'`,
    request: 'GET https://api.example.com/items?limit=10&cursor=YXJyYXljb25uZWN0aW9uOjE%3D',
    headers: [
      'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/2010 Firefox/133.0',
      'Accept: application/json',
      'Accept-Language: en-US,en;q=0.5',
      'Cookie: sid=xyz',
    ],
    env: ['API_CURSOR', 'COOKIE'],
  },
  {
    name: 'Firefox on Windows, cmd with doubled quotes',
    text: 'curl "https://api.example.com/items?limit=10" -X POST -H "Content-Type: application/json" --data-raw "{""limit"":10,""sort"":""name""}" ^\n  --compressed',
    request: 'POST https://api.example.com/items?limit=10',
    body: 'json {"limit":10,"sort":"name"}',
  },
  {
    name: 'Safari',
    text: `curl 'https://api.example.com/v1/search' \\
-X 'POST' \\
-H 'Content-Type: application/x-www-form-urlencoded; charset=UTF-8' \\
-H 'Pragma: no-cache' \\
-H 'Accept: */*' \\
-H 'Sec-Fetch-Site: same-origin' \\
-H 'Priority: u=3, i' \\
--data 'term=caf%C3%A9&limit=20'`,
    request: 'POST https://api.example.com/v1/search',
    headers: ['Accept: */*'],
    body: 'form term=caf%C3%A9&limit=20',
    env: [],
  },
  {
    name: 'documentation, user and password, a pipe',
    text: "$ curl -sSL -u 'ada:p@ss:word' https://api.example.com/projects.json?order=desc | jq '.[] | .id' > out.txt",
    request: 'GET https://ada:p%40ss%3Aword@api.example.com/projects.json?order=desc',
    env: ['API_USER', 'API_PASSWORD'],
  },
  {
    name: 'documentation, data as a query',
    text: 'curl -G https://api.example.com/charges -d limit=3 --data-urlencode "created[gte]=2024-01-01" --data-urlencode "q=a b" -d =x=',
    request: 'GET https://api.example.com/charges?limit=3&created[gte]=2024-01-01&q=a%20b&=x=',
    env: [],
  },
  {
    name: 'documentation, --json twice and --url-query',
    text: `curl --json '{"limit":' --json '10}' --url-query 'page=2' --url-query '+raw=1' --url https://api.example.com/search`,
    request: 'POST https://api.example.com/search?page=2&raw=1',
    headers: ['Accept: application/json'],
    body: 'json {"limit":10}',
  },
  {
    name: 'documentation, JSON without its type, several parts of a form',
    text: `curl https://api.example.com/a -d '{"page":1}'`,
    request: 'POST https://api.example.com/a',
    body: 'json {"page":1}',
  },
  {
    name: 'a here-document',
    text: 'curl -X POST https://es.example.com/items/_search -H "Content-Type: application/json" -d @- <<EOF\n{\n "size": 10 }\nEOF',
    request: 'POST https://es.example.com/items/_search',
    body: 'json { "size": 10 }',
  },
  {
    name: 'options in letters, and attached values',
    text: 'curl -sXPOST -kHAccept:application/json -dpage=1 -d size=2 https://api.example.com/a#part --no-progress-meter --',
    request: 'POST https://api.example.com/a',
    headers: ['Accept: application/json'],
    body: 'form page=1&size=2',
  },
  {
    name: 'a removed header, an empty one, an agent, a referer and a bearer token',
    text: `curl.exe api.example.com/a -H 'Accept:' -H 'X-Empty;' -A tool/1.0 -e 'https://x.example/a;auto' --oauth2-bearer t0k -I`,
    request: 'GET http://api.example.com/a',
    headers: ['User-Agent: tool/1.0', 'Referer: https://x.example/', 'Authorization: Bearer t0k', 'X-Empty: '],
    env: ['API_TOKEN'],
  },
  {
    name: 'headers in place of options, and options without an effect',
    text: `curl https://api.example.com/a -u a:b -H 'Authorization: Basic YTpi' -A '' -e '' -b '' -b 'a=1' -b 'b=2' -X HEAD`,
    request: 'GET https://api.example.com/a',
    headers: ['Cookie: a=1; b=2', 'Authorization: Basic YTpi'],
    env: ['COOKIE', 'API_CREDENTIALS'],
  },
];
for (const { name, text, request, headers = [], body, env = [] } of cases) {
  test(`reads ${name}`, async () => {
    const expected = { request, headers, ...(body === undefined ? {} : { body }), env };
    assert.equal(shown(await read(text)), expected);
  });
}

test('reads the words of the command line', async () => {
  const found = await readCurl(['curl', '-H', 'X-Key: a', 'https://api.example.com/a'], contextOf());
  assert.equal(shown(found), { request: 'GET https://api.example.com/a', headers: ['X-Key: a'], env: ['X_KEY'] });
});

test('names secrets after the variables of the command', async () => {
  const text = `export HOST=api.example.com
TOKEN='t0ken'
curl "https://$HOST/a?team=\${TEAM:-7ab}" -H "Authorization: Bearer $TOKEN" -H "X-Key: $KEY"`;
  const found = await read(text, { env: { KEY: 'k3y' } });
  assert.is(found.url.href, 'https://api.example.com/a?team=7ab');
  assert.equal(found.secrets, [
    { in: 'query', index: 0, env: 'TEAM' },
    { in: 'header', index: 0, env: 'TOKEN', prefix: 'Bearer ' },
    { in: 'header', index: 1, env: 'KEY' },
  ]);
});

test('names secrets after exported variables that have them', async () => {
  const words = ['curl', '-H', 'Authorization: Bearer 0123456789', 'https://api.example.com/a'];
  const found = await readCurl(words, contextOf({ env: { EXAMPLE_TOKEN: '0123456789', SHELL: 'Bearer 0123456789' } }));
  assert.is(found.secrets[0]?.env, 'EXAMPLE_TOKEN');
});

test('asks for a password that is missing', async () => {
  const found = await read('curl -u ada https://api.example.com/', { ask: async () => 'pw' });
  assert.is(found.url.password, 'pw');
});

test('says which options were left out, without their values', async () => {
  const text =
    'curl -k -x http://u:secret@proxy:1 --max-time 5 --cacert ca.pem --insecure -r 0-5 https://api.example.com/';
  assert.equal((await read(text)).notes, [
    '-k was left out: rxtract verifies certificates. For an authority of your own set `api.caCertificate`.',
    '-x was left out: give rxtract --proxy URL, or --proxy env.',
    '--max-time was left out: set `api.http.requestTimeout`.',
    '--cacert was left out: init reads no file that a command names. Set `api.caCertificate`.',
    '--insecure was left out: rxtract verifies certificates. For an authority of your own set `api.caCertificate`.',
    '-r was left out: rxtract requests whole responses.',
  ]);
});

const refused: readonly (readonly [text: string, message: RegExp])[] = [
  [
    'curl -d @secrets.json https://h/',
    /^-d names a file, and init reads no file that a command names: write its content/,
  ],
  ['curl -d @- https://h/', /^-d names a file/],
  ['curl --data-binary @a https://h/', /^--data-binary names a file/],
  ['curl --data-urlencode a@b https://h/', /^--data-urlencode names a file/],
  ['curl -G --data-urlencode @b https://h/', /^--data-urlencode names a file/],
  ['curl --json @a https://h/', /^--json names a file/],
  ['curl -H @headers https://h/', /^-H names a file/],
  ['curl -b cookies.txt https://h/', /^-b names a file/],
  ['curl https://h/ -d @- < file', /reads a file \(<\)/],
  ['curl -K c https://h/', /^the option -K of curl cannot be used: init reads no file/],
  ['curl -n https://h/', /^the option -n of curl cannot be used: .* write -u USER:PASSWORD/],
  ['curl --netrc-file f https://h/', /^the option --netrc-file of curl/],
  ['curl -T f https://h/', /^the option -T of curl/],
  ['curl -E c https://h/', /^the option -E of curl .*clientCertificate/],
  ['curl -F a=b https://h/', /^the option -F of curl .*--data-urlencode/],
  ['curl --digest -u a:b https://h/', /^the option --digest of curl/],
  ['curl https://h/ --next https://i/', /^the option --next of curl cannot be used: init reads one request/],
  ['curl https://h/ https://i/', /several URLs/],
  ['curl -X DELETE https://h/', /^init sends GET and POST only, not DELETE/],
  ['curl -X "a b" https://h/', /^init sends GET and POST only: use/],
  ['curl -X GET -d "{}" https://h/', /^a GET cannot have a body: try -X POST/],
  ['curl https://h/ -d "[1]" -H "Content-Type: application/json"', /^the JSON body is not an object/],
  ['curl https://h/ -d "{" -H "Content-Type: application/json"', /^the JSON body is not an object/],
  ['curl https://h/ -d "<a/>" -H "Content-Type: text/xml"', /^the body is neither JSON nor a form/],
  ['curl -s', /has no URL/],
  ['curl https://h/ -H', /^the option -H of curl needs a value/],
  ['curl https://h/ -H abc', /^a header of -H has no colon/],
  ['curl https://h/ --heder a', /^--heder is no option of curl that init knows; did you mean "--header"\?/],
  ['curl https://h/ --qqqqqqqqqqq', /^--qqqqqqqqqqq is no option of curl that init knows: leave it out/],
  ['curl https://h/ -_', /^-_ is no option of curl/],
  ['curl ftp://h/a', /^init reads http and https, not ftp/],
  ['curl "https://h:99999/"', /^the URL of the request cannot be read/],
  ['curl "https://h/[1-9]"', /^the URL stands for several/],
  ['curl "https://h/{a,b}"', /^the URL stands for several/],
  ['curl -u ada https://h/', /^-u has no password/],
  ['curl https://h/?a=1&b=2', /^the curl command ends at an & outside of quotes/],
  ['curl "https://h/', /^the command cannot be read at character \d+: unterminated double quote/],
  ['curl "https://h/$WHERE"', /^the command uses a variable that is not set: there is no variable "WHERE"/],
  ['curl "https://h/$' + '{A#b}"', /^the command changes the variable A/],
  ['curl "https://h/${A[0]}"', /^the command changes the variable A/],
  ['curl "https://h/${!A}"', /^the command changes the variable A/],
  ['curl "https://h/${A:+x}"', /^the command changes the variable A/],
  ['curl https://h/ < in.json', /^the command reads a file \(<\)/],
  ['( curl https://h/ )', /^standard input has no curl command/],
  ['curl -H "A: $(cat token)" https://h/', /^the command contains \$\(\.\.\.\)/],
  ['curl -H "A: `cat token`" https://h/', /^the command contains \$\(\.\.\.\)/],
  ['curl https://h/ && curl https://i/', /^there are several curl commands/],
  ['curl ^"https://h/^" & curl ^"https://i/^"', /^there are several curl commands/],
  ['wget https://h/', /^standard input has no curl command/],
  ['dir ^', /^standard input has no curl command/],
  ['', /^standard input has no curl command/],
  ['Invoke-WebRequest -UseBasicParsing -Uri "https://h/"', /^this is no curl command of a shell: .* cURL \(bash\)/],
  ['fetch("https://h/", { "method": "GET" });', /^this is no curl command of a shell/],
  ['curl https://h/{id}/a', /^the URL has a placeholder/],
  ["curl '{{baseUrl}}/a'", /^the URL/],
  ["curl https://h/ -H 'Authorization: Bearer <YOUR-TOKEN>'", /^the header Authorization has a placeholder/],
];
for (const [text, message] of refused) {
  test(`refuses ${text}`, async () => {
    const { code, message: found } = await failure(read(text));
    assert.is(code, 'ERR_USAGE');
    assert.match(found, message);
  });
}

/** What a shell hands to curl in other ways than as plain words. */
const handed: readonly [what: string, text: string, shown: string][] = [
  ['a here-string', `curl https://h/ -d @- <<< 'a=1'`, 'POST https://h/, form a=1\n'],
  ['a here-string of a variable', `A='b=2'\ncurl https://h/ -d @- <<< "$A"`, 'POST https://h/, form b=2\n'],
  ['a here-document without variables', `curl https://h/ -d @- <<'EOF'\na=$B\nEOF`, 'POST https://h/, form a=$B'],
  ['an output file', 'curl https://h/ > out.json', 'GET https://h/'],
  [
    'an exported variable beside one without a value',
    'export A\nexport -x B=1\ncurl "https://h/$B"',
    'GET https://h/1',
  ],
  ['a spare value that is assigned', 'curl "https://h/${A:=x}"', 'GET https://h/x'],
  ['a text in the quotes of $', "curl $'https://h/a\\x62'", 'GET https://h/ab'],
];

for (const [what, text, expected] of handed) {
  test(`reads ${what}`, async () => {
    const { method, url, body } = await read(text);
    const posted = body === undefined ? '' : `, ${body.kind} ${body.text}`;
    assert.is(`${method} ${url}${posted}`.trimEnd(), expected.trimEnd());
  });
}

test('in a command of cmd.exe a backslash is one, except before a quote, and two quotes are one within quotes', () => {
  assert.equal(splitCmd('curl "https://h/" -H "X: C:\\dir" \\x ""a "b""c" "d\\"e\\"g" "f\\\\" ^\n --z & dir\n'), [
    ['curl', 'https://h/', '-H', 'X: C:\\dir', '\\x', 'a', 'b"c', 'd"e"g', 'f\\', '--z'],
    ['dir'],
  ]);
});

test('refuses words after -- that are no curl command', async () => {
  assert.match((await failure(readCurl(['wget'], contextOf()))).message, /^expected a curl command after --/);
});

test.run();
