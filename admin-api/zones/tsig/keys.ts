/**
 * Creates, shows and deletes the TSIG keys of an account. Only the creation returns the secret, and
 * only if it was generated.
 */

import { randomBytes } from 'node:crypto';
import { InvalidError, StateError } from '../../../core/base/errors.ts';
import { formatHost, type Name, parseName, toAscii } from '../../../core/dns/wire/name.ts';
import { TSIG_ALGORITHMS, type TsigAlgorithm } from '../../../core/dns/wire/tsig.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { type Id, idKey } from '../../../core/store/keys.ts';
import { type TsigKeyRow, tsigContext, tsigKeys } from '../../../core/store/rows.ts';
import { type ActingContext, accountOf, mayActFor, requireAccount } from '../../change/acting.ts';
import { changeCredential, revoke } from '../../change/credentials.ts';
import { domainOf } from '../../change/owned-domain.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { readExpiry, readLimits, viewLimits } from '../../people/auth/limits.ts';
import { allows, narrowScopes } from '../../people/auth/scopes.ts';
import type { tsigKeyBody } from './schema.ts';

const MAX_KEYS = 1000;

type KeyBody = BodyOf<typeof tsigKeyBody>;

/** Bytes of a secret. RFC 8945 section 8 recommends the length of the hash. */
const MIN_SECRET = 16;
const MAX_SECRET = 512;

/**
 * Creates a key with at most the rights of the caller's token; without `secret`, with a new one.
 * Throws InvalidError, HttpError 404, StateError.
 */
export function createTsigKey(services: Services, context: ActingContext, body: KeyBody) {
  const { token } = context.caller;
  const account = accountOf(services.reader, context);
  const name = readKeyName(body.name);
  const algorithm = body.algorithm ?? 'hmac-sha256';
  const isOutgoing = readOutgoing(body, algorithm);
  const given = body.secret == null ? null : readSecret(body.secret, isOutgoing);
  const secret = given ?? newSecret(algorithm);
  const expiresAt = readExpiry(body.expires_at, token.expiresAt);
  const chosen = {
    accountId: account.id,
    name: formatHost(name),
    algorithm,
    lookup: isOutgoing ? 'none' : account.role === 'admin' ? 'operator' : 'account',
    scopes: isOutgoing ? [] : readScopes(body.scopes, token.scopes),
    ...(expiresAt !== null && { expiresAt }),
    ...readLimits(body),
    domains: body.domain_ids == null ? null : [...new Set(body.domain_ids)],
    createdAt: nowSeconds(),
  } as const;
  return changeCredential(services, context, account.id, (draft) => {
    requireAccount(draft, account);
    // Only domains of the key's account, also for administrators: the key is not valid for others.
    for (const domainId of chosen.domains ?? []) domainOf(draft, account.id, domainId);
    const id = draft.newId(tsigKeys);
    const sealed = services.secrets.seal(secret, tsigContext(id)).toString('base64');
    const row: TsigKeyRow = { id, ...chosen, sealed };
    addKey(draft, row);
    return {
      action: 'tsig.create',
      accountId: account.id,
      target: id,
      detail: { name: row.name, algorithm, scopes: row.scopes, domain_ids: row.domains, ...viewLimits(row) },
      createResponse: () => ({
        ...(given === null && { secret: secret.toString('base64') }),
        ...viewTsigKey(row),
        warnings: warningsOf(algorithm, secret),
      }),
    };
  });
}

const newSecret = (algorithm: TsigAlgorithm): Buffer => randomBytes(TSIG_ALGORITHMS[algorithm].bytes);

/** Whether a key only signs requests to primaries. Throws InvalidError. */
function readOutgoing(
  { outgoing, scopes, domain_ids: domainIds, policies, networks }: KeyBody,
  algorithm: TsigAlgorithm,
): boolean {
  const isWeak = algorithm === 'hmac-md5';
  if (outgoing === false && isWeak) throw onlyOutgoing();
  if (!isWeak && outgoing !== true) return false;
  if ((scopes?.length ?? 0) === 0 && domainIds == null && policies == null && networks == null) return true;
  throw new InvalidError(
    'contradiction',
    'A key that only signs requests to primaries has no scopes, domains, policies or networks; omit them.',
    { pointer: (scopes?.length ?? 0) > 0 ? '/scopes' : domainIds == null ? '/outgoing' : '/domain_ids' },
  );
}

const onlyOutgoing = (): InvalidError =>
  new InvalidError(
    'weak_algorithm',
    'hmac-md5 is only for requests to primaries; set "outgoing" to true, or use hmac-sha256.',
    { pointer: '/algorithm' },
  );

/** Reads a given secret. Throws InvalidError. */
export function readSecret(text: string, isOutgoing: boolean): Buffer {
  const fail = (why: string): never => {
    throw new InvalidError('invalid_secret', why, { pointer: '/secret' });
  };
  const bare = text.replace(/\s+/g, '').replace(/=+$/, '');
  const secret = Buffer.from(bare, 'base64');
  if (bare === '' || secret.toString('base64').replace(/=+$/, '') !== bare)
    fail('The secret must be base64, as in the configuration of the other server.');
  // A primary chose its key; ours must be hard to guess.
  const least = isOutgoing ? 1 : MIN_SECRET;
  if (secret.length < least || secret.length > MAX_SECRET)
    fail(`The secret has ${secret.length} bytes; use ${least} to ${MAX_SECRET}.`);
  return secret;
}

