/** Schemas of accounts in requests and responses. */
import { Type } from '@sinclair/typebox';
import { count, flag, id, list, oneOf, orNull, readOnly, text, time } from '../../../core/base/schema.ts';
import { bodySchema } from '../../http/json-body.ts';
import { pageFields } from '../../http/lists.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from '../auth/schema.ts';

const ROLES = ['admin', 'user', 'viewer'] as const;

export const accountFields = {
  username: text(
    'a string of 1 to 63 letters, digits, dots, hyphens and underscores that begins with a letter or digit',
    { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' },
  ),
  email: orNull(
    text('an e-mail address such as name@example.com', {
      pattern: '^[^\\s@\\u0000-\\u001f\\ud800-\\udfff]{1,64}@[^\\s@\\u0000-\\u001f\\ud800-\\udfff]{1,255}$',
    }),
    'a string, an e-mail address, or null',
  ),
  password: text(`a string of ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`, {
    minLength: MIN_PASSWORD,
    maxLength: MAX_PASSWORD,
  }),
  role: oneOf(ROLES),
  plan: text('a string, the name of a plan', { maxLength: 100 }),
  api_enabled: flag('true or false'),
};

export const newAccountBody = bodySchema(
  Type.Object({
    username: accountFields.username,
    email: Type.Optional(accountFields.email),
    password: accountFields.password,
    role: Type.Optional(accountFields.role),
    plan: Type.Optional(accountFields.plan),
    api_enabled: Type.Optional(accountFields.api_enabled),
  }),
);

export const accountPatchBody = bodySchema(
  Type.Object({
    ...Type.Partial(Type.Object(accountFields)).properties,
    revoke_tokens: Type.Optional(flag('true to revoke all tokens of the account, together with a new password')),
    ...readOnly('id', 'created_at', 'updated_at'),
  }),
);

const accountView = Type.Object(
  {
    id: id('the account'),
    username: Type.String({ examples: ['alice'] }),
    email: orNull(Type.String(), 'its e-mail address, also accepted as the login'),
    role: oneOf(ROLES),
    plan: Type.String({ examples: ['pro'] }),
    api_enabled: flag('whether its tokens are accepted'),
    created_at: time('when it was created'),
    updated_at: time('when it was last changed'),
  },
  { title: 'Account' },
);

export const accountResponse = Type.Object({ account: accountView });
export const accountsResponse = Type.Object({
  accounts: list(accountView, 'sorted by id, unless `sort` says otherwise'),
  ...pageFields,
});

export const plansResponse = Type.Object({
  plans: list(
    Type.Object(
      {
        name: Type.String({ examples: ['pro'] }),
        max_domains: orNull(count('the maximum number of domains'), 'null: unlimited'),
      },
      { title: 'Plan' },
    ),
    'as in the configuration',
  ),
});

const ownAccountView = Type.Object(
  {
    id: id('the account'),
    username: Type.String({ examples: ['alice'] }),
    email: orNull(Type.String(), 'its e-mail address, also accepted as the login'),
    role: oneOf(ROLES),
    domain_count: count('the number of its domains'),
    dns_record_count: count('the number of records in all its domains'),
    limits: Type.Object({
      plan: Type.String({ examples: ['pro'] }),
      is_unlimited: flag('whether the number of domains is unlimited'),
      max_domains_display: text('the maximum number of domains, or "unlimited"', { examples: ['100'] }),
    }),
  },
  { title: 'OwnAccount' },
);

export const ownAccountResponse = Type.Object({ account: ownAccountView });

export const factorsResponse = Type.Object({
  totp_enabled: flag('whether its sign-in needs a one-time code'),
  passkey_count: count('the number of its passkeys'),
});
