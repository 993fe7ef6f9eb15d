/** Schemas of the proxy in requests and responses. */
import { Type } from '@sinclair/typebox';
import { CACHE_TAG_RULE } from '../../../core/base/cache-tag.ts';
import { count, flag, id, integer, list, oneOf, orNull, readOnly, text, time } from '../../../core/base/schema.ts';
import { HEURISTICS } from '../../../core/store/rows.ts';
import { bodySchema } from '../../http/json-body.ts';
import { pageFields } from '../../http/lists.ts';
import { FIXES } from './exposed-fix.ts';

const PROTOCOLS = ['http', 'https'] as const;
const host = (more: string, minLength: number) =>
  Type.Optional(
    text(`a string, a public IPv4 or IPv6 address or a host name, such as "origin.example.net"${more}`, {
      minLength,
      maxLength: 1024,
    }),
  );
const port = (more: string) => Type.Optional(integer(1, 65_535, `a whole number from 1 to 65535${more}`));
const protocol = (more: string) => Type.Optional(oneOf(PROTOCOLS, `"http" or "https"${more}`));

/** Maximum seconds of HSTS: two years, the longest time that preload lists recommend. */
const MAX_HSTS = 63_072_000;
const HSTS =
  'for the max-age of HSTS (Strict-Transport-Security, RFC 6797); 0 revokes HSTS in browsers, null sends no header';

const SUBDOMAINS = 'whether HSTS holds for all names below the host too (includeSubDomains)';
const PRELOAD =
  'whether browsers may include the domain in their preload lists (preload), which requires hsts_include_subdomains and an hsts_max_age of at least a year';

const HEURISTICS_TEXT =
  'which responses with Last-Modified, but without a lifetime, the cache gives a heuristic one (RFC 9111 section 4.2.2): none, those of static files, or all; "static" excludes HTML, JSON, paths without an extension, URLs with a query, requests with Cookie or Authorization, and responses with Pragma or Vary: Cookie';
const ALL_HEURISTICS = 'whether "heuristics" is "all"; earlier versions have only this, and false then means "static"';
const FORWARDED =
  'whether requests to the origin have the header Forwarded (RFC 7239) next to X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host';
const LENIENT =
  'whether a line of the head of a response of the origin may end with LF alone; use it only for an origin that cannot be mended: a line feed in a field that a visitor chose then adds fields to the response';

const settings = {
  hsts_max_age: Type.Optional(
    orNull(
      Type.Integer({ minimum: 0, maximum: MAX_HSTS }),
      `null or a whole number of seconds, at most ${MAX_HSTS}, ${HSTS}; omit it to keep the value`,
    ),
  ),
  hsts_include_subdomains: Type.Optional(flag(`true or false, ${SUBDOMAINS}; omit it to keep the value`)),
  hsts_preload: Type.Optional(flag(`true or false, ${PRELOAD}; omit it to keep the value`)),
  heuristics: Type.Optional(
    oneOf(HEURISTICS, `"off", "static" or "all", ${HEURISTICS_TEXT}; omit it to keep the value`),
  ),
  forwarded_header: Type.Optional(flag(`true or false, ${FORWARDED}; omit it to keep the value`)),
  lenient_responses: Type.Optional(flag(`true or false, ${LENIENT}; omit it to keep the value`)),
  heuristic_freshness: Type.Optional(flag(`true or false, ${ALL_HEURISTICS}; omit it to keep the value`)),
};

/** In responses. */
const settingsView = {
  hsts_max_age: orNull(Type.Integer(), `seconds ${HSTS}`),
  hsts_include_subdomains: flag(SUBDOMAINS),
  hsts_preload: flag(PRELOAD),
  heuristics: oneOf(HEURISTICS, HEURISTICS_TEXT),
  forwarded_header: Type.Boolean({ description: FORWARDED }),
  lenient_responses: Type.Boolean({ description: LENIENT }),
  heuristic_freshness: Type.Boolean({ description: ALL_HEURISTICS }),
};

/** In the history of a domain. */
export const pastSettings = {
  hsts_max_age: orNull(Type.Integer(), 'seconds; null: HSTS is not sent'),
  hsts_include_subdomains: flag('as in the proxy'),
  hsts_preload: flag('as in the proxy'),
  heuristics: oneOf(HEURISTICS, 'as in the proxy'),
  forwarded_header: flag('as in the proxy'),
  lenient_responses: flag('as in the proxy'),
  heuristic_freshness: flag('as in the proxy'),
};

export const settingsBody = bodySchema(Type.Object(settings));

export const originBody = bodySchema(
  Type.Object({
    origin: host('', 1),
    // May be empty, because a client may send back a response from before an origin was set.
    origin_host: host('; another name of "origin"; "" counts as omitted', 0),
    port: port('; the default is 443'),
    origin_port: port('; another name of "port"'),
    protocol: protocol('; the default is https for port 443 and http for port 80'),
    origin_protocol: protocol('; another name of "protocol"'),
    ...settings,
    ...readOnly(
      'domain_id',
      'is_enabled',
      'ssl_status',
      'ssl_issued_at',
      'ssl_expires_at',
      'ssl_error',
      'certificate',
      'certificates',
      'uncovered',
      'exposed',
      'warnings',
    ),
  }),
);

