/**
 * Requests to the endpoints of servers, metadata, keys, search and statistics, after the examples
 * and errors that PowerDNS documents. They run in order, on a server with the zone `ZONE`, here and
 * against a real PowerDNS: status and fields are the same there, unless `real` says otherwise.
 */
export const ZONE = 'server-examples.org.';

export interface Example {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /api/v1/servers. `{key}` is the id of the last cryptokey. */
  readonly path: string;
  readonly json?: unknown;
  readonly status: number;
  /** Fields of the body, or of the first object of a list. */
  readonly fields?: readonly string[];
  /** What a real PowerDNS 4.7 responds instead: another status, or other fields. */
  readonly real?: {
    readonly status?: number;
    readonly more?: readonly string[];
    readonly less?: readonly string[];
    readonly why: string;
  };
  /** The whole body, if it is the same here and there. */
  readonly body?: unknown;
}

const SERVER = [...['autoprimaries_url', 'config_url', 'daemon_type', 'id', 'type', 'url', 'version', 'zones_url']];
const METADATA = `/localhost/zones/${ZONE}/metadata`;
const KEYS = `/localhost/zones/${ZONE}/cryptokeys`;
const KEY_FIELDS = [
  ...['active', 'algorithm', 'bits', 'cds', 'dnskey', 'ds', 'flags', 'id', 'keytype', 'published', 'type'],
];
const TSIG = '/localhost/tsigkeys';
const TSIG_FIELDS = ['algorithm', 'id', 'key', 'name', 'type'];
const SEARCH = '/localhost/search-data';
const NO_CDS = { less: ['cds'], why: 'here signed zones always publish CDS records' };
const PRIVATE = { ...NO_CDS, more: ['privatekey'], why: 'private keys do not leave the service' };
const values = (...list: string[]) => ({ metadata: list });
const metadata = (kind: string, ...all: string[]) => ({ kind, metadata: all, type: 'Metadata' });

