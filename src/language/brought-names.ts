/** Names from other tools (Airbyte, dlt, Meltano, Sling, faucet, got, axios and more), and their names here. */

/** Reduces a name to its small letters and digits: `page_size`, `pageSize` and `Page-Size` are one name. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '');

/**
 * By the key here: the names elsewhere in plain form, separated by spaces. A name with several meanings is listed at
 * each.
 */
export const keysElsewhere: Readonly<Record<string, string>> = {
  // The document, and `api`.
  api: 'client connection http requester source',
  config: 'settings configuration',
  iterations: 'matrix',
  jobs: 'streams resources endpoints requests tasks',
  sshProxy: 'ssh sshtunnel tunnel bastion',
  baseUrl: 'url urlbase apiurl apibase host hostname prefixurl rooturl apiendpoint endpoint uri server',
  authentication: 'auth authenticator authmethod authconfig credentials security',
  pagination: 'paginator paging pageing paginate pager',
  retryConfig:
    'retry retries retrycount retrylimit retrypolicy retryrules retryoptions retrystrategy maxretries maxattempts errorhandler backoff backoffstrategies automaticretries',
  caCertificate: 'ca cacert cafile cabundle certificateauthority certificateauthorities',
  '#clientCertificate': 'cert clientcert certificate',
  // `api.http`.
  defaultOptions: 'defaults resourcedefaults requestdefaults',
  rateLimit:
    'ratelimitqps ratelimiter requestspersecond maxrequestspersecond rps qps rate throttle throttling apibudget',
  ignoreErrors:
    'successfulon ignorehttpcodes ignorestatuses allowedstatuses validatestatus responseactions throwhttperrors',
  requestTimeout: 'timeout timeoutms timeoutseconds timeoutinseconds',
  connectTimeout: 'connectiontimeout',
  idleTimeout: 'sockettimeout readtimeout bodytimeout',
  // `api.retryConfig`.
  maxRetries: 'retries retry retrycount retrylimit limit attempts maxattempts automaticretries',
  maxDelay: 'maxwait waitmax maxbackoff backofflimit maxretryafter maxretrybackoff maxretrydelay',
  codes: 'statuses statuscodes httpcodes retryon backoffon',
  // A job, and the request of a login.
  endpoint: 'path url uri route href resource resourcepath address collecturl apiendpoint',
  method:
    'httpmethod verb requestmethod collectmethod type kind style strategy paginationmode paginationtype pagingtype',
  params:
    'query qs queryparams queryparameters searchparams parameters requestparameters requestparams collectrequestparams body data json form payload requestbody requestbodyjson requestbodydata bodyparams endpointparams',
  headers: 'requestheaders collectrequestheaders',
  dataField:
    'data dataselector datapath datakey recordspath recordselector records recordpath fieldpath extractor jsonpath jmespath responsepath contentfield resultpath results items itemspath eventsjsonpaths selector split',
  dataType: 'name streamname table tablename output collection resourcename',
  children: 'childjobs substreams subresources partitionrouter parentstreamconfigs iterate nested',
  placeholders: 'pathparams pathparameters includefromparent variables',
  recursionFilter: 'filter where condition',
  // Pagination.
  limit: 'pagesize perpage itemsperpage recordsperpage paginationpagesize batchsize size maxresults count',
  limitParam:
    'pagesizeparam pagesizeoption pagesizename pagesizefield pagesizeparaname pagesizeparametername perpageparam sizeparam limitname limitfield limitnameinrequest paginationlimitperpageparam',
  pageParam:
    'param paramname parameter pagefield pagename pageparameter pagenumberparam pagetokenoption paginationnextpageparam',
  firstPage: 'startpage startfrompage startpagenumber pagestart basepage initialpage startat',
  firstPageParams: 'injectonfirstrequest',
  offsetParam: 'param paramname offsetfield offsetname offsetparameter offsetnameinrequest skipparam startparam',
  responseParam:
    'cursorpath cursorvalue cursorpathinresponse cursorresponsefield nextcursorpath nexttokenpath nextpagetokenpath nextpagetokenjsonpath tokenpath attribute',
  queryParam:
    'param paramname cursorparam cursorname cursornameinrequest cursorfield tokenparam nextpageparam nextpageparaname pagetokenoption paginationnextpageparam',
  urlKey:
    'nexturl nexturlpath nextlink nextlinkpath nextpath nextpageurl nextpagelinkpath link linkkey linkpath linkpathinresponsebody attribute',
  header: 'headername nextheader cursorheader headerkey name attribute',
  rel: 'linkrel linkrelinresponseheader linksnextkey nextrel relation attribute',
  idKey: 'field idfield keyfield cursorkey cursorfield',
  field: 'idfield keyfield cursorkey cursorfield idkey',
  param: 'paramname cursorparam cursorname queryparam',
  totalKey: 'total totalpath totalfield totalcountpath totalrecordfield',
  forceStop:
    'maxpages maxpage maximumpage maxrequests requestlimit pagelimit totalpagesize maxexecutions maximumoffset',
  limitStop: 'countlimit maxitems maxrecords recordlimit',
  moreField: 'hasmore hasmorepath hasnext moreflag hasnextflagjsonpath',
  nextPageFlag:
    'hasmore hasmorepath hasnext moreflag hasnextflagjsonpath stopcondition stopwhen paginationcompletewhen',
  scrollers: 'methods paginators paginations',
  // Authentication.
  type: 'method kind authtype authmethod scheme',
  token: 'apitoken accesstoken bearertoken key apikey value',
  value: 'key apikey apitoken token apikeyvalue',
  name: 'header headername apikeyname fieldname param parameter paramname',
  in: 'location injectinto addto position',
  tokenEndpoint: 'tokenurl tokenuri accesstokenurl tokenrefreshendpoint authurl loginurl url endpoint',
  clientId: 'clientkey appid appkey consumerkey username',
  clientSecret: 'secret appsecret consumersecret password',
  loginRequest: 'loginrequester login request',
  expires: 'expiration expiresin expirationduration ttl tokenttl',
};

