/** The options of curl: which take a value, which `rxtract init` uses, and what it says about the others. */
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';

/** What an option does to the request. */
export type CurlRole =
  | 'basic'
  | 'bearer'
  | 'body'
  | 'cookie'
  | 'data'
  | 'encoded'
  | 'get'
  | 'glob'
  | 'header'
  | 'json'
  | 'method'
  | 'query'
  | 'referer'
  | 'url'
  | 'userAgent';

/** An option with its value; empty for one without. `given` is its spelling in the command. */
export interface CurlOption {
  readonly role: CurlRole;
  readonly given: string;
  readonly value: string;
}

export interface CurlArguments {
  /** In their order; a word that is no option is a URL. */
  readonly options: readonly CurlOption[];
  /** A sentence for each option that has another place in rxtract. */
  readonly notes: readonly string[];
}

/** `=NAME` takes a value. A letter behind a comma is the short name. */
const roles: Readonly<Record<CurlRole, string>> = {
  header: '=header,H',
  method: '=request,X',
  data: '=data,d =data-ascii =data-binary',
  body: '=data-raw',
  encoded: '=data-urlencode',
  json: '=json',
  query: '=url-query',
  get: 'get,G',
  basic: '=user,u',
  bearer: '=oauth2-bearer',
  cookie: '=cookie,b',
  userAgent: '=user-agent,A',
  referer: '=referer,e',
  url: '=url',
  glob: 'globoff,g',
};

/** These change what curl shows, stores or negotiates, but not what a configuration says. */
const silent = `silent,s show-error,S verbose,v include,i show-headers fail,f fail-with-body fail-early location,L
  compressed no-buffer,N buffer progress-bar,# progress-meter http0.9 http1.0,0 http1.1 http2 http2-prior-knowledge http3
  http3-only ipv4,4 ipv6,6 tcp-nodelay tcp-fastopen tlsv1,1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 sslv2,2 sslv3,3 ssl ssl-reqd
  keepalive sessionid disable,q remote-header-name,J remote-name,O remote-name-all remote-time,R create-dirs path-as-is raw
  tr-encoding styled-output trace-time trace-ids post301 post302 post303 alpn npn ssl-no-revoke ssl-auto-client-cert
  ssl-allow-beast ssl-revoke-best-effort false-start ca-native remove-on-error skip-existing clobber junk-session-cookies,j
  basic append,a list-only,l use-ascii,B cert-status xattr disallow-username-in-url out-null proxytunnel,p
  =output,o =output-dir =write-out,w =stderr =trace =trace-ascii =trace-config =dump-header,D =cookie-jar,c =max-redirs
  =max-filesize =keepalive-time =keepalive-cnt =ciphers =tls13-ciphers =tls-max =curves =happy-eyeballs-timeout-ms
  =expect100-timeout =local-port =dns-servers =dns-interface =dns-ipv4-addr =dns-ipv6-addr =doh-url =create-file-mode
  =etag-save =libcurl =proto =proto-default =proto-redir =parallel-max =hsts =alt-svc =interface =limit-rate =speed-time,y
  =speed-limit,Y =retry-delay =retry-max-time retry-all-errors retry-connrefused =request-target =ip-tos =vlan-priority`;

/** What to do instead, by option. */
const elsewhere: Readonly<Record<string, string>> = {
  'head,I': 'init reads the body too',
  'insecure,k': 'rxtract verifies certificates. For an authority of your own set `api.caCertificate`',
  'location-trusted': 'list origins that may get the credentials in `api.http.credentialOrigins`',
  '=max-time,m': 'set `api.http.requestTimeout`',
  '=connect-timeout': 'set `api.http.connectTimeout`',
  '=retry': 'set `api.retryConfig.maxRetries`',
  '=rate': 'set `api.http.rateLimit`',
  '=proxy,x =preproxy =socks4 =socks4a =socks5 =socks5-hostname': 'give rxtract --proxy URL, or --proxy env',
  '=proxy-user,U =noproxy =proxy-header =proxy-cacert proxy-insecure': 'the proxy belongs into --proxy URL',
  '=cacert =capath': 'init reads no file that a command names. Set `api.caCertificate`',
  '=range,r =time-cond,z =continue-at,C =etag-compare': 'rxtract requests whole responses',
};

const noFile = 'init reads no file that a command names';

