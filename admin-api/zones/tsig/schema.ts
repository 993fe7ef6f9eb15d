/** Schemas of TSIG keys in requests and responses. */
import { Type } from '@sinclair/typebox';
import { flag, id, list, oneOf, orNull, text, time } from '../../../core/base/schema.ts';
import type { TsigAlgorithm } from '../../../core/dns/wire/tsig.ts';
import { bodySchema } from '../../http/json-body.ts';
import { pageFields } from '../../http/lists.ts';
import { limitFields, limitViews } from '../../people/auth/limits.ts';

const ALGORITHMS = [
  'hmac-sha256',
  'hmac-sha512',
  'hmac-sha384',
  'hmac-sha224',
  'hmac-sha1',
  'hmac-md5',
] as const satisfies readonly TsigAlgorithm[];

export const tsigKeyBody = bodySchema(
  Type.Object({
    name: text('a domain name that both sides use for the key, such as "transfer.example.net"', {
      minLength: 1,
      maxLength: 1024,
    }),
    algorithm: Type.Optional(oneOf(ALGORITHMS, 'the algorithm of the signatures; the default is "hmac-sha256"')),
    secret: Type.Optional(
      orNull(
        text('base64', { minLength: 1, maxLength: 1024 }),
        'the secret of an existing key, in base64; it is never returned. Omitted or null: a new one is generated',
      ),
    ),
    outgoing: Type.Optional(
      flag(
        'true for a key that only signs requests to primaries, and may have a name that is in use; the default for "hmac-md5"',
      ),
    ),
    scopes: Type.Optional(
      list(Type.String({ maxLength: 40 }), 'a list of "dns:read" (transfer zones) and "dns" (also update them)', {
        maxItems: 16,
      }),
    ),
    domain_ids: Type.Optional(
      orNull(
        list(id('a domain'), 'ids of domains', { maxItems: 1000 }),
        'the ids of the domains that the key is valid for, or null for all domains of the account',
      ),
    ),
    ...limitFields,
  }),
);

const keyView = {
  id: id('the key'),
  name: text('its name, without the last dot', { examples: ['transfer.example.com'] }),
  algorithm: oneOf(ALGORITHMS, 'the algorithm of the signatures'),
  outgoing: flag('whether it only signs requests to primaries'),
  scopes: list(Type.String(), 'the scopes of the key'),
  domain_ids: orNull(
    list(id('a domain'), 'ids of domains'),
    'the domains that the key is valid for; null: all domains of the account',
  ),
  ...limitViews,
  created_at: time('when it was created'),
};

export const newTsigKeyResponse = Type.Object({
  secret: Type.Optional(text('the generated secret in base64; it is shown only once, and never if it was given')),
  ...keyView,
  warnings: list(
    Type.Object({
      code: text('a stable code', { examples: ['weak_algorithm'] }),
      message: text('what should be changed', { examples: ['hmac-md5 is weak; use hmac-sha256.'] }),
    }),
    'weaknesses of the key',
  ),
});

export const tsigKeysResponse = Type.Object({
  tsig_keys: list(Type.Object(keyView, { title: 'TsigKey' }), 'the TSIG keys of the account'),
  ...pageFields,
});