export const toggleBody = bodySchema(Type.Object({ enable: flag('true or false, whether to turn the proxy on') }));

/** Maximum characters of a PEM text. */
const MAX_PEM = 65_536;

export const certificateBody = bodySchema(
  Type.Object({
    certificate: text('a string of at most 65536 characters, the certificate in PEM form with its chain, leaf first', {
      minLength: 1,
      maxLength: MAX_PEM,
    }),
    private_key: text('a string of at most 65536 characters, its private key in PEM form', {
      minLength: 1,
      maxLength: MAX_PEM,
    }),
    rsa_certificate: Type.Optional(
      text(
        'a string of at most 65536 characters, a second certificate, with an RSA key, for clients that do not support the ECDSA key of the first; it covers all names of the first',
        { minLength: 1, maxLength: MAX_PEM },
      ),
    ),
    rsa_private_key: Type.Optional(
      text('a string of at most 65536 characters, the private key of rsa_certificate', {
        minLength: 1,
        maxLength: MAX_PEM,
      }),
    ),
  }),
);

const MAX_ENTRIES = 100;
const MAX_ENTRY = 2_048;
const entries = (what: string) =>
  Type.Optional(
    Type.Unsafe<readonly string[]>(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_ENTRY, description: `a string, ${what}` }), {
        minItems: 1,
        maxItems: MAX_ENTRIES,
        description: `a list of 1 to ${MAX_ENTRIES} strings, each ${what}; if all lists are omitted, everything is purged`,
      }),
    ),
  );

const SSL_STATUSES = ['none', 'pending', 'active', 'renewing', 'error'] as const;

const listedCertificate = Type.Object(
  {
    domain_id: id('the domain'),
    domain: text('its name', { examples: ['example.com'] }),
    ssl_status: oneOf(SSL_STATUSES, 'as in the proxy'),
    ssl_expires_at: orNull(time('when the certificate expires')),
    is_uploaded: flag('whether it was uploaded, so that it is not renewed'),
    problem: orNull(Type.String(), 'why it needs attention, and what to do; null: it needs none'),
  },
  { title: 'ListedCertificate' },
);

export const certificatesResponse = Type.Object({
  certificates: list(listedCertificate, 'sorted by name of the domain, in canonical order'),
  ...pageFields,
});

export const originTestBody = bodySchema(
  Type.Object({
    origin: text('a string, a public IPv4 or IPv6 address or a host name, such as "origin.example.net"', {
      minLength: 1,
      maxLength: 1024,
    }),
    port: port('; the default is 443'),
    protocol: protocol('; the default is "http" for port 80, and "https" for others'),
  }),
);

export const originTestResponse = Type.Object({
  test: Type.Object(
    {
      ok: flag('whether all steps succeeded'),
      steps: list(
        Type.Object({
          step: oneOf(['dns', 'tcp', 'tls', 'http'], 'name, connection, TLS with its certificate, and response'),
          ok: flag('whether it succeeded; a failed step is the last'),
          ms: count('milliseconds that it took'),
          detail: text('what was found, as a sentence', { examples: ['192.0.2.1 accepts connections to port 443.'] }),
        }),
        'in order',
      ),
      certificate: orNull(
        Type.Object({
          names: list(Type.String({ examples: ['origin.example.net'] }), 'the names that it is for, at most 20'),
          issuer: orNull(Type.String(), 'the organization and the name of its issuer'),
          expires_at: time('when it expires'),
        }),
        'the certificate that the origin presented; null: none',
      ),
      status: orNull(Type.Integer(), 'the status of the response to GET /, with the domain as its host'),
    },
    { title: 'OriginTest' },
  ),
});

export const purgeBody = bodySchema(
  Type.Object({
    urls: entries('a full URL, such as "https://www.example.com/a.css"'),
    prefixes: entries('a host and the start of a path, such as "www.example.com/news/"'),
    tags: entries(`a tag that the origin sends in Cache-Tag: it ${CACHE_TAG_RULE}`),
    prefetch: Type.Optional(
      flag(
        'true or false, whether the nodes fetch again from the origin, at once and in the background, each URL of "urls" and up to 100 of the most requested other responses that are purged; the default is false',
      ),
    ),
  }),
);

const exposedView = Type.Object(
  {
    name: text('relative to the domain; "@" is the apex', { examples: ['www'] }),
    type: text('such as "A"'),
    content: text('in presentation form; truncated if it is long', { examples: ['192.0.2.9'] }),
    why: text('how the record reveals the origin, and how to fix it', {
      examples: ['This record has the address of the origin; turn its proxy on.'],
    }),
    record_id: id('the record'),
    fix: orNull(
      oneOf(FIXES),
      'a change of the record that hides the origin: "set_proxied": set "proxied" to true; "remove_hints": replace the content by fixed_content; "set_address": set its address as the origin, then delete the record; null: only you can decide what to change',
    ),
    fixed_content: orNull(Type.String(), 'for "remove_hints", the content without the addresses; otherwise null'),
  },
  { title: 'ExposedRecord' },
);