/** What to try instead, by option: a request without it would be another one. */
const refused: Readonly<Record<string, string>> = {
  '=config,K': `${noFile}: write its options into the command`,
  'netrc,n netrc-optional =netrc-file': `${noFile}: write -u USER:PASSWORD instead`,
  '=cert,E =key =cert-type =key-type =pass': `${noFile}: run init without it, and set \`api.#clientCertificate\``,
  '=upload-file,T': `${noFile}, and sends no PUT: use a request that lists items`,
  '=form,F =form-string': 'rxtract sends JSON and forms of text: try --data-urlencode NAME=VALUE',
  'digest ntlm negotiate anyauth =aws-sigv4 =delegation =krb':
    'init cannot prove this login: run it without, and see `rxtract help authentication`',
  '=resolve =connect-to =unix-socket =abstract-unix-socket': 'rxtract connects to the host of the URL: write that one',
  'next,: parallel,Z': 'init reads one request: give one of them',
  '=variable =expand-data =expand-header =expand-url =expand-user':
    'write the value itself, or a variable of the shell',
  'help,h version,V manual,M =quote,Q': 'it makes no request for data: leave it out',
};

type Meaning = { readonly role: CurlRole } | { readonly note: string } | { readonly refusal: string } | undefined;

interface Known {
  readonly takesValue: boolean;
  readonly meaning: Meaning;
}

const known = new Map<string, Known>([
  ...Object.entries(roles).flatMap(([role, names]) => entriesOf(names, { role: role as CurlRole })),
  ...Object.entries(elsewhere).flatMap(([names, note]) => entriesOf(names, { note })),
  ...Object.entries(refused).flatMap(([names, refusal]) => entriesOf(names, { refusal })),
  ...entriesOf(silent, undefined),
]);

function entriesOf(names: string, meaning: Meaning): readonly (readonly [string, Known])[] {
  return names.split(/\s+/).flatMap((each) => {
    const [, equals, name = '', , letter] = /^(=?)([^,]+)(,(.))?$/.exec(each) ?? [];
    const entry = { takesValue: equals === '=', meaning };
    return [[`--${name}`, entry] as const, ...(letter === undefined ? [] : [[`-${letter}`, entry] as const])];
  });
}

/** Reads the words after `curl`. Throws ERR_USAGE, naming the option; values are not shown. */
export function parseCurlWords(words: readonly string[]): CurlArguments {
  const options: CurlOption[] = [];
  const notes = new Set<string>();
  const rest = words.values();
  const take = (given: string, attached: string): string => {
    if (attached !== '') return attached;
    const { value: next } = rest.next();
    if (next === undefined) throw usageError(`the option ${given} of curl needs a value: copy the whole command`);
    return next;
  };
  const use = (given: string, { meaning, takesValue }: Known, attached: string) => {
    const value = takesValue ? take(given, attached) : '';
    if (meaning === undefined) return;
    if ('refusal' in meaning) throw usageError(`the option ${given} of curl cannot be used: ${meaning.refusal}`);
    if ('note' in meaning) notes.add(`${given} was left out: ${meaning.note}.`);
    else options.push({ role: meaning.role, given, value });
  };
  for (const word of rest) {
    if (word.startsWith('--') && word !== '--') use(word, findLong(word), '');
    else if (/^-./.test(word) && word !== '--') useLetters(word, use);
    else if (word !== '--') options.push({ role: 'url', given: 'URL', value: word });
  }
  return { options, notes: [...notes] };
}

/** `-sSL`, and `-XPOST`: letters up to one that takes a value, which is the rest. */
function useLetters(word: string, use: (given: string, entry: Known, attached: string) => void): void {
  for (let at = 1; at < word.length; at++) {
    const given = `-${word.charAt(at)}`;
    const entry = known.get(given);
    if (entry === undefined) throw usageError(`${given} is no option of curl that init knows: leave it out`);
    use(given, entry, word.slice(at + 1));
    if (entry.takesValue) return;
  }
}

/** `--no-NAME` switches off what NAME switches on; without it nothing changes. */
function findLong(word: string): Known {
  const entry = known.get(word);
  if (entry !== undefined) return entry;
  if (word.startsWith('--no-') && known.has(`--${word.slice('--no-'.length)}`))
    return { takesValue: false, meaning: undefined };
  const names = [...known.keys()].filter((name) => name.startsWith('--'));
  const [name = ''] = word.split('=');
  const hint = didYouMean(name, names);
  throw usageError(`${name} is no option of curl that init knows${hint === '' ? ': leave it out' : hint}`);
}
