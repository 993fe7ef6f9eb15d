/** Changes the password and the e-mail address of the user, which needs the current password. */
import { escapeControls } from '../../../core/base/log/index.ts';
import type { Json } from '../base/client.ts';
import { ApiError } from '../base/errors.ts';
import { askPassword } from '../base/password.ts';
import type { Call } from '../base/verb.ts';

export interface OwnCredentials {
  readonly username: string;
  /** Undefined: not changed; null: removed. */
  readonly email?: unknown;
  /** New password; undefined: not changed. */
  readonly password?: string;
  readonly revokeTokens?: boolean;
}

const OWN_ACCOUNT = '/api/v1/account';

/** Resolves with the last response. Throws ApiError, and CliError `no_password`. */
export async function setOwnCredentials(
  call: Pick<Call<{ readonly code?: string }>, 'api' | 'io' | 'options'>,
  { username, email, password: newPassword, revokeTokens }: OwnCredentials,
): Promise<Json> {
  const { api, io, options } = call;
  const password =
    io.env.WAYPOST_ADMIN_PASSWORD ||
    (await askPassword(
      io,
      `Current password of ${escapeControls(username)}: `,
      'Set WAYPOST_ADMIN_PASSWORD to the current password.',
    ));
  let { code } = options;
  /** Asks for a code if the account needs one. A code works once, so each change has its own. */
  const send = async (method: 'PATCH' | 'PUT', path: string, fields: object): Promise<Json> => {
    const json = { password, ...fields };
    try {
      return await api.json({ method, path, json: { ...json, code } });
    } catch (error) {
      const isMissing = error instanceof ApiError && error.code === 'code_required' && code === undefined;
      if (!isMissing || !io.stdin.isTTY) throw error;
      const typed = await askPassword(io, 'Code of your authenticator app: ', 'Pass --code.');
      return api.json({ method, path, json: { ...json, code: typed } });
    } finally {
      code = undefined;
    }
  };
  let body: Json = {};
  if (email !== undefined) body = await send('PATCH', OWN_ACCOUNT, { email });
  if (newPassword !== undefined)
    body = await send('PUT', `${OWN_ACCOUNT}/password`, { new_password: newPassword, revoke_tokens: revokeTokens });
  return body;
}
