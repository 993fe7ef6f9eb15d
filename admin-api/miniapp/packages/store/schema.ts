/** Schemas of the store in requests and responses. */
import { type TProperties, Type } from '@sinclair/typebox';
import { count, id, integer, line, list, orNull, text, time } from '../../../../core/base/schema.ts';
import { bodySchema } from '../../../http/json-body.ts';
import { pageFields } from '../../../http/lists.ts';

const SHA256 = '^[0-9a-f]{64}$';
const signature = {
  key_id: id('the key that made the signature'),
  signature: text('the Ed25519 signature in base64 under the statement of the package', {
    examples: ['2iCBKpBSVyUVhyKHtZgcJHBWEKlOTx8qGWzTrKWcpo3kBtzCxqCpEdhGzGjzQwHyDdXZ8VjEcvNqk3vYBGuRDA=='],
  }),
} satisfies TProperties;

const storeApp = Type.Object(
  {
    app_id: text('the id of the app', { examples: ['com.example.notes'] }),
    name: text('the name of the app', { examples: ['Notes'] }),
    version: text('the version, for people', { examples: ['1.2.0'] }),
    version_code: Type.Integer({ minimum: 1, description: 'the number of the version; it increases' }),
    description: orNull(Type.String(), 'the description; in the list, its first 200 characters'),
    category: orNull(Type.String(), 'the category'),
    min_host_version: text('the lowest version of the host that runs it', { examples: ['1.0.0'] }),
    permissions: list(Type.String(), 'the permissions of its pages'),
    background_permissions: list(Type.String(), 'the permissions of its background file'),
    icon_url: orNull(Type.String(), 'the path of the icon, or null'),
    package_url: text('the path of the package', { examples: ['/api/store/apps/com.example.notes/package'] }),
    size: count('the size of the package in bytes'),
    sha256: Type.String({
      pattern: SHA256,
      description: 'the SHA-256 of the package',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    ...signature,
    signatures: list(Type.Object(signature), 'a signature of each key that signs, that of the current key first'),
    policy: Type.Object(
      {
        version: Type.Integer({ minimum: 1, description: 'its version' }),
        sha256: Type.String({
          pattern: SHA256,
          description: 'its SHA-256',
          examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
        }),
        url: text('its path', { examples: ['/api/dev/policy'] }),
      },
      { description: 'the sandbox policy that hosts apply to the package' },
    ),
    published_at: time('when the package was published'),
  },
  { title: 'StoreApp' },
);

export const storeAppsResponse = Type.Object({
  apps: list(storeApp, 'the published apps'),
  ...pageFields,
});

export const storeAppResponse = Type.Object({ app: storeApp });

export const rotateBody = bodySchema(
  Type.Object({
    overlap_days: Type.Optional(
      integer(0, 3650, 'the number of days for which the previous key also signs, 0 to 3650; the default is 90'),
    ),
  }),
);

export const revokeBody = bodySchema(
  Type.Object({ reason: line(1, 500, 'one line of text, which everybody can read') }),
);
