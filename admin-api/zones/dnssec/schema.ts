/** Schemas of DNSSEC in requests and responses. */
import { Type } from '@sinclair/typebox';
import { flag, id, list, oneOf, orNull, text, time } from '../../../core/base/schema.ts';
import { MAX_PRIVATE_KEY } from '../../../core/dns/dnssec/private-key.ts';
import { DNSSEC_PHASES } from '../../../core/store/rows.ts';
import { bodySchema } from '../../http/json-body.ts';
import { MAX_FOREIGN_KEYS } from './given-keys.ts';

const number = (description: string) => Type.Integer({ minimum: 0, maximum: 65_535, description });

const dnskeyText = (description: string) => text(description, { minLength: 1, maxLength: 4096 });

export const dnssecBody = bodySchema(
  Type.Object({
    enabled: flag('true or false, whether to sign the zone'),
    algorithm: Type.Optional(
      Type.Integer({
        description:
          'the algorithm of the keys: 13 (ECDSA P-256 with SHA-256, the default) or 15 (Ed25519); while DNSSEC is on, a rollover changes it. 8 (RSASHA256) and 10 (RSASHA512) only of a "private_key", and only if that is a PEM',
      }),
    ),
    private_key: Type.Optional(
      text(
        'only with "enabled": true; the private key of the key that the DS names, to take over a signed zone: a BIND file ("Private-key-format: v1.3 …"), or PKCS #8 in PEM. It is never returned',
        { minLength: 1, maxLength: MAX_PRIVATE_KEY },
      ),
    ),
    foreign_keys: Type.Optional(
      Type.Array(dnskeyText('a string, the rdata of a DNSKEY record'), {
        maxItems: MAX_FOREIGN_KEYS,
        description:
          'only with "private_key"; the DNSKEY records of the provider that signs the zone now, such as that of its ZSK. They are published with the imported key, until you delete them as foreign keys',
      }),
    ),
    force: Type.Optional(
      flag(
        'only with "enabled": false; true to stop while the parent has a DS record, which CDS records ask to remove; or, if it has none or cannot be asked, to stop at once although resolvers may have it in their caches',
      ),
    ),
  }),
);

export const rolloverBody = bodySchema(
  Type.Object({
    emergency: Type.Optional(
      flag('true if the private key may be known to others: both DS records may be set at once, and margins are short'),
    ),
    algorithm: Type.Optional(
      Type.Integer({
        description:
          'the algorithm of the new key: 13 (ECDSA P-256 with SHA-256) or 15 (Ed25519); omitted: that of the zone. Another one than that of the zone excludes "emergency"',
      }),
    ),
  }),
);

export const foreignKeyBody = bodySchema(
  Type.Object({
    dnskey: dnskeyText(
      'a string, the rdata of a DNSKEY record: flags, protocol, algorithm and public key, such as "257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4="',
    ),
  }),
);

const dsView = Type.Object(
  {
    key_tag: number('the key tag'),
    algorithm: number('the algorithm'),
    digest_type: number('the type of the digest; 2 is SHA-256'),
    digest: text('the digest, hexadecimal', {
      examples: ['B3A0C6D2F1E84A5799C8D1E0F2A3B4C5D6E7F8091A2B3C4D5E6F708192A3B4C5'],
    }),
    record: text('the whole record, as a line of a zone file', {
      examples: ['example.com. IN DS 12345 13 2 B3A0C6D2F1E84A5799C8D1E0F2A3B4C5D6E7F8091A2B3C4D5E6F708192A3B4C5'],
    }),
  },
  { title: 'DsRecord' },
);

const dnskeyView = Type.Object(
  {
    key_tag: number('the key tag'),
    flags: number('the flags; 257 is a key that a DS may name'),
    protocol: number('always 3'),
    algorithm: number('the algorithm'),
    public_key: text('the public key, base64', {
      examples: ['oJMRESz5E4gYzS/q6XDrvU1qMPYIjCWzJaOau8XNEZeqCYKD5ar0IRd8KqXXFJkqmVfRvMGPmM1x8fGAa2XhSA=='],
    }),
    record: text('the whole record, as a line of a zone file', {
      examples: ['example.com. IN DS 12345 13 2 B3A0C6D2F1E84A5799C8D1E0F2A3B4C5D6E7F8091A2B3C4D5E6F708192A3B4C5'],
    }),
  },
  { title: 'DnskeyRecord' },
);

