/**
 * What one request changes: its rows, the audit entry that tells of it, and, under an Idempotency-Key, its answer. One commit, so that none is
 * there without the others.
 */
import { createHash } from 'node:crypto';
import { type Draft, write } from '../../core/journal/draft/draft.ts';
import { type Audit, audits, type Domain, newId, type Replay, replays } from '../../core/store/rows.ts';
import { formatHost } from '../../core/wire/name.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import type { Idempotency } from '../http/idempotency.ts';
import { REVISION } from '../http/revision.ts';
import type { Context, Reply } from '../http/route.ts';
import { nowSeconds } from '../http/time.ts';
import { accountGone } from '../http/unauthorized.ts';
import type { Services } from './services.ts';

/** What was done, for the audit, and what is answered. */
export interface Done<R extends Reply> {
  /** As `record.create`. */
  readonly action: string;
  /** Things were as they were asked to be: nothing was changed, and the audit tells nothing. */
  readonly unchanged?: boolean;
  /** Nothing of it is kept for the same request when it comes again: it is done anew then. */
  readonly isForgotten?: boolean;
  /** Whose things were changed; left out: the caller's own. */
  readonly accountId?: string;
  readonly domain?: Domain;
  /** Id of what was changed. */
  readonly target?: string;
  /** What a reader of the audit needs to know; no secrets. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Under an Idempotency-Key it is also called before the commit, when the revision is not known yet (0). */
  answer(revision: number): R;
}

/**
 * Runs `work` on a draft and commits it. Sets the headers that tell of the commit. Throws what `work` throws, and
 * ConflictError when other writers were faster each time.
 */
export async function change<R extends Reply>(
  services: Services,
  context: Requester & Pick<Context<Caller>, 'idempotency' | 'headers'>,
  work: (draft: Draft) => Done<R> | Promise<Done<R>>,
): Promise<R> {
  const { environment, journal } = services;
  const { caller, idempotency, headers } = context;
  const { result, sequence } = await write(environment, journal, caller.account.id, async (draft) => {
    // Two of one key at once: the second conflicts with the first, and finds its answer when it starts anew.
    const before = idempotency === null ? undefined : valid(draft.replay(idempotency.id));
    if (idempotency !== null && before !== undefined) return { again: replayed(services, idempotency, before) };
    // It may have been deleted since the token was looked at: nothing must come to an account that is not there any more.
    if (!draft.hasAccount(caller.account.id)) throw accountGone();
    const done = await work(draft);
    if (done.unchanged !== true) draft.insert(audits, auditEntry(context, done));
    if (idempotency !== null && done.isForgotten !== true) draft.put(replays, replayOf(services, idempotency, done));
    return { done };
  });
  // What is replayed is what the same request was answered before.
  if (result.done === undefined) return told(result.again, headers) as R;
  headers[REVISION] = String(sequence);
  return result.done.answer(sequence);
}

/** Who asks, and by which request. */
export type Requester = Pick<Context<Caller>, 'caller' | 'requestId' | 'remoteAddress'>;

export function auditEntry(
  { caller: { account, token }, requestId, remoteAddress }: Requester,
  done: Omit<Done<Reply>, 'answer'>,
): Audit {
  return {
    id: newId(),
    accountId: done.accountId ?? account.id,
    actor: { accountId: account.id, username: account.username, tokenId: token.id, tokenName: token.name },
    action: done.action,
    domain: done.domain === undefined ? null : formatHost(done.domain.apex),
    target: done.target ?? null,
    detail: done.detail ?? {},
    requestId,
    remoteAddress,
    at: nowSeconds(),
    revision: 0,
  };
}

interface Again {
  readonly reply: Reply;
  readonly revision: number;
}

/** The first answer to a request that was made before, with its headers; null: there was none. Throws HttpError 422. */
export function replay(services: Services, idempotency: Idempotency, headers: Record<string, string>): Reply | null {
  const before = valid(services.reader.replay(idempotency.id));
  return before === undefined ? null : told(replayed(services, idempotency, before), headers);
}

/** Seconds for which an answer is given again. */
export const REPLAYED_FOR = 86_400;

const valid = (before: Replay | undefined): Replay | undefined =>
  before !== undefined && before.createdAt > nowSeconds() - REPLAYED_FOR ? before : undefined;

function told({ reply, revision }: Again, headers: Record<string, string>): Reply {
  headers[REVISION] = String(revision);
  headers['Idempotent-Replayed'] = 'true';
  headers['Cache-Control'] = 'no-store';
  return reply;
}

/** The request's hash is sealed too: a hash that can be tried would tell a password in it. */
function replayOf({ secrets }: Services, { id, request }: Idempotency, done: Done<Reply>): Replay {
  const answer = Buffer.from(JSON.stringify(done.answer(0)));
  const sealed = secrets.seal(Buffer.concat([hashOf(request), answer]), `idempotency:${id}`);
  return { id, sealed: sealed.toString('base64'), createdAt: nowSeconds(), revision: 0 };
}

function replayed({ secrets }: Services, { id, request }: Idempotency, { sealed, revision }: Replay): Again {
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
