/** Schemas of the caller's own credentials in requests and responses. */
import { Type } from '@sinclair/typebox';
import { count, flag, id, line, list, orNull, text, time } from '../../../core/base/schema.ts';
import { bodySchema } from '../../http/json-body.ts';
import { pageFields } from '../../http/lists.ts';
import { accountFields } from '../accounts/schema.ts';
import { base64url, codeField, MAX_PASSWORD, passkeyFields } from '../auth/schema.ts';

const password = text(`a string of at most ${MAX_PASSWORD} characters, the current password of the account`, {
  maxLength: MAX_PASSWORD,
});

export const emailBody = bodySchema(Type.Object({ password, code: codeField, email: accountFields.email }));

export const passwordBody = bodySchema(
  Type.Object({
    password,
    code: codeField,
    new_password: accountFields.password,
    revoke_tokens: Type.Optional(flag('true to revoke all tokens of the account, except that of the request')),
  }),
);

export const passwordResponse = Type.Object({
  sessions_ended: count('the number of dashboard sessions that ended'),
  tokens_revoked: count('the number of revoked tokens'),
});

export const beginBody = bodySchema(Type.Object({ password }));

export const confirmationBody = bodySchema(Type.Object({ password, code: codeField }));

export const totpResponse = Type.Object({
  totp: Type.Object(
    {
      enabled: flag('whether sign-in and token exchange need a code'),
      confirmed_at: orNull(time('since when'), 'since when; null: they need none'),
      recovery_codes_left: count('the number of unused recovery codes'),
    },
    { title: 'Totp' },
  ),
});

export const newTotpResponse = Type.Object({
  secret: text('the secret in base32, to type it into an authenticator app; it is shown only once', {
    examples: ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  }),
  uri: text('the same as an otpauth address, for a QR code', {
    examples: ['otpauth://totp/Waypost:admin?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Waypost'],
  }),
});

export const totpConfirmBody = bodySchema(
  Type.Object({ password, code: text('a code of the authenticator, 6 digits', { maxLength: 100 }) }),
);

export const recoveryCodesResponse = Type.Object({
  recovery_codes: list(Type.String(), 'codes that work once each, in place of the authenticator; shown only once'),
});

const name = line(1, 200, 'a string of 1 to 200 characters on one line, the label of the passkey');

export const newPasskeyBody = bodySchema(
  Type.Object({
    name,
    ...passkeyFields,
    attestation: base64url('attestationObject', 65_536),
    transports: Type.Optional(
      list(Type.String({ maxLength: 40 }), 'a list of transports, such as ["internal"]', { maxItems: 16 }),
    ),
  }),
);

export const passkeyNameBody = bodySchema(Type.Object({ name }));

const passkeyView = Type.Object(
  {
    id: id('the passkey'),
    name: text('the label of the passkey', { examples: ['Laptop'] }),
    host: text('the host name of the dashboard at which it works', { examples: ['dns.example.net'] }),
    transports: list(Type.String(), 'how browsers reach its authenticator'),
    synced: flag('whether it exists on other devices too'),
    created_at: time('when it was created'),
    last_used_at: orNull(time('when it was last used'), 'when it was last used; null: never'),
  },
  { title: 'Passkey' },
);

export const passkeyResponse = Type.Object({ passkey: passkeyView });

export const passkeysResponse = Type.Object({
  passkeys: list(passkeyView, 'the passkeys of the account'),
  ...pageFields,
});