const keyView = Type.Object(
  {
    id: id('the key'),
    key_tag: number('the key tag'),
    algorithm: number('the algorithm'),
    state: oneOf(
      ['active', 'incoming', 'outgoing'],
      'active: it signs the zone; incoming: it will replace the active key; outgoing: it will be removed. While the algorithm is replaced, two keys sign the zone',
    ),
    next_step: orNull(Type.String(), 'what comes next for a key that is incoming or outgoing'),
    next_at: orNull(time('when that is expected')),
    created_at: time('when it was created'),
  },
  { title: 'DnssecKey' },
);

const errorView = Type.Object(
  {
    code: oneOf(['ds_mismatch', 'parent_unreachable', 'signing_failed'], 'the problem'),
    reason: orNull(
      oneOf(['stale', 'foreign', 'missing']),
      'of ds_mismatch: the DS of a former key, of an unknown key, or no DS',
    ),
    message: text('the problem and how to fix it', {
      examples: ['No DS record matches a key; replace it at the registrar.'],
    }),
  },
  { title: 'DnssecError' },
);

const parentView = Type.Object(
  {
    zone: text('the parent zone; empty for the root', { examples: ['com'] }),
    ds: list(Type.String(), 'the DS records at any of its nameservers: key tag, algorithm, digest type, digest'),
    servers: Type.Integer({ description: 'the number of its nameservers' }),
    answered: Type.Integer({ description: 'how many of them answered' }),
    checked_at: time('when they were asked'),
  },
  { title: 'DnssecParent' },
);

export const dnssecResponse = Type.Object({
  domain: Type.Object({
    id: id('the domain'),
    domain: text('its name, in A-labels, without the last dot', { examples: ['example.com'] }),
  }),
  status: oneOf(['off', ...DNSSEC_PHASES], 'the state of the zone: see the manual, DNSSEC'),
  algorithm: orNull(
    Type.Integer(),
    'the algorithm of the keys, or the former one while it is replaced; null: the zone is not signed',
  ),
  next_step: orNull(Type.String(), 'what you have to do, or what comes next; null while DNSSEC is off'),
  next_at: orNull(time('when the state changes; null: it depends on you or on the parent')),
  keys: list(keyView, 'the keys of the zone'),
  ds: list(dsView, 'the DS records that the parent zone should have'),
  dnskey: list(dnskeyView, 'the same keys as DNSKEY records, which some registrars require in place of DS'),
  parent: orNull(parentView, 'what the parent zone has; null: it was not asked yet'),
  signatures: Type.Object({
    earliest_expiry: orNull(time('when the first signature expires; all are replaced long before')),
  }),
  error: orNull(errorView, 'what is wrong at the parent zone or with the signatures; or null'),
  instructions: list(Type.String(), 'what to enter at the registrar, step by step'),
});

const foreignKeyView = Type.Object(
  {
    id: id('the key'),
    key_tag: number('the key tag'),
    algorithm: number('the algorithm'),
    dnskey: text('the rdata of its DNSKEY record', {
      examples: ['256 3 13 oJMRESz5E4gYzS/q6XDrvU1qMPYIjCWzJaOau8XNEZeqCYKD5ar0IRd8KqXXFJkqmVfRvMGPmM1x8fGAa2XhSA=='],
    }),
    created_at: time('when it was added'),
  },
  { title: 'ForeignKey' },
);

export const foreignKeysResponse = Type.Object({
  foreign_keys: list(foreignKeyView, 'the keys of other providers among the DNSKEY records'),
});
export const foreignKeyResponse = Type.Object({ foreign_key: foreignKeyView });
