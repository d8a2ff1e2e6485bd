/** A configuration for each rule about requests: of the golden files, and of the test that plans are what is sent. */

const baseUrl = 'https://api.example/v1/';
const job = { endpoint: 'users', dataField: 'data' };
const attr = (key: string) => ({ attr: key });
const call = (name: string, ...args: readonly unknown[]) => ({ function: name, args });
const response = (path: string) => ({ response: path });
const secret = { '#password': 'hunter2-hunter2' };

const request = (api: object, jobs: readonly object[] = [job], config: object = {}) => ({
  api: { baseUrl, ...api },
  config: { ...config, jobs },
});
const login = (authentication: object, api: object = {}, jobs: readonly object[] = [job]) =>
  request({ authentication: { type: 'login', ...authentication }, ...api }, jobs, secret);
const paged = (pagination: object, more: object = {}, api: object = {}) =>
  request({ pagination, ...api }, [{ ...job, ...more }]);

const credentials = { user: 'me', password: attr('#password') };
const loginRequest = { endpoint: 'login', params: credentials };
const defaults = { http: { defaultOptions: { headers: { 'X-Default': 'a' }, params: { lang: 'en', limit: 5 } } } };
const token = { headers: { 'X-Token': response('auth.token') } };
const cursor = { method: 'response.param', responseParam: 'paging.next', queryParam: 'cursor' };