const certificateView = Type.Object(
  {
    source: oneOf(['none', 'automatic', 'uploaded'], 'the origin of the stored certificate'),
    names: list(Type.String(), 'the host names that it is for, at most 100'),
    issuer: orNull(Type.String(), 'the organization and the name of its issuer'),
    issued_at: orNull(time('when it was issued')),
    expires_at: orNull(time('when it expires')),
    is_ordering: flag('whether a node is ordering a certificate at the moment'),
    challenges: list(
      oneOf(['dns-01', 'http-01']),
      'how the certificate authority is checking the names at the moment; empty if it is not',
    ),
    requested_at: orNull(time('when an order was requested that has not ended yet')),
    attempted_at: orNull(time('when the last order began')),
    failures: count('failed orders since the last certificate'),
    next_attempt_at: orNull(time('when the next order begins after a failure, unless you request one before')),
    renews_at: orNull(time('when its renewal begins')),
  },
  { title: 'CertificateState', description: 'the stored certificate, and the order for the next one' },
);

const coveringView = Type.Object(
  {
    source: oneOf(['automatic', 'uploaded'], 'the origin of the certificate'),
    names: list(Type.String(), 'the host names that it is for, at most 100; a wildcard covers one label'),
    key_type: oneOf(
      ['ecdsa', 'rsa'],
      'the type of its key; an RSA certificate beside an ECDSA one serves clients without ECDSA',
    ),
    issuer: orNull(Type.String(), 'the organization and the name of its issuer'),
    issued_at: time('when it was issued'),
    expires_at: time('when it expires'),
    hosts: list(Type.String(), 'the proxied names that it is served for, at most 100'),
  },
  { title: 'CoveringCertificate' },
);

const uncoveredView = Type.Object(
  {
    name: text('a proxied host name; "*.dev.example.com" stands for the names that a wildcard record matches', {
      examples: ['www.example.com'],
    }),
    why: text('why no certificate covers it, and the next step', { examples: ['The certificate is being ordered.'] }),
    next_attempt_at: orNull(time('when it is ordered again after a failure, unless you request an order before')),
  },
  { title: 'UncoveredName' },
);

const proxyView = Type.Object(
  {
    domain_id: id('the domain'),
    is_enabled: Type.Unsafe<0 | 1>({
      type: 'integer',
      enum: [0, 1],
      description: '1 while the proxy is on',
    }),
    origin_host: text('address or host name of the web server behind the proxy; empty until it is set', {
      examples: ['origin.example.net'],
    }),
    origin_port: integer(1, 65_535, 'the port of the origin; 443 until one is set'),
    origin_protocol: oneOf(PROTOCOLS, 'the protocol of the origin; "https" until one is set'),
    ...settingsView,
    ssl_status: oneOf(
      SSL_STATUSES,
      'the state of the certificate: "none"; "pending": the first one is being ordered; "active"; "renewing": a new one is being ordered while the current one is served; "error": there is none, and ssl_error has the reason',
    ),
    ssl_issued_at: orNull(time('when the certificate was issued')),
    ssl_expires_at: orNull(time('when it expires')),
    ssl_error: orNull(
      Type.String(),
      'the problem with the certificate and the next step: why there is none, why the renewal failed, or which names could not be validated; or null',
    ),
    certificate: certificateView,
    certificates: list(coveringView, 'all stored certificates; a host is served with the first that covers it'),
    uncovered: list(uncoveredView, 'proxied names without a certificate, at most 100'),
    exposed: list(
      exposedView,
      'records that reveal the origin although the proxy is on, at most 100; while the proxy is off, the records that would do so',
    ),
    warnings: list(
      Type.String(),
      'accepted settings that may be a mistake, while the proxy is on: no origin, an origin, names or a service that cannot be reached, names without a certificate; empty if there are none',
    ),
  },
  { title: 'Proxy' },
);

export const proxyResponse = Type.Object({
  domain: Type.Object({
    id: id('the domain'),
    domain: text('its name, in A-labels, without the last dot', { examples: ['example.com'] }),
  }),
  proxy: proxyView,
});

export const purgeResponse = Type.Object({
  purge: Type.Object({
    id: id('the purge'),
    domain_id: id('the domain'),
    everything: flag('whether all of the domain is purged'),
    urls: list(Type.String(), 'normalised'),
    prefixes: list(Type.String(), 'normalized, host and path; for both schemes'),
    tags: list(Type.String(), 'as requested'),
    prefetch: flag('whether the nodes fetch again from the origin what they purged'),
    requested_at: time('when it was requested'),
  }),
});
