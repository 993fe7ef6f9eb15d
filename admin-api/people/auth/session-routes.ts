/** Endpoints of dashboard sessions. */

import { NOTHING } from '../../../core/base/schema.ts';
import type { Session } from '../../../core/store/rows.ts';
import { parseId } from '../../change/services.ts';
import { HttpError } from '../../http/errors.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { listOfRows, pageQuery, searchQuery, sortQuery } from '../../http/lists.ts';
import { publicRoute, route } from '../../http/route.ts';
import { signInOptions } from '../factors/ceremonies.ts';
import { relyingPartyOf } from '../factors/relying-party.ts';
import { PASSKEY_FAULTS, signInWithPasskey } from './passkey-sign-in.ts';
import {
  endedResponse,
  passkeyOptionsResponse,
  passkeySignInBody,
  sessionResponse,
  sessionsResponse,
  signInBody,
} from './schema.ts';
import type { Sessions } from './sessions.ts';
import { SIGN_IN_FAULTS, type SignInParts, signIn } from './sign-in.ts';

const SESSION = '/api/v1/session';
const PASSKEY_SIGN_IN = `${SESSION}/passkey` as const;
const SESSIONS = '/api/v1/sessions';

const SESSION_SORTS = ['id', 'created_at', 'last_used_at'] as const;

export function sessionRoutes(parts: SignInParts, sessions: Sessions) {
  const { reader, config, secrets } = parts.services;
  return [
    publicRoute({
      operationId: 'signIn',
      method: 'POST',
      path: SESSION,
      tag: 'sessions',
      summary: 'Sign in to the dashboard',
      description:
        'Sets a cookie that no script can read. The session ends at `expires_at`, which each use moves on, up to `admin.session_lifetime` after the sign-in. The session that the request comes with ends. An account with a second factor also needs `code`: without it, the response is 401 `code_required`. An Idempotency-Key has no effect here.',
      example: { body: { login: 'admin', password: 'correct horse battery staple' } },
      body: signInBody,
      response: sessionResponse,
      faults: SIGN_IN_FAULTS,
      run: (context) => sessions.create(context, (work) => signIn(parts, context, work)),
    }),
    publicRoute({
      operationId: 'getPasskeySignInOptions',
      method: 'GET',
      path: PASSKEY_SIGN_IN,
      tag: 'sessions',
      summary: 'Get a challenge to sign in with a passkey',
      description: 'Pass `options` to navigator.credentials.get. The challenge works once, within 10 minutes.',
      response: passkeyOptionsResponse,
      faults: { 409: ['passkeys_unavailable'] },
      run(context) {
        return { options: signInOptions(secrets, relyingPartyOf(config.admin.hostname, context)) };
      },
    }),
    publicRoute({
      operationId: 'signInWithPasskey',
      method: 'POST',
      path: PASSKEY_SIGN_IN,
      tag: 'sessions',
      summary: 'Sign in to the dashboard with a passkey',
      description:
        'As POST /api/v1/session, without a password and a code: the authenticator has verified its user. The fields are those of the PublicKeyCredential that navigator.credentials.get returned.',
      example: {
        body: {
          credential: 'q83vEjRWeJA',
          client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
          authenticator_data: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
          signature: 'MEUCIQDMy6fCkBhvHw',
          user_handle: 'AQ',
        },
      },
      body: passkeySignInBody,
      response: sessionResponse,
      faults: PASSKEY_FAULTS,
      run: (context) => sessions.create(context, (work) => signInWithPasskey(parts, context, work)),
    }),
    route({
      operationId: 'getSession',
      method: 'GET',
      path: SESSION,
      tag: 'sessions',
      summary: 'Get the dashboard session of the request',
      description:
        'The user, and the `csrf_token` that all methods except GET and HEAD need in the header X-Waypost-CSRF. For requests with the cookie of a session; with a token the response is 404 `no_session`.',
      scope: 'account',
      response: sessionResponse,
      faults: { 404: ['no_session'] },
      run({ caller: { account, session } }) {
        if (session === undefined) throw noSession();
        return sessions.viewCurrent({ account, session });
      },
    }),
    route({
      operationId: 'signOut',
      revokes: true,
      method: 'DELETE',
      path: SESSION,
      tag: 'sessions',
      summary: 'Sign out: end the dashboard session of the request',
      description:
        'The cookie is invalid on every node as soon as the response is sent. For requests with the cookie of a session; with a token the response is 404 `no_session`.',
      scope: 'account',
      ownAccess: true,
      response: NOTHING,
      faults: { 404: ['no_session', 'no_such_session'] },
      run(context) {
        const { session } = context.caller;
        if (session === undefined) throw noSession();
        return sessions.end(context, session.row.id);
      },
    }),
    route({
      operationId: 'listSessions',
      method: 'GET',
      path: SESSIONS,
      tag: 'sessions',
      summary: 'List the dashboard sessions of the account',
      description: 'Each with its address, browser and times; `is_current` is that of the request.',
      scope: 'account',
      query: {
        ...pageQuery,
        ...searchQuery('address or User-Agent'),
        ...sortQuery(SESSION_SORTS),
      },
      response: sessionsResponse,
      run(context) {
        const { account, session } = context.caller;
        const valid = reader.sessionsOf(account.id).filter((row) => !sessions.isExpired(row));
        const list = listOfRows(valid, context.query, {
          sorts: { id: ({ id }) => id, created_at: ({ createdAt }) => createdAt, last_used_at: ({ usedAt }) => usedAt },
          texts: ({ remoteAddress, userAgent }) => [remoteAddress, userAgent ?? ''],
        });
        const view = (row: Session) => sessions.view(row, session?.row);
        return replyWithList(parts.services.streams, context, 'sessions', { view, ...list });
      },
    }),
    route({
      operationId: 'endOtherSessions',
      revokes: true,
      method: 'DELETE',
      path: SESSIONS,
      tag: 'sessions',
      summary: 'End all dashboard sessions of the account except that of the request',
      description: 'They are invalid on every node as soon as the response is sent. With a token, all sessions end.',
      scope: 'account',
      ownAccess: true,
      response: endedResponse,
      run: (context) => sessions.endOthers(context),
    }),
    route({
      operationId: 'endSession',
      revokes: true,
      method: 'DELETE',
      path: `${SESSIONS}/{session_id}`,
      tag: 'sessions',
      summary: 'End a dashboard session of the account',
      description: 'The session is invalid on every node as soon as the response is sent.',
      scope: 'account',
      ownAccess: true,
      response: NOTHING,
      faults: { 404: ['no_such_session'] },
      run: (context) => sessions.end(context, parseId(context.params.session_id)),
    }),
  ];
}

const noSession = (): HttpError =>
  new HttpError(404, 'no_session', 'The request has a token, not a dashboard session; sign in to get one.');
