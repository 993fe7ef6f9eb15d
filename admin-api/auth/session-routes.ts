/** Endpoints of dashboard sessions. */
import { Type } from '@sinclair/typebox';
import { parseId } from '../change/services.ts';
import { HttpError } from '../http/errors.ts';
import { pageOfIds } from '../http/lists.ts';
import { publicRoute, type Route, route } from '../http/route.ts';
import { NOTHING, pageQuery } from '../http/schema.ts';
import { endedResponse, sessionResponse, sessionsResponse, signInBody } from './schema.ts';
import type { Sessions } from './sessions.ts';
import { SIGN_IN_FAULTS, type SignInParts } from './sign-in.ts';

const SESSION = '/api/v1/session';
const SESSIONS = '/api/v1/sessions';

export function sessionRoutes(parts: SignInParts, sessions: Sessions): Route[] {
  const { reader } = parts.services;
  return [
    publicRoute({
      operationId: 'signIn',
      method: 'POST',
      path: SESSION,
      tag: 'sessions',
      summary: 'Sign in to the dashboard',
      description:
        'Sets a cookie that no script can read. The session ends at `expires_at`, which each use moves on, up to `admin.session_lifetime` after the sign-in. The session that the request comes with ends. An Idempotency-Key has no effect here.',
      body: signInBody,
      response: sessionResponse,
      faults: SIGN_IN_FAULTS,
      run: (context) => sessions.create(parts, context),
    }),
    route({
      operationId: 'getSession',
      method: 'GET',
      path: SESSION,
      tag: 'sessions',
      summary: 'Get the dashboard session of the request',
      scope: 'account',
      response: sessionResponse,
      faults: { 404: ['no_session'] },
      run({ caller: { account, session }, headers }) {
        if (session === undefined) throw noSession();
        headers['Cache-Control'] = 'no-store';
        return sessions.viewCurrent({ account, session });
      },
    }),
    route({
      operationId: 'signOut',
      method: 'DELETE',
      path: SESSION,
      tag: 'sessions',
      summary: 'Sign out: end the dashboard session of the request',
      scope: 'account',
      endsSession: true,
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
      scope: 'account',
      query: Type.Object(pageQuery),
      response: sessionsResponse,
      faults: { 400: ['invalid_limit', 'invalid_cursor'] },
      run(context) {
        const { account, session } = context.caller;
        const valid = reader.sessionsOf(account.id).filter((row) => !sessions.isExpired(row));
        const { rows, next_cursor } = pageOfIds(valid, context);
        return { sessions: rows.map((row) => sessions.view(row, session?.row)), next_cursor };
      },
    }),
    route({
      operationId: 'endOtherSessions',
      method: 'DELETE',
      path: SESSIONS,
      tag: 'sessions',
      summary: 'End all dashboard sessions of the account except that of the request',
      scope: 'account',
      endsSession: true,
      response: endedResponse,
      run: (context) => sessions.endOthers(context),
    }),
    route({
      operationId: 'endSession',
      method: 'DELETE',
      path: `${SESSIONS}/{session_id}`,
      tag: 'sessions',
      summary: 'End a dashboard session of the account',
      description: 'The session is invalid on every node as soon as the response is sent.',
      scope: 'account',
      endsSession: true,
      response: NOTHING,
      faults: { 404: ['no_such_session'] },
      run: (context) => sessions.end(context, parseId(context.params.session_id)),
    }),
  ];
}

const noSession = (): HttpError =>
  new HttpError(404, 'no_session', 'The request has a token, not a dashboard session; sign in to get one.');
