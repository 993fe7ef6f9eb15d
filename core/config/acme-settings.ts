/** Settings of automatic certificates (ACME, RFC 8555). */
import { resolvers } from './address-kinds.ts';
import { choice, flag, hostNames, integer, type Kind, text, textual } from './kinds.ts';
import { fileOf, optional, reloadable, setting } from './setting.ts';

/** Short names of well-known directories. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['letsencrypt', 'https://acme-v02.api.letsencrypt.org/directory'],
  ['letsencrypt-staging', 'https://acme-staging-v02.api.letsencrypt.org/directory'],
]);

/** Always HTTPS (RFC 8555 6.1). */
const directory = textual(
  'an https:// URL, "letsencrypt", or "letsencrypt-staging"',
  (value) => {
    const url = URL.parse(KNOWN.get(value.trim()) ?? value.trim());
    return url?.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === ''
      ? url.href
      : undefined;
  },
  String,
);

const email = textual(
  'an e-mail address, such as "hostmaster@example.net"',
  (value) => (/^[^\s@,?<>"]{1,64}@[^\s@,?<>"]{1,253}$/.test(value.trim()) ? value.trim() : undefined),
  String,
);

const base64url = textual(
  'base64url text, as issued by the certificate authority',
  (value) => (/^[A-Za-z0-9_+/-]{16,1024}={0,2}$/.test(value.trim()) ? value.trim() : undefined),
  String,
);

/** As `hostNames`, but it may be empty. */
const identities: Kind<readonly string[]> = {
  ...hostNames,
  expected: `${hostNames.expected}; empty for the names that the directory announces`,
  fromToml: (value) => (Array.isArray(value) && value.length === 0 ? [] : hostNames.fromToml(value)),
};

export const ACME_SETTINGS = reloadable({
  directory: optional(
    directory,
    'none; no certificates are ordered',
    '"letsencrypt"',
    'Directory of the certificate authority (RFC 8555): a URL, "letsencrypt", or "letsencrypt-staging". Try "letsencrypt-staging" first: browsers do not trust its certificates, but its rate limits are much higher. Needs acme.agree_tos.',
  ),
  agree_tos: setting(
    flag,
    false,
    'Whether you agree to the terms of service of the directory. If this is false, the log shows where to read them.',
  ),
  email: optional(
    email,
    'none',
    '"hostmaster@example.net"',
    'Contact address of the ACME account. Many authorities ignore it.',
  ),
  eab_kid: optional(
    text('a key identifier'),
    'none',
    '"kid-1"',
    'Key identifier of the external account binding (RFC 8555 7.3.4), for authorities that require it. Needs acme.eab_hmac_key.',
  ),
  eab_hmac_key: {
    ...optional(base64url, 'none', '"zWNDZM6eQGHWpSRTPal5eIUYFTu7EajV"', 'MAC key of the external account binding.'),
    secret: true,
  },
  fallback_directory: optional(
    directory,
    'none',
    '"https://acme.example.net/directory"',
    'Directory of a second authority, as for acme.directory. It gets the orders that the first one fails for reasons of its own: it is unreachable, reports an error or a rate limit, or rejects the account. acme.agree_tos and acme.email hold for both.',
  ),
  fallback_eab_kid: optional(
    text('a key identifier'),
    'none',
    '"kid-2"',
    'Key identifier of the external account binding of the fallback. Needs acme.fallback_eab_hmac_key.',
  ),
  fallback_eab_hmac_key: {
    ...optional(
      base64url,
      'none',
      '"zWNDZM6eQGHWpSRTPal5eIUYFTu7EajV"',
      'MAC key of the external account binding of the fallback.',
    ),
    secret: true,
  },
  ca_file: fileOf(
    optional(
      text('the path of a file'),
      'the root certificates of Node.js',
      '"/etc/waypost/acme-root.pem"',
      'File with root certificates (PEM) that verify the HTTPS connection to the directories, for a private authority. A relative path starts at the working directory.',
    ),
  ),
  resolvers: setting(
    resolvers,
    [],
    'Resolvers for the checks before an order: the delegation of the domain and its CAA records. Empty: edge.resolvers, or the resolvers of the system.',
  ),
  caa_identities: setting(
    identities,
    [],
    'Issuer domain names of the authority in CAA records (RFC 8659). Empty: the names that the directory announces. If it announces none, CAA records are not checked.',
  ),
  fallback_caa_identities: setting(
    identities,
    [],
    'Issuer domain names of the fallback in CAA records, as for acme.caa_identities.',
  ),
  key_type: setting(
    choice('ecdsa-p256', 'ecdsa-p384', 'rsa-2048'),
    'ecdsa-p256',
    'Key type of certificates. Each certificate gets a new key. RSA supports clients from before 2014, and needs about twenty times the CPU per handshake.',
  ),
  also_rsa: setting(
    flag,
    false,
    'Whether an RSA certificate of the same names is ordered and served beside each ECDSA one, for clients from before 2014. Twice as many orders count in the limits of the authority. Without effect if acme.key_type is RSA.',
  ),
  profile: optional(
    text('the name of a profile'),
    'the default of the directory',
    '"shortlived"',
    'Certificate profile, for directories that offer several.',
  ),
  preferred_chain: optional(
    text('a common name'),
    'the default chain of the directory',
    '"ISRG Root X1"',
    'Selects, among several chains, the chain with a certificate that was issued by this common name (RFC 8555 7.4.2).',
  ),
  concurrent_orders: setting(
    integer(1, 64),
    8,
    'Maximum number of concurrent orders. An account that is alone has half of them.',
  ),
} as const);
