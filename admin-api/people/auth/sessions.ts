/**
 * Dashboard sessions. A cookie holds a random secret, of which only the hash is stored. A session
 * is a row, so its end applies on every node.
 */

import { createHmac } from 'node:crypto';
import { RecentMap } from '../../../core/base/recent-map.ts';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { audits, type Session, sessions } from '../../../core/store/rows.ts';
import { auditEntry } from '../../change/change.ts';
import { inCredentialTurn, revoke } from '../../change/credentials.ts';
import type { Services } from '../../change/services.ts';
import type { Caller, CallerSession, Credentials } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import { isOverTls } from '../../http/forwarded.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { sessionGone, unauthorized } from '../../http/unauthorized.ts';
import { scopesOf } from './scopes.ts';
import { type SignInRequest, type SignInWork, viewUser } from './sign-in.ts';
import { hashToken, matchesHash, mintToken, tokenId } from './token.ts';

/** Differs from the prefix of tokens, so that a session and a token are not interchangeable. */
const PREFIX = 'wps_';
const COOKIE = 'waypost_session';
/** Seconds between two records of the last use, so that reads rarely write. */
const RECORD_INTERVAL = 300;
const MAX_TRACKED = 10_000;
/** Maximum sessions of an account; a further sign-in ends the least recently used one. */
const MAX_SESSIONS = 100;
const MAX_USER_AGENT = 200;

export class Sessions {
  /** When this node last tried to record the use of a session. */
  readonly #lastAttempts = new RecentMap<number, Id>(MAX_TRACKED);
  readonly #writes = new Set<Promise<unknown>>();

  constructor(private readonly services: Services) {}

  /** The session of the request; undefined without a cookie. Throws HttpError 401. */
  find(request: Credentials): CallerSession | undefined {
    const text = readCookie(request);
    if (text === undefined) return undefined;
    const row = this.#stored(text);
    if (row === undefined || !matchesHash(text, row.hash)) throw sessionGone();
    if (this.isExpired(row)) throw unauthorized('expired_session', 'The session has expired; sign in again.');
    return { row, csrfToken: csrfTokenOf(text) };
  }

  /** Whether the request has a well-formed session cookie without a stored session on this node. */
  isUnknown(request: Credentials): boolean {
    const text = readCookie(request);
    return text !== undefined && tokenId(text, PREFIX) !== undefined && this.#stored(text) === undefined;
  }

  isExpired(row: Session, now = nowSeconds()): boolean {
    return this.#expiry(row) <= now;
  }

