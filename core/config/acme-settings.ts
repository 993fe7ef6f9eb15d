/** Certificates by themselves: from which directory (RFC 8555), and how. */
import { resolvers } from './address-kinds.ts';
import { choice, flag, hostNames, integer, type Kind, text } from './kinds.ts';
import type { Setting } from './schema.ts';

/** Directories that have a name of their own, since nobody knows their URLs by heart. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['letsencrypt', 'https://acme-v02.api.letsencrypt.org/directory'],
  ['letsencrypt-staging', 'https://acme-staging-v02.api.letsencrypt.org/directory'],
]);

function kind<T>(expected: string, parse: (text: string) => T | undefined, format: (value: T) => string): Kind<T> {
  return {
    expected,
    fromToml: (value) => (typeof value === 'string' ? parse(value) : undefined),
    fromText: parse,
    toToml: (value) => JSON.stringify(format(value)),
  };
}

/** Always HTTPS (RFC 8555 6.1). */
const directory = kind(
  'an https:// URL, "letsencrypt", or "letsencrypt-staging"',
  (value) => {
    const url = URL.parse(KNOWN.get(value.trim()) ?? value.trim());
    return url?.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === ''
      ? url.href
      : undefined;
  },
  String,
);

const email = kind(
  'an e-mail address, such as "hostmaster@example.net"',
  (value) => (/^[^\s@,?<>"]{1,64}@[^\s@,?<>"]{1,253}$/.test(value.trim()) ? value.trim() : undefined),
  String,
);

const base64url = kind(
  'base64url text, as the directory gives it',
  (value) => (/^[A-Za-z0-9_+/-]{16,1024}={0,2}$/.test(value.trim()) ? value.trim() : undefined),
  String,
);

/** As `hostNames`, but it may be empty. */
const identities: Kind<readonly string[]> = {
  ...hostNames,
  expected: `${hostNames.expected}; empty for what the directory says`,
  fromToml: (value) => (Array.isArray(value) && value.length === 0 ? [] : hostNames.fromToml(value)),
};

function setting<T>(one: Kind<T>, standard: T, doc: string): Setting<T> {
  return { kind: one, standard: () => standard, doc, secret: false };
}

function optional<T>(one: Kind<T>, standardText: string, example: string, doc: string): Setting<T | undefined> {
  return { kind: one, standard: () => undefined, standardText, example, doc, secret: false };
}

export const ACME_SETTINGS = {
  directory: optional(
    directory,
    'none, no certificate is ordered',
    '"letsencrypt"',
    'Directory of the certificate authority (RFC 8555): a URL, "letsencrypt", or "letsencrypt-staging", whose certificates browsers do not trust and which may be asked much more often: try that one first. Needs acme.agree_tos.',
  ),
  agree_tos: setting(
    flag,
    false,
    'Whether you agree to the terms of service of that directory. The log says where they are to be read when they are missing.',
  ),
  email: optional(
    email,
    'none',
    '"hostmaster@example.net"',
    'Where the directory may write to about the account; many take none.',
  ),
  eab_kid: optional(
    text('a key identifier'),
    'none',
    '"kid-1"',
    'Key identifier of the external account binding (RFC 8555 7.3.4), for directories that want one. Needs acme.eab_hmac_key.',
  ),
  eab_hmac_key: {
    ...optional(base64url, 'none', '"zWNDZM6eQGHWpSRTPal5eIUYFTu7EajV"', 'MAC key that goes with acme.eab_kid.'),
    secret: true,
  },
  ca_file: optional(
    text('the path of a file'),
    'the roots that Node brings',
    '"/etc/waypost/acme-root.pem"',
    "File with certificates (PEM) that the directory's own HTTPS is verified by, for an authority of one's own. A relative path starts at the working directory.",
  ),
  resolvers: setting(
    resolvers,
    [],
    'Resolvers that are asked before an order: whether the domain is delegated to us, and what CAA records its parents have. Empty for those of edge.resolvers, else of the system.',
  ),
  caa_identities: setting(
    identities,
    [],
    'Issuer domain names of the authority, as CAA records name them (RFC 8659). Empty for those that the directory tells; when it tells none, CAA is not looked at.',
  ),
  key_type: setting(
    choice('ecdsa-p256', 'ecdsa-p384', 'rsa-2048'),
    'ecdsa-p256',
    'Keys of the certificates, a new one for each. RSA is for visitors with software from before 2014, and costs some twenty times as much CPU a handshake.',
  ),
  profile: optional(
    text('the name of a profile'),
    'what the directory has as its default',
    '"shortlived"',
    'Profile of the certificates, for directories that have several.',
  ),
  preferred_chain: optional(
    text('a common name'),
    'the chain that the directory has as its default',
    '"ISRG Root X1"',
    'Of several chains the one with a certificate issued by this common name is taken (RFC 8555 7.4.2).',
  ),
  concurrent_orders: setting(integer(1, 64), 4, 'Orders under way at one time.'),
} as const;
