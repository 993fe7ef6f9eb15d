/**
 * Commits the changes of one request: its rows, its audit entry, and the response to store for its
 * Idempotency-Key. They are in one commit, so none exists without the others.
 */

import { createHash } from 'node:crypto';
import { formatHost } from '../../core/dns/wire/name.ts';
import { type Draft, type WriteOptions, write } from '../../core/journal/draft/draft.ts';
import type { Id } from '../../core/store/keys.ts';
import { type Audit, audits, type Domain, type Replay, replays } from '../../core/store/rows.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import type { Idempotency } from '../http/idempotency.ts';
import { REVISION } from '../http/revision.ts';
import type { Context, Reply } from '../http/route.ts';
import { nowSeconds } from '../http/time.ts';
import { accountGone, apiDisabled, sessionGone, tokenGone } from '../http/unauthorized.ts';
import { requirePolicies } from './record-policies.ts';
import type { Services } from './services.ts';

/** Maximum length of the details of an audit entry, in characters of JSON. */
export const MAX_DETAIL = 4096;

/** Like MAX_DETAIL, while the audit log of the account is more than half full. */
export const MAX_SCARCE_DETAIL = 200;

/** Limits of shortened details: characters of a text, members of a list or object, and depth. */
const MAX_TEXT = 256;

const MAX_MEMBERS = 10;

const MAX_DEPTH = 3;

/** Maximum JSON length of an escaped character, such as \u0000, and of a value that is not text. */
const ESCAPED = 6;

const OTHER = 24;

/** The result of a change, for the audit log and the response. */
export interface ChangeResult<R extends Reply> {
  /** Such as `record.create`. */
  readonly action: string;
  /**
   * The object already had the requested state: nothing is changed, and there is no audit entry.
   */
  readonly unchanged?: boolean;
  /** The response is not stored: a retry with the same Idempotency-Key runs again. */
  readonly skipsReplay?: boolean;
  /** The owner of the changed object; omitted: the owner of the domain, or the caller. */
  readonly accountId?: Id;
  readonly domain?: Domain;
  /** Id of the changed object. The id of an app is text. */
  readonly target?: Id | string;
  /** Details for the audit log; no secrets. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** With an Idempotency-Key, also called with the revision 0 before the commit. */
  createResponse(revision: number): R;
}

export interface ChangeOptions extends Pick<WriteOptions, 'isUrgent'> {
  /** Changes that follow from the others, which the policies of the token do not concern. */
  readonly follow?: (draft: Draft) => void;
}

/** The request of a change. */
export type ChangeContext = Pick<Context<Caller>, 'caller' | 'requestId' | 'remoteAddress' | 'idempotency' | 'headers'>;

/**
 * Runs `work` on a draft, commits it, and sets the header with its revision. Throws the errors of
 * `work`, and ConflictError if every attempt conflicts with other writers.
 */
export async function change<R extends Reply>(
  services: Services,
  context: ChangeContext,
  work: (draft: Draft) => ChangeResult<R> | Promise<ChangeResult<R>>,
  { isUrgent, follow }: ChangeOptions = {},
): Promise<R> {
  const { environment, journal } = services;
  const { caller, idempotency, headers } = context;
  const attempt = async (draft: Draft) => {
    // The second of two concurrent requests with one key conflicts. Its retry finds the stored
    // response.
    const before = idempotency === null ? undefined : ifValid(draft.replay(idempotency.id));
    if (idempotency !== null && before !== undefined) return { again: openReplay(services, idempotency, before) };
    requireAccess(draft, caller);
    const done = await work(draft);
    requirePolicies(draft, caller);
    follow?.(draft);
    if (done.unchanged !== true) draft.insert(audits, boundedEntry(services, auditEntry(context, done)));
    if (idempotency !== null && done.skipsReplay !== true)
      draft.put(replays, sealReplay(services, caller.account.id, idempotency, done));
    return { done };
  };
  const author = String(caller.account.id);
  const observer = services.traces?.of(context.requestId);
  const { result, sequence } = await write(environment, journal, author, attempt, { observer, isUrgent });
  // The stored response belongs to the same request, so it has the same type.
  if (result.done === undefined) return setReplayHeaders(result.again, headers) as R;
  headers[REVISION] = String(sequence);
  return result.done.createResponse(sequence);
}

/**
 * Rejects access that was revoked since authentication. Throws HttpError. A concurrent revocation
 * conflicts with this read, and the retry fails here. No write is therefore confirmed after a
 * revocation.
 */
function requireAccess(draft: Draft, { account: { id }, session, token }: Caller): void {
  const account = draft.account(id);
  if (account === undefined) throw accountGone();
  if (!account.apiEnabled) throw apiDisabled();
  if (session !== undefined) {
    if (!draft.hasSession(session.row.id)) throw sessionGone();
  } else if (token.hash !== '' && !draft.hasToken(token.id)) throw tokenGone();
}

/** The caller and the request, for the audit entry. A token with the id 0 is not stored. */
interface Requester extends Pick<Context<Caller>, 'requestId' | 'remoteAddress'> {
  readonly caller: Pick<Caller, 'account'> & { readonly token: Pick<Caller['token'], 'id' | 'name'> };
}

