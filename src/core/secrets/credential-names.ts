/** The names of credentials: of parameters, headers and members whose values are secrets, whatever they look like. */

/** Whether values of this name are credentials, such as those of `api_key`, `X-Auth-Token` and `clientSecret`. */
export function isCredentialName(name: string, value = ''): boolean {
  const words = wordsOf(name);
  if (descriptions.has(words.at(-1) ?? '')) return false;
  return words.some((word, at) => isCredentialWord(word, words[at - 1] ?? '', value));
}

/** `pageToken`, `page-token` and `PAGE_TOKEN` are `page` and `token`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');

/** A name that ends with one of these is about a credential, as `token_type` and `oauth_version`. */
const descriptions =
  set(`algorithm callback count expires expiry format length limit limits method mode name policy required scheme
  size status timestamp ttl type types uri url version`);

const credentialWords = set(`2fa auth authn authz bearer cookie cookies cred creds csrf cvc cvv hmac jsessionid jwt
  mfa oauth otp pass passcode passwd phpsessid pin psw pw pwd sessid sid sig sso totp xsrf`);

/** Written together too, as in `clientsecret`. */
const credentialEnd =
  /(?:password|passphrase|secrets?|credentials?|signature|sessionid|csrftoken|xsrftoken|authori[sz]ation)$/;

/** A token of pages or changes is a position, and the key of a sort or of an issue is a name. */
const ofPositions = set(`after before change changes continuation cursor delta end list next page pagination paging
  position prev previous resume scroll skip start sync`);
const ofNames =
  set(`cache column end event field foreign group hot issue item join label last map meeting metric mon next
  object order partition primary project range resource row session sort start story tag tur`);

function isCredentialWord(word: string, before: string, value: string): boolean {
  if (credentialWords.has(word) || credentialEnd.test(word)) return true;
  const [, stem = '', kind] = /^(.*?)(token|key|session|code)$/.exec(word) ?? [];
  const qualifier = stem === '' ? before : stem;
  if (kind === 'token') return !ofPositions.has(qualifier);
  if (kind === 'key') return !ofNames.has(qualifier);
  if (kind === 'code') return ofLogins.has(qualifier);
  return kind === 'session' && stem === '' && !/^\d{1,6}$/.test(value); // years and numbers of meetings
}

/** Before `code`: one that opens something. */
const ofLogins = set(`access auth authorization confirmation device invite login recovery reset security verification`);

function set(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}
