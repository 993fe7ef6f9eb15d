/** Creates, shows and deletes the TSIG keys of an account. Only the creation returns the secret. */

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
import { allows, narrowScopes } from '../../people/auth/scopes.ts';
import type { tsigKeyBody } from './schema.ts';

const MAX_KEYS = 1000;

type KeyBody = BodyOf<typeof tsigKeyBody>;

/**
 * Creates a key with at most the rights of the caller's token; omitted `imported`: with a new
 * secret. Throws InvalidError, HttpError 404, StateError.
 */
export function createTsigKey(services: Services, context: ActingContext, body: KeyBody, imported?: Buffer) {
  const { token } = context.caller;
  const account = accountOf(services.reader, context);
  const name = readKeyName(body.name);
  const algorithm = body.algorithm ?? 'hmac-sha256';
  const secret = imported ?? newSecret(algorithm);
  const chosen = {
    accountId: account.id,
    name: formatHost(name),
    algorithm,
    scopes: readScopes(body.scopes, token.scopes),
    domains: body.domain_ids == null ? null : [...new Set(body.domain_ids)],
    createdAt: nowSeconds(),
  };
  return changeCredential(services, context, account.id, (draft) => {
    requireAccount(draft, account);
    // Only domains of the key's account, also for administrators: the key is not valid for others.
    for (const domainId of chosen.domains ?? []) domainOf(draft, account.id, domainId);
    const id = draft.newId(tsigKeys);
    const sealed = services.secrets.seal(secret, tsigContext(id)).toString('base64');
    const row: TsigKeyRow = { id, ...chosen, sealed };
    addKey(draft, row, name);
    return {
      action: 'tsig.create',
      accountId: account.id,
      target: id,
      detail: { name: row.name, algorithm, scopes: row.scopes, domain_ids: row.domains },
      createResponse: () => ({ secret: secret.toString('base64'), ...viewTsigKey(row) }),
    };
  });
}

export const newSecret = (algorithm: TsigAlgorithm): Buffer => randomBytes(TSIG_ALGORITHMS[algorithm].bytes);

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
    const unchanged = secret === undefined && row.name === before.name && row.algorithm === before.algorithm;
    if (!unchanged) {
      if (name !== undefined && row.name !== before.name) requireFreeName(draft, name);
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

function addKey(draft: Draft, row: TsigKeyRow, name: Name): void {
  requireFreeName(draft, name);
  if (draft.tsigKeysOf(row.accountId).length >= MAX_KEYS)
    throw new StateError(
      'tsig_key_limit',
      `The account has ${MAX_KEYS} TSIG keys, which is the limit; delete some first.`,
    );
  draft.put(tsigKeys, row);
}

function requireFreeName(draft: Draft, name: Name): void {
  if (draft.tsigKeyByName(name) === undefined) return;
  throw new StateError(
    'tsig_key_exists',
    `The name "${formatHost(name)}" is already in use; choose another, such as a name in a domain of yours.`,
    { pointer: '/name' },
  );
}

function readKeyName(text: string): Name {
  try {
    const name = parseName(`${toAscii(text.trim(), '/name').replace(/\.$/, '')}.`);
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
    scopes: row.scopes,
    domain_ids: row.domains,
    created_at: formatTime(row.createdAt),
  };
}