/** A configuration for each rule, by its name. */
export const rules: Readonly<Record<string, object>> = {
  'login-get-is-the-default-method': login({ loginRequest, apiRequest: token }),
  'login-post-sends-json': login({ loginRequest: { ...loginRequest, method: 'POST' }, apiRequest: token }),
  'login-form-sends-a-form': login({ loginRequest: { ...loginRequest, method: 'FORM' }, apiRequest: token }),
  'login-has-its-own-headers': login({
    loginRequest: {
      endpoint: 'login',
      headers: {
        Authorization: call('concat', 'Basic ', call('base64_encode', call('concat', 'me', ':', attr('#password')))),
      },
    },
    apiRequest: token,
  }),
  'login-uses-no-defaults': login({ loginRequest, apiRequest: token }, defaults),
  'login-at-another-address': login({
    loginRequest: { ...loginRequest, endpoint: 'https://login.example/token' },
    apiRequest: token,
  }),
  'login-text-reply-is-data': login({
    loginRequest,
    format: 'text',
    apiRequest: { headers: { 'X-Token': response('data') } },
  }),
  'login-header-replaces-others': login(
    { loginRequest, apiRequest: { headers: { 'x-key': response('key') } } },
    { http: { headers: { 'X-Key': 'configured' } } },
  ),
  'login-query-is-added': login({ loginRequest, apiRequest: { query: { token: response('token') } } }),
  'login-query-beside-a-job-is-a-list': login({ loginRequest, apiRequest: { query: { lang: response('lang') } } }, {}, [
    { ...job, params: { lang: 'de' } },
  ]),
  'login-query-beside-a-default-is-a-list': login(
    { loginRequest, apiRequest: { query: { lang: response('lang') } } },
    defaults,
  ),
  'login-query-by-a-function': login({
    loginRequest,
    apiRequest: { query: { sig: call('sha1', call('concat', attr('#password'), ':', response('nonce'))) } },
  }),
  'login-once': login({ loginRequest, apiRequest: token }),
  'login-before-every-request': login({ loginRequest, apiRequest: token, expires: 0 }),
  'login-after-seconds': login({ loginRequest, apiRequest: token, expires: 3600 }),
  'login-expires-by-its-reply': login({
    loginRequest,
    apiRequest: token,
    expires: { response: 'until', relative: true },
  }),
  'job-parameter-replaces-default': request(defaults, [{ ...job, params: { lang: 'de' } }]),
  'job-lists-merge-with-defaults': request({ http: { defaultOptions: { params: { ids: [1, 2, 3] } } } }, [
    { ...job, params: { ids: [9] } },
  ]),
  'job-post-sends-json': request(defaults, [{ ...job, method: 'POST', params: { filter: { a: [1, null] } } }]),
  'job-form-sends-a-form': request(defaults, [{ ...job, method: 'FORM', params: { filter: { a: 1 } } }]),
  'job-endpoint-with-a-query': request(defaults, [{ ...job, endpoint: 'users?lang=fr&page=1' }]),
  'job-at-another-origin': request(defaults, [{ ...job, endpoint: 'https://other.example/users' }]),
  'headers-in-their-order': request(
    {
      http: {
        headers: { 'X-A': 'api', 'X-B': 'api', 'X-C': 'api', Accept: 'api' },
        defaultOptions: { headers: { 'X-C': 'default' } },
      },
    },
    [{ ...job, headers: { 'X-C': 'job', Accept: 'job' } }],
    { http: { headers: { 'X-B': 'config' } } },
  ),
  'pagenum-without-a-limit': paged({ method: 'pagenum' }),
  'pagenum-with-a-limit': paged({ method: 'pagenum', limit: 100, limitParam: 'count', pageParam: 'p' }),
  'pagenum-limit-of-the-job': paged({ method: 'pagenum', limit: 100 }, { params: { limit: 7 } }),
  'pagenum-limit-over-a-default': paged({ method: 'pagenum', limit: 100 }, {}, defaults),
  'pagenum-first-page-without-parameters': paged({ method: 'pagenum', limit: 100, firstPageParams: false }),
  'pagenum-from-zero': paged({ method: 'pagenum', firstPage: 0 }),
  'pagenum-from-zero-without-parameters': paged({ method: 'pagenum', firstPage: 0, firstPageParams: false }),
  'param-sends-the-value': paged(cursor, { params: { q: 'x' } }),
  'param-with-the-parameters-of-the-job': paged({ ...cursor, includeParams: true }, { params: { q: 'x' } }),
  'param-replaces-that-of-the-job': paged({ ...cursor, includeParams: true }, { params: { cursor: 'start', q: 'x' } }),
  'param-scroll-request': paged(
    { ...cursor, scrollRequest: { endpoint: 'scroll', method: 'GET', params: { keep: '1m' } } },
    { method: 'POST', params: { query: { all: true } } },
  ),
  'other-methods': request({ pagination: { method: 'offset', limit: 10 } }, [
    job,
    { endpoint: 'a', pagination: { method: 'response.url', urlKey: 'links.next' } },
    { endpoint: 'b', pagination: { method: 'link-header' } },
    { endpoint: 'c', pagination: { method: 'cursor', idKey: 'id', param: 'since' } },
    { endpoint: 'd', pagination: { method: 'keyset', field: 'id', param: 'after' } },
    { endpoint: 'e', pagination: { method: 'none' } },
    { endpoint: 'i', pagination: { method: 'link-header', header: 'X-Next-Page-Url' } },
    { endpoint: 'h', pagination: { method: 'response.header', header: 'X-Next-Cursor', queryParam: 'cursor' } },
    {
      endpoint: 'f',
      method: 'POST',
      pagination: { method: 'response.param', responseParam: 'next', queryParam: ['page', 'token'] },
    },
  ]),
  'a-child-job': request({}, [{ ...job, children: [{ endpoint: 'users/{id}/orders', placeholders: { id: 'id' } }] }]),
  'rules-for-every-request': request({
    retryConfig: { maxRetries: 3, jitter: 'full', maxDelay: 60 },
    http: { rateLimit: ['10/s', '100/m'], ignoreErrors: [404] },
  }),
  'no-retries': request({ retryConfig: { maxRetries: 0 } }),
  'authentication-by-a-key': request(
    { authentication: { type: 'api-key', in: 'query', name: 'key', value: attr('#password') } },
    [job],
    secret,
  ),
  'authentication-by-oauth2': request(
    {
      authentication: {
        type: 'oauth2',
        grant: 'client_credentials',
        tokenEndpoint: 'https://login.example/token',
        clientId: 'me',
        clientSecret: attr('#password'),
      },
    },
    [job],
    secret,
  ),
  'a-signature-of-aws': {
    ...request({}),
    aws: {
      signature: {
        credentials: { accessKeyId: 'AKIA', '#secretKey': 'hunter2-hunter2', regionName: 'eu', serviceName: 's3' },
      },
    },
  },
  iterations: {
    ...request({}, [{ ...job, params: { region: attr('region') } }], { region: 'none' }),
    iterations: [{ region: 'eu' }, { region: 'us' }],
  },
};