  /** Records the use of a session in the background, once in RECORD_INTERVAL. */
  note({ id, accountId, usedAt }: Session): void {
    const now = nowSeconds();
    if (now - Math.max(usedAt, this.#lastAttempts.get(id) ?? 0) < RECORD_INTERVAL) return;
    this.#lastAttempts.set(id, now);
    const { environment, journal } = this.services;
    const writing = inCredentialTurn(this.services, accountId, () =>
      write(environment, journal, 'sessions', (draft) => {
        const row = draft.session(id);
        if (row !== undefined && row.usedAt < now) draft.put(sessions, { ...row, usedAt: now });
      }),
    )
      // The first request after RECORD_INTERVAL retries.
      .catch(() => {})
      .finally(() => this.#writes.delete(writing));
    this.#writes.add(writing);
  }

  /** Resolves when the uses so far are recorded. */
  async settle(): Promise<void> {
    await Promise.all(this.#writes);
  }

  /**
   * Creates a session after a sign-in by `enter`, for example with a password. Each session has a
   * new secret, which prevents session fixation. The previous session of the browser ends. Throws
   * the errors of `enter`.
   */
  async create(request: SignInRequest<unknown>, enter: <T>(work: SignInWork<T>) => Promise<T>) {
    const { header, headers, remoteAddress, requestId } = request;
    const cookie = readCookie(request);
    const before = cookie === undefined ? undefined : this.#stored(cookie);
    const userAgent = header('user-agent')?.slice(0, MAX_USER_AGENT) ?? null;
    const { account, row, text } = await enter((draft, owner, by) => {
      const now = nowSeconds();
      if (before !== undefined && cookie !== undefined && matchesHash(cookie, before.hash))
        if (draft.session(before.id) !== undefined) draft.delete(sessions, before);
      this.#makeRoom(draft, owner.id, now);
      const id = draft.newId(sessions);
      const token = mintToken(id, PREFIX);
      const created = {
        id,
        accountId: owner.id,
        hash: hashToken(token),
        createdAt: now,
        usedAt: now,
        remoteAddress,
        userAgent,
      };
      draft.put(sessions, created);
      const session = { row: created, csrfToken: csrfTokenOf(token) };
      const caller = { account: owner, token: tokenOf(created, owner), session };
      draft.insert(
        audits,
        auditEntry({ caller, requestId, remoteAddress }, { action: 'session.create', target: id, detail: { by } }),
      );
      return { account: owner, row: created, text: token };
    });
    setCookie(request, headers, text, this.services.config.admin.sessionLifetime);
    return this.viewCurrent({ account, session: { row, csrfToken: csrfTokenOf(text) } });
  }

  /** Ends a session of the account. Throws HttpError 404. */
  async end(context: Context<Caller>, id: Id) {
    const { account, session } = context.caller;
    const done = await revoke(this.services, context, account.id, (draft) => {
      const row = draft.session(id);
      if (row === undefined || row.accountId !== account.id)
        throw new HttpError(404, 'no_such_session', 'The account has no session with this id.');
      draft.delete(sessions, row);
      return { action: 'session.delete', target: id, detail: {}, createResponse: () => ({}) };
    });
    if (session?.row.id === id) setCookie(context, context.headers, '', 0);
    return done;
  }

  /** Ends all sessions of the account except that of the request. */
  endOthers(context: Context<Caller>) {
    const { account, session } = context.caller;
    return revoke(this.services, context, account.id, (draft) => {
      const ended = endSessions(draft, account.id, session?.row.id);
      return { action: 'session.delete', detail: { ended }, createResponse: () => ({ ended }) };
    });
  }

  view(row: Session, current: Session | undefined) {
    return {
      id: row.id,
      current: row.id === current?.id,
      created_at: formatTime(row.createdAt),
      last_used_at: formatTime(row.usedAt),
      expires_at: formatTime(this.#expiry(row)),
      remote_address: row.remoteAddress,
      user_agent: row.userAgent,
    };
  }

  viewCurrent({ account, session }: Pick<Caller, 'account'> & { readonly session: CallerSession }) {
    return {
      user: viewUser(account),
      csrf_token: session.csrfToken,
      seq: this.services.journal.head,
      expires_at: formatTime(this.#expiry(session.row)),
    };
  }

  #stored(text: string): Session | undefined {
    const id = tokenId(text, PREFIX);
    return id === undefined ? undefined : this.services.reader.session(id);
  }

  /** Seconds since 1970. Changed settings also apply to existing sessions. */
  #expiry({ createdAt, usedAt }: Session): number {
    const { sessionIdle, sessionLifetime } = this.services.config.admin;
    return Math.min(createdAt + sessionLifetime, usedAt + sessionIdle);
  }

  /** Deletes expired sessions, and the least recently used ones above the limit. */
  #makeRoom(draft: Draft, accountId: Id, now: number): void {
    const rows = draft.sessionsOf(accountId).sort((a, b) => b.usedAt - a.usedAt || b.id - a.id);
    for (const [i, row] of rows.entries())
      if (i >= MAX_SESSIONS - 1 || this.isExpired(row, now)) draft.delete(sessions, row);
  }
}

/**
 * The rights of a session: all scopes of the role. Without an expiry, which new tokens would
 * inherit.
 */
export function tokenOf({ createdAt }: Session, { id: accountId, role }: Caller['account']): Caller['token'] {
  const scopes = scopesOf(role);
  return { id: 0, accountId, name: 'dashboard session', hash: '', scopes, createdAt, expiresAt: null };
}

/** Throws HttpError 403 unless the request has the CSRF token of its session. */
export function requireCsrfToken({ csrfToken }: CallerSession, request: Credentials): void {
  if (matchesHash(request.header('x-waypost-csrf') ?? '', hashToken(csrfToken))) return;
  throw new HttpError(
    403,
    'csrf',
    'A request with a session cookie needs the header X-Waypost-CSRF with the csrf_token of GET /api/v1/session.',
  );
}

/** Ends the sessions of an account, except one. Returns how many ended. */
export function endSessions(draft: Draft, accountId: Id, except?: Id): number {
  const ended = draft.sessionsOf(accountId).filter(({ id }) => id !== except);
  for (const row of ended) draft.delete(sessions, row);
  return ended.length;
}

/** Derived from the secret with HMAC, so it need not be stored and does not reveal the secret. */
const csrfTokenOf = (text: string): string => createHmac('sha256', text).update('csrf').digest('hex');

type CookieRequest = Pick<Credentials, 'isSecure' | 'header'>;

/**
 * The prefix binds the cookie to this host and to TLS. Over TLS, a cookie without the prefix is
 * ignored: a sibling host or a page without TLS could have set it.
 */
const cookieName = (request: CookieRequest): string => (isOverTls(request) ? `__Host-${COOKIE}` : COOKIE);

function readCookie(request: CookieRequest): string | undefined {
  const name = `${cookieName(request)}=`;
  const pairs = request.header('cookie')?.split(/[;,]/) ?? [];
  return pairs
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(name))
    ?.slice(name.length);
}

function setCookie(request: CookieRequest, headers: Record<string, string>, value: string, maxAge: number): void {
  const secure = isOverTls(request) ? '; Secure' : '';
  const flags = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`;
  headers['Set-Cookie'] = `${cookieName(request)}=${value}; ${flags}`;
}