function warningsOf(algorithm: TsigAlgorithm, secret: Buffer): { code: string; message: string }[] {
  const warnings: { code: string; message: string }[] = [];
  if (algorithm === 'hmac-md5')
    warnings.push({
      code: 'weak_algorithm',
      message: 'hmac-md5 is obsolete (RFC 8945 section 6); use hmac-sha256 if the primary has it.',
    });
  if (secret.length < MIN_SECRET)
    warnings.push({
      code: 'short_secret',
      message: `The secret has only ${secret.length} bytes; let the primary have one of ${TSIG_ALGORITHMS[algorithm].bytes}.`,
    });
  return warnings;
}

/** Omitted fields keep their values. */
interface KeyChange {
  readonly name?: string;
  readonly algorithm?: TsigAlgorithm;
  readonly secret?: Buffer;
}

/** Changes a key, but not its rights. Throws InvalidError, HttpError 404, StateError. */
export function updateTsigKey(services: Services, context: Context<Caller>, id: Id, changed: KeyChange) {
  const name = changed.name === undefined ? undefined : readKeyName(changed.name);
  return changeCredential(services, context, ownerOf(services, context, id), (draft) => {
    const before = requireKey(draft, context.caller, id);
    const { secret } = changed;
    const row: TsigKeyRow = {
      ...before,
      ...(name !== undefined && { name: formatHost(name) }),
      ...(changed.algorithm !== undefined && { algorithm: changed.algorithm }),
      ...(secret !== undefined && { sealed: services.secrets.seal(secret, tsigContext(id)).toString('base64') }),
    };
    if (row.algorithm === 'hmac-md5' && row.lookup !== 'none') throw onlyOutgoing();
    const unchanged = secret === undefined && row.name === before.name && row.algorithm === before.algorithm;
    if (!unchanged) {
      if (row.name !== before.name) requireFreeName(draft, row);
      draft.put(tsigKeys, row);
    }
    return {
      action: 'tsig.update',
      accountId: row.accountId,
      target: id,
      detail: { name: row.name, algorithm: row.algorithm, secret: secret === undefined ? 'kept' : 'changed' },
      unchanged,
      createResponse: () => viewTsigKey(row),
    };
  });
}

const ownerOf = ({ reader }: Services, { caller }: Context<Caller>, id: Id): Id =>
  reader.row(tsigKeys, idKey(id))?.accountId ?? caller.account.id;

function requireKey(draft: Draft, caller: Caller, id: Id): TsigKeyRow {
  const row = draft.tsigKey(id);
  if (row !== undefined && mayActFor(draft, caller, row.accountId)) return row;
  throw new HttpError(404, 'no_such_tsig_key', 'The account has no TSIG key with this id.');
}

function addKey(draft: Draft, row: TsigKeyRow): void {
  requireFreeName(draft, row);
  if (draft.tsigKeysOf(row.accountId).length >= MAX_KEYS)
    throw new StateError(
      'tsig_key_limit',
      `The account has ${MAX_KEYS} TSIG keys, which is the limit; delete some first.`,
    );
  draft.put(tsigKeys, row);
}

/** Primaries choose the names of their keys, so several may be the same. */
function requireFreeName(draft: Draft, { id, accountId, name, lookup }: TsigKeyRow): void {
  if (lookup === 'none') return;
  const isTaken = draft
    .tsigKeysOf(accountId)
    .some((other) => other.name === name && other.id !== id && other.lookup !== 'none');
  if (isTaken)
    throw new StateError(
      'tsig_key_exists',
      `The account has a TSIG key with the name "${name}" already; choose another, or delete that one first.`,
      { pointer: '/name' },
    );
}

/** Characters of a pasted key or sentence. As parts of a name they would be escaped. */
const NOT_IN_NAMES = /[\s:;"'()@$,{}]/;

function readKeyName(text: string): Name {
  try {
    const host = toAscii(text.trim(), '/name').replace(/\.$/, '');
    const [wrong] = NOT_IN_NAMES.exec(host.replace(/\\(\d{3}|.)/g, '')) ?? [];
    if (wrong !== undefined)
      throw new InvalidError(
        'invalid_name',
        `The name of a key is a domain name, such as "transfer.example.net"; it cannot contain ${JSON.stringify(wrong)}.`,
      );
    const name = parseName(`${host}.`);
    if (name.length > 1) return name;
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw new InvalidError('invalid_name', error.message, { pointer: '/name' });
  }
  throw new InvalidError('invalid_name', 'The root is not a valid key name.', { pointer: '/name' });
}

/** `held`: the scopes of the caller's token. */
function readScopes(requested: readonly string[] | undefined, held: readonly string[]): readonly string[] {
  const scopes = requested === undefined ? [allows(held, 'dns', 'write') ? 'dns' : 'dns:read'] : requested;
  const narrowed = narrowScopes(scopes, held);
  if (narrowed.length === 0 || narrowed.some((scope) => !['dns', 'dns:read'].includes(scope)))
    throw new InvalidError(
      'invalid_scope',
      'The scope of a TSIG key must be "dns:read" or "dns", which includes "dns:read".',
      {
        pointer: '/scopes',
      },
    );
  return narrowed;
}

/** Deletes a key. It is invalid before the response is sent. Throws HttpError 404. */
export function deleteTsigKey(services: Services, context: Context<Caller>, id: Id) {
  return revoke(services, context, ownerOf(services, context, id), (draft) => {
    const row = requireKey(draft, context.caller, id);
    draft.delete(tsigKeys, row);
    const { accountId, name } = row;
    return { action: 'tsig.delete', accountId, target: id, detail: { name }, createResponse: () => ({}) };
  });
}

export function viewTsigKey(row: TsigKeyRow) {
  return {
    id: row.id,
    name: row.name,
    algorithm: row.algorithm,
    outgoing: row.lookup === 'none',
    scopes: row.scopes,
    domain_ids: row.domains,
    ...viewLimits(row),
    expires_at: row.expiresAt === undefined ? null : formatTime(row.expiresAt),
    created_at: formatTime(row.createdAt),
  };
}