/** The same for values that name a method or a type. */
export const valuesElsewhere: Readonly<Record<string, string>> = {
  pagenum:
    'page pages pagenumber pageincrement pagebased requestpage countbased numbered updateaparameterineachrequest',
  offset: 'offsetincrement offsetbased offsetlimit limitoffset requestoffset skip',
  'response.param':
    'cursorpagination cursorbased bodycursor jsoncursor jsonresponsecursor responsebody token pagetoken nexttoken nextpagetoken continuationtoken scroll jsonpathpaginator',
  'response.url':
    'jsonlink jsonresponse bodylink link nextlink nextlinkinbody nexturl nextpageurl responsecontainsnexturl hateoas hateoasbody',
  'response.header': 'headercursor cursorheader nextpageheader paginationheader tokenheader headertoken headerbased',
  'link-header':
    'headerlink responseheaderlink persistentlinkheader restapiheaderlinkpaginator simpleheaderpaginator responseheader header',
  none: 'nopagination singlepage singlepagepaginator off',
  keyset: 'seek sinceid startingafter keysetpagination',
  cursor: 'keyset seek sinceid keysetpagination',
  basic: 'basicauth basicauthentication httpbasic basichttpauthenticator',
  bearer: 'bearerauth bearertoken bearerauthenticator token accesstoken',
  'api-key': 'apikeyauth apikeyauthenticator apikeyheader customheader header',
  oauth2:
    'oauth oauthauthenticator oauth2auth clientcredentials oauth2clientcredentials refreshtoken oauth2refreshtoken',
  oauth10: 'oauth1',
  login: 'session sessiontoken sessiontokenauthenticator sequence tokenendpoint cookie',
};

/** Names that have no meaning where they are written, by the path or option they belong to. */
export const placesElsewhere: Readonly<Record<string, string>> = {
  'config.username': 'username user',
  'config.#password': 'password pass',
  'api.baseUrl': 'baseurl url urlbase apiurl prefixurl',
  'api.authentication': 'auth authentication authenticator credentials',
  'api.pagination': 'pagination paginator paging paginate',
  'api.pagination.limit': 'limit pagesize perpage',
  'api.retryConfig': `retryconfig maxdelay ${keysElsewhere.retryConfig}`,
  'api.http.headers': 'headers requestheaders',
  'api.http.defaultOptions': 'defaultoptions defaults resourcedefaults',
  'api.http.rateLimit': `ratelimit ${keysElsewhere.rateLimit}`,
  'api.http.ignoreErrors': `ignoreerrors ${keysElsewhere.ignoreErrors}`,
  'api.http.requestTimeout': `requesttimeout ${keysElsewhere.requestTimeout}`,
  'api.http.connectTimeout': `connecttimeout ${keysElsewhere.connectTimeout}`,
  'api.caCertificate': `cacertificate ${keysElsewhere.caCertificate} tls ssl`,
  'config.jobs': `jobs ${keysElsewhere.jobs}`,
  'config.jobs[].params': 'params query queryparams queryparameters searchparams',
  'config.jobs[].dataField': 'datafield dataselector recordspath recordselector fieldpath',
  'config.jobs[].children': 'children',
  '--concurrency': 'concurrency maxconcurrency parallelism',
  '--max-pages': 'maxpages',
  '--proxy': 'proxy proxyurl httpproxy httpsproxy',
  '--state': 'state checkpoint bookmark',
};

type Index = ReadonlyMap<string, readonly string[]>;

/** Inverts a table: by the name elsewhere, the names here. */
function indexOf(table: Readonly<Record<string, string>>): Index {
  const index = new Map<string, string[]>();
  for (const [here, listed] of Object.entries(table)) {
    for (const there of listed.split(' ')) index.set(there, [...(index.get(there) ?? []), here]);
  }
  return index;
}

const indexes = { names: indexOf(keysElsewhere), values: indexOf(valuesElsewhere), places: indexOf(placesElsewhere) };

/** Returns the valid name that is spelt differently here or named differently elsewhere, if there is just one. */
export function broughtName(
  name: string,
  valid: readonly string[],
  kind: 'names' | 'values' = 'names',
): string | undefined {
  const plainName = plain(name);
  if (plainName === '') return undefined;
  const others = valid.filter((each) => each !== name);
  const listed = indexes[kind].get(plainName) ?? [];
  return others.find((each) => plain(each) === plainName) ?? listed.find((each) => others.includes(each));
}

/** Returns the path in a configuration, or the option of the command, for a name from elsewhere. */
export const broughtPlace = (name: string): string | undefined => indexes.places.get(plain(name))?.[0];