export const EXAMPLES: readonly Example[] = [
  { name: 'list servers', method: 'GET', path: '', status: 200, fields: SERVER },
  { name: 'a server', method: 'GET', path: '/localhost', status: 200, fields: SERVER },
  { name: 'an unknown server', method: 'GET', path: '/other', status: 404, fields: ['error'] },
  { name: 'a wrong method', method: 'POST', path: '/localhost', status: 405, fields: ['error'] },
  {
    name: 'the configuration',
    method: 'GET',
    path: '/localhost/config',
    status: 200,
    fields: ['name', 'type', 'value'],
  },
  {
    ...{ name: 'a setting', method: 'GET', path: '/localhost/config/webserver-port', status: 200 },
    fields: ['name', 'type', 'value'],
    real: { status: 404, why: 'documented, and not implemented there' },
  },
  { name: 'statistics', method: 'GET', path: '/localhost/statistics', status: 200, fields: ['name', 'type', 'value'] },
  {
    ...{ name: 'one statistic', method: 'GET', path: '/localhost/statistics?statistic=uptime', status: 200 },
    fields: ['name', 'type', 'value'],
  },
  {
    ...{ name: 'a map', method: 'GET', path: '/localhost/statistics?statistic=response-by-qtype', status: 200 },
    fields: ['name', 'type', 'value'],
    real: { status: 422, why: 'it finds single values only' },
  },
  {
    ...{ name: 'a ring', method: 'GET', path: '/localhost/statistics?statistic=queries', status: 200 },
    fields: ['name', 'size', 'type', 'value'],
    real: { status: 422, why: 'it finds single values only' },
  },
  {
    ...{ name: 'an unknown statistic', method: 'GET', path: '/localhost/statistics?statistic=nope', status: 422 },
    body: { error: 'Unknown statistic name' },
  },
  {
    ...{ name: 'flush', method: 'PUT', path: `/localhost/cache/flush?domain=${ZONE}`, status: 200 },
    fields: ['count', 'result'],
  },
  {
    ...{ name: 'flush a name without its last dot', method: 'PUT', status: 422 },
    path: '/localhost/cache/flush?domain=example.org',
    body: { error: "DNS Name 'example.org' is not canonical" },
  },
  {
    ...{ name: 'a first record', method: 'PATCH', path: `/localhost/zones/${ZONE}`, status: 204 },
    json: {
      rrsets: [
        {
          ...{ name: `www.${ZONE}`, type: 'A', ttl: 300, changetype: 'REPLACE' },
          records: [{ content: '192.0.2.77', disabled: false }],
          comments: [{ content: 'a greeting', account: 'me' }],
        },
      ],
    },
  },
  {
    ...{ name: 'search all', method: 'GET', path: `${SEARCH}?q=www.server-examples*&max=100`, status: 200 },
    body: [
      {
        ...{ content: '192.0.2.77', disabled: false, name: `www.${ZONE}`, object_type: 'record', ttl: 300 },
        ...{ type: 'A', zone: ZONE, zone_id: ZONE },
      },
      {
        ...{ content: 'a greeting', name: `www.${ZONE}`, object_type: 'comment', type: 'A', zone: ZONE },
        zone_id: ZONE,
      },
    ],
  },
  {
    ...{ name: 'search zones', method: 'GET', path: `${SEARCH}?q=server-ex?mples*&object_type=zone`, status: 200 },
    body: [{ name: ZONE, object_type: 'zone', zone_id: ZONE }],
  },
  {
    ...{ name: 'search a content', method: 'GET', path: `${SEARCH}?q=192.0.2.7?&object_type=record`, status: 200 },
    fields: ['content', 'disabled', 'name', 'object_type', 'ttl', 'type', 'zone', 'zone_id'],
  },
  {
    ...{ name: 'search comments', method: 'GET', path: `${SEARCH}?q=*GREET*&max=1&object_type=comment`, status: 200 },
    fields: ['content', 'name', 'object_type', 'type', 'zone', 'zone_id'],
  },
  { name: 'search a part without wildcards', method: 'GET', path: `${SEARCH}?q=greeting`, status: 200, body: [] },
  { name: 'search for nothing', method: 'GET', path: `${SEARCH}?q=`, status: 422, fields: ['error'] },
  {
    ...{ name: 'search another kind', method: 'GET', path: `${SEARCH}?q=a&object_type=foo`, status: 422 },
    body: { error: 'object_type must be one of the following options: all, zone, record, comment' },
  },
  {
    ...{ name: 'search with a maximum of 0', method: 'GET', path: `${SEARCH}?q=a&max=0`, status: 422 },
    body: { error: 'Maximum entries must be larger than 0' },
  },
  {
    ...{ name: 'list metadata', method: 'GET', path: METADATA, status: 200 },
    body: [metadata('SOA-EDIT-API', 'DEFAULT')],
  },
  {
    ...{ name: 'create metadata', method: 'POST', path: METADATA, status: 201 },
    json: { kind: 'ALLOW-AXFR-FROM', ...values('192.0.2.1', '2001:db8::/32') },
    body: metadata('ALLOW-AXFR-FROM', '192.0.2.1', '2001:db8::/32'),
  },
  {
    ...{ name: 'add to metadata', method: 'POST', path: METADATA, status: 201 },
    json: { kind: 'ALLOW-AXFR-FROM', ...values('192.0.2.2') },
    body: metadata('ALLOW-AXFR-FROM', '192.0.2.1', '2001:db8::/32', '192.0.2.2'),
  },
  {
    ...{ name: 'replace metadata', method: 'PUT', path: `${METADATA}/ALLOW-AXFR-FROM`, status: 200 },
    json: { kind: 'ALLOW-AXFR-FROM', ...values('192.0.2.3') },
    body: metadata('ALLOW-AXFR-FROM', '192.0.2.3'),
  },
  {
    ...{ name: 'metadata of one kind', method: 'GET', path: `${METADATA}/ALLOW-AXFR-FROM`, status: 200 },
    body: metadata('ALLOW-AXFR-FROM', '192.0.2.3'),
  },
  {
    ...{ name: 'metadata of a kind without values', method: 'GET', path: `${METADATA}/ALSO-NOTIFY`, status: 200 },
    body: metadata('ALSO-NOTIFY'),
  },
  {
    ...{ name: 'metadata of an unknown kind', method: 'GET', path: `${METADATA}/FOO`, status: 422 },
    body: { error: "Unsupported metadata kind 'FOO'" },
  },
  {
    ...{ name: 'own metadata', method: 'PUT', path: `${METADATA}/X-OWNER`, status: 200, json: values('team a') },
    body: metadata('X-OWNER', 'team a'),
  },
  {
    ...{ name: 'delete metadata', method: 'DELETE', path: `${METADATA}/ALLOW-AXFR-FROM`, status: 204 },
    real: { status: 200, why: 'PowerDNS documents 204' },
  },
  ...['NSEC3PARAM', 'API-RECTIFY', 'PRESIGNED', 'TSIG-ALLOW-AXFR', 'AXFR-MASTER-TSIG', 'LUA-AXFR-SCRIPT'].map(
    (kind): Example => ({
      ...{ name: `write ${kind}`, method: 'PUT', path: `${METADATA}/${kind}`, status: 422, json: values('1') },
      fields: ['error'],
    }),
  ),
  {
    ...{ name: 'metadata without a kind', method: 'POST', path: METADATA, status: 422, json: values('1') },
    body: { error: 'kind is not specified or not a string' },
  },
  {
    ...{ name: 'metadata without values', method: 'POST', path: METADATA, status: 422, json: { kind: 'ALSO-NOTIFY' } },
    body: { error: 'metadata is not specified or not an array' },
  },
  {
    ...{ name: 'also notify an address', method: 'PUT', path: `${METADATA}/ALSO-NOTIFY`, status: 200 },
    json: values('127.0.0.1:9', '[::1]:9'),
    body: metadata('ALSO-NOTIFY', '127.0.0.1:9', '[::1]:9'),
  },
  {
    name: 'metadata of no zone',
    method: 'GET',
    path: '/localhost/zones/no.org./metadata',
    status: 404,
    fields: ['error'],
  },
  { name: 'no keys', method: 'GET', path: KEYS, status: 200, body: [] },
  ...(
    [
      ['an unknown key type', { keytype: 'foo' }],
      ['a key without a type', {}],
      ['a key of an unknown algorithm', { keytype: 'ksk', algorithm: 'nope', active: true }],
      ['a key of a wrong size', { keytype: 'ksk', algorithm: 13, bits: 100, active: true }],
      ['a key of a negative size', { keytype: 'ksk', bits: -1, active: true }],
      ['a broken private key', { keytype: 'ksk', privatekey: 'x', active: true }],
    ] as const
  ).map(([name, json]): Example => ({ name, method: 'POST', path: KEYS, json, status: 422, fields: ['error'] })),
  {
    ...{ name: 'a key that does not sign', method: 'POST', path: KEYS, json: { keytype: 'csk' }, status: 422 },
    fields: ['error'],
    real: { status: 201, more: [...KEY_FIELDS, 'privatekey'], why: 'here every key signs' },
  },
  {
    ...{ name: 'sign', method: 'POST', path: KEYS, status: 201, fields: KEY_FIELDS, real: PRIVATE },
    json: { keytype: 'csk', active: true, algorithm: 'ecdsa256' },
  },
  { name: 'the keys', method: 'GET', path: KEYS, status: 200, fields: KEY_FIELDS, real: NO_CDS },
  { name: 'a key', method: 'GET', path: `${KEYS}/{key}`, status: 200, fields: KEY_FIELDS, real: PRIVATE },
  { name: 'no such key', method: 'GET', path: `${KEYS}/999999`, status: 404, fields: ['error'] },
  { name: 'activate', method: 'PUT', path: `${KEYS}/{key}`, status: 204, json: { active: true } },
  { name: 'change nothing', method: 'PUT', path: `${KEYS}/{key}`, status: 422, json: {}, fields: ['error'] },
  {
    ...{ name: 'deactivate', method: 'PUT', path: `${KEYS}/{key}`, status: 422, json: { active: false } },
    fields: ['error'],
    real: { status: 204, why: 'here every key signs' },
  },
  {
    ...{ name: 'publish CDS records', method: 'PUT', path: `${METADATA}/PUBLISH-CDS`, status: 200, json: values('2') },
    body: metadata('PUBLISH-CDS', '2'),
  },
  { name: 'delete a key', method: 'DELETE', path: `${KEYS}/{key}`, status: 204 },
  { name: 'delete it again', method: 'DELETE', path: `${KEYS}/999999`, status: 404, fields: ['error'] },
  {
    ...{ name: 'create a TSIG key', method: 'POST', path: TSIG, status: 201 },
    json: { name: 'mytsigkey', algorithm: 'hmac-sha256', key: 'kjhOh0nsb8VB0PT0ha0G7Q==' },
    body: {
      ...{ algorithm: 'hmac-sha256', id: 'mytsigkey.', key: 'kjhOh0nsb8VB0PT0ha0G7Q==', name: 'mytsigkey' },
      type: 'TSIGKey',
    },
  },
  {
    ...{ name: 'create it again', method: 'POST', path: TSIG, status: 409, fields: ['error'] },
    json: { name: 'mytsigkey', algorithm: 'hmac-sha256' },
  },
  {
    ...{ name: 'generate a TSIG key', method: 'POST', path: TSIG, status: 201, fields: TSIG_FIELDS },
    json: { name: 'generated.key', algorithm: 'hmac-sha512' },
  },
  {
    ...{ name: 'an unknown TSIG algorithm', method: 'POST', path: TSIG, status: 400, fields: ['error'] },
    json: { name: 'x', algorithm: 'nope' },
  },
  {
    ...{ name: 'a broken TSIG secret', method: 'POST', path: TSIG, status: 422, fields: ['error'] },
    json: { name: 'x', algorithm: 'hmac-sha256', key: '!!' },
  },
  { name: 'a TSIG key without a name', method: 'POST', path: TSIG, status: 422, json: {}, fields: ['error'] },
  {
    ...{ name: 'list TSIG keys', method: 'GET', path: TSIG, status: 200 },
    body: [
      { algorithm: 'hmac-sha256', id: 'mytsigkey.', key: '', name: 'mytsigkey', type: 'TSIGKey' },
      { algorithm: 'hmac-sha512', id: 'generated.key.', key: '', name: 'generated.key', type: 'TSIGKey' },
    ],
  },
  { name: 'a TSIG key', method: 'GET', path: `${TSIG}/mytsigkey.`, status: 200, fields: TSIG_FIELDS },
  {
    ...{ name: 'change the algorithm', method: 'PUT', path: `${TSIG}/mytsigkey.`, status: 200, fields: TSIG_FIELDS },
    json: { algorithm: 'hmac-sha512' },
  },
  {
    ...{ name: 'change the secret', method: 'PUT', path: `${TSIG}/mytsigkey.`, status: 200, fields: TSIG_FIELDS },
    json: { key: 'GQNyFy1QagMUarHmiSgsIJajghdTGJGVcN5TRVwgbclzxGyhQR1uYLCOyJ/uj9uj12jyeLwzJuW12wCI9PYv7Q==' },
  },
  {
    ...{ name: 'rename', method: 'PUT', path: `${TSIG}/generated.key.`, status: 200, fields: TSIG_FIELDS },
    json: { name: 'renamed.key' },
  },
  {
    ...{ name: 'rename to a name in use', method: 'PUT', path: `${TSIG}/renamed.key.`, status: 409 },
    json: { name: 'mytsigkey' },
    fields: ['error'],
    real: { status: 200, more: TSIG_FIELDS, why: 'PowerDNS documents 409, and 4.7 merges the keys' },
  },
  { name: 'delete a TSIG key', method: 'DELETE', path: `${TSIG}/mytsigkey.`, status: 204 },
  { name: 'no such TSIG key', method: 'GET', path: `${TSIG}/mytsigkey.`, status: 404, fields: ['error'] },
  { name: 'autoprimaries', method: 'GET', path: '/localhost/autoprimaries', status: 200, body: [] },
  {
    ...{ name: 'add an autoprimary', method: 'POST', path: '/localhost/autoprimaries', status: 422, fields: ['error'] },
    json: { ip: '192.0.2.1', nameserver: 'ns.example.org' },
    real: { status: 201, why: 'not supported here' },
  },
  {
    ...{ name: 'views', method: 'GET', path: '/localhost/views', status: 200, fields: ['views'] },
    real: { status: 404, why: 'since 5.0' },
  },
  {
    ...{ name: 'networks', method: 'GET', path: '/localhost/networks', status: 200, fields: ['networks'] },
    real: { status: 404, why: 'since 5.0' },
  },
  {
    ...{ name: 'add to a view', method: 'POST', path: '/localhost/views/a', json: { name: ZONE }, status: 422 },
    fields: ['error'],
    real: { status: 404, why: 'since 5.0' },
  },
];