export function auditEntry(
  { caller: { account, token }, requestId, remoteAddress }: Requester,
  done: Omit<ChangeResult<Reply>, 'createResponse'>,
): Audit {
  return {
    id: 0,
    accountId: done.accountId ?? done.domain?.accountId ?? account.id,
    actor: {
      accountId: account.id,
      username: account.username,
      tokenId: token.id === 0 ? null : token.id,
      tokenName: token.name,
    },
    action: done.action,
    domain: done.domain === undefined ? null : formatHost(done.domain.apex),
    target: done.target ?? null,
    detail: boundDetail(done.detail ?? {}, MAX_DETAIL),
    requestId,
    remoteAddress,
    at: nowSeconds(),
    revision: 0,
  };
}

/** Shortens the details of the entry further if the account's audit log is more than half full. */
function boundedEntry({ config, reader }: Services, entry: Audit): Audit {
  const { maxSize } = config.audit;
  if (maxSize === 0 || reader.usage(entry.accountId).audit < maxSize / 2) return entry;
  return { ...entry, detail: boundDetail(entry.detail, MAX_SCARCE_DETAIL) };
}

interface StoredReply {
  readonly reply: Reply;
  readonly revision: number;
}

/**
 * The stored response to an earlier request, with its headers; null if there is none. Throws
 * HttpError 422.
 */
export function replay(services: Services, idempotency: Idempotency, headers: Record<string, string>): Reply | null {
  const before = ifValid(services.reader.replay(idempotency.id));
  return before === undefined ? null : setReplayHeaders(openReplay(services, idempotency, before), headers);
}

/** Seconds for which a response is stored. */
export const REPLAY_LIFETIME = 86_400;

const ifValid = (before: Replay | undefined): Replay | undefined =>
  before !== undefined && before.createdAt > nowSeconds() - REPLAY_LIFETIME ? before : undefined;

function setReplayHeaders({ reply, revision }: StoredReply, headers: Record<string, string>): Reply {
  headers[REVISION] = String(revision);
  headers['Idempotent-Replayed'] = 'true';
  return reply;
}

/** The hash of the request is encrypted too: a plain hash would allow guessing a password in it. */
function sealReplay(
  { secrets }: Services,
  accountId: Id,
  { id, request }: Idempotency,
  done: ChangeResult<Reply>,
): Replay {
  const response = Buffer.from(JSON.stringify(done.createResponse(0)));
  const sealed = secrets.seal(Buffer.concat([hashOf(request), response]), `idempotency:${id}`);
  return { id, accountId, sealed: sealed.toString('base64'), createdAt: nowSeconds(), revision: 0 };
}

function openReplay({ secrets }: Services, { id, request }: Idempotency, { sealed, revision }: Replay): StoredReply {
  const bytes = secrets.unseal(Buffer.from(sealed, 'base64'), `idempotency:${id}`);
  const hash = hashOf(request);
  if (!bytes.subarray(0, hash.length).equals(hash))
    throw new HttpError(
      422,
      'idempotency_key_reused',
      'This Idempotency-Key was already used for a different request; use a new key for each request.',
    );
  const text = bytes.toString('utf8', hash.length);
  const reply = JSON.parse(text, (key, value) => (key === 'revision' && value === 0 ? revision : value)) as Reply;
  return { reply, revision };
}

const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

type Detail = Readonly<Record<string, unknown>>;

/**
 * Limits the size of the details of an audit entry, because entries are stored for more than a
 * year.
 *
 * Returns the details, or a shortened copy. The member `shortened` of a copy is the length of the
 * whole details, in characters of JSON.
 */
export function boundDetail(detail: Detail, max: number): Detail {
  if (longest(detail, 0) <= max) return detail;
  const { length } = JSON.stringify(detail);
  if (length <= max) return detail;
  const part = { ...(shorten(detail, 0) as Detail), shortened: length };
  if (JSON.stringify(part).length <= max) return part;
  const plain = Object.entries(part).filter(([, value]) => typeof value !== 'object' || value === null);
  const rest = Object.fromEntries(plain);
  return JSON.stringify(rest).length <= max ? rest : { shortened: length };
}

/**
 * An upper bound of the length as JSON, faster than JSON.stringify. Infinite for a list or a deep
 * value.
 */
function longest(value: unknown, depth: number): number {
  if (typeof value === 'string') return ESCAPED * value.length + 2;
  if (typeof value !== 'object' || value === null) return OTHER;
  if (depth > MAX_DEPTH || Array.isArray(value)) return Number.POSITIVE_INFINITY;
  let sum = 2;
  for (const name in value) sum += ESCAPED * name.length + 4 + longest((value as Detail)[name], depth + 1);
  return sum;
}

function shorten(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}…`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const members = value.slice(0, MAX_MEMBERS).map((member) => shorten(member, depth + 1));
    return value.length <= MAX_MEMBERS ? members : [...members, '…'];
  }
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  return Object.fromEntries(members.map(([name, member]) => [name.slice(0, MAX_TEXT), shorten(member, depth + 1)]));
}
