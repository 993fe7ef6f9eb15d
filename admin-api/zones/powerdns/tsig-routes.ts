/**
 * Endpoints of TSIG keys. Unlike PowerDNS, only the response that creates a key, or changes its
 * secret, contains the secret.
 */

import type { TsigAlgorithm } from '../../../core/dns/wire/tsig.ts';
import type { TsigKeyRow } from '../../../core/store/rows.ts';
import { accountOf, mayActFor } from '../../change/acting.ts';
import type { Services } from '../../change/services.ts';
import { HttpError } from '../../http/errors.ts';
import type { ServedRoute } from '../../http/route.ts';
import { createTsigKey, deleteTsigKey, newSecret, updateTsigKey } from '../tsig/keys.ts';
import { conflict, notFound, unprocessable, unsupported } from './errors.ts';
import { has, type JsonObject, readString } from './fields.ts';
import { json, noContent, type PowerDnsContext, powerDnsRoute, readObject, SERVER } from './route.ts';
import { dotted, requireWholeAccount, tryParseName } from './zone-id.ts';

const KEYS = `${SERVER}/tsigkeys`;
const KEY = `${KEYS}/{tsigkey_id}`;

const ALGORITHMS: ReadonlySet<string> = new Set<TsigAlgorithm>(['hmac-sha256', 'hmac-sha512']);
/** The unsupported algorithms of PowerDNS. RFC 8945 section 6 advises against most. */
const OTHER_ALGORITHMS = ['hmac-md5', 'hmac-sha1', 'hmac-sha224', 'hmac-sha384', 'gss-tsig'];
/** Bytes of an imported secret. RFC 8945 section 8 recommends the length of the hash. */
const MIN_SECRET = 16;
const MAX_SECRET = 512;

export function tsigRoutes(services: Services): ServedRoute[] {
  const { reader } = services;
  const find = ({ caller, params }: PowerDnsContext): TsigKeyRow => {
    const name = tryParseName(params.tsigkey_id);
    const row = name === undefined ? undefined : reader.tsigKeyByName(name);
    if (row !== undefined && mayActFor(reader, caller, row.accountId)) return row;
    throw notFound(`TSIG key with name '${params.tsigkey_id.slice(0, 100)}' not found`);
  };
  return [
    powerDnsRoute({
      method: 'GET',
      path: KEYS,
      scope: 'account',
      run(context) {
        requireWholeAccount(context.caller);
        return json(
          context,
          reader.tsigKeysOf(accountOf(reader, context).id).map((row) => view(row)),
        );
      },
    }),
    powerDnsRoute({
      method: 'POST',
      path: KEYS,
      scope: 'account',
      async run(context) {
        requireWholeAccount(context.caller);
        const body = readObject(context);
        const name = readString(body, 'name');
        const algorithm = readAlgorithm(readString(body, 'algorithm'));
        const secret = readSecret(body) ?? newSecret(algorithm);
        requireFree(services, name);
        const { id } = await createTsigKey(services, context, { name, algorithm }, secret);
        return json(context, view(reader.tsigKey(id)!, secret), 201);
      },
    }),
    powerDnsRoute({
      method: 'GET',
      path: KEY,
      scope: 'account',
      run(context) {
        requireWholeAccount(context.caller);
        return json(context, view(find(context)));
      },
    }),
    powerDnsRoute({
      method: 'PUT',
      path: KEY,
      scope: 'account',
      async run(context) {
        requireWholeAccount(context.caller);
        const row = find(context);
        const body = readObject(context);
        const name = has(body, 'name') ? readString(body, 'name') : undefined;
        const algorithm = has(body, 'algorithm') ? readAlgorithm(readString(body, 'algorithm')) : undefined;
        const secret = readSecret(body);
        if (name !== undefined && reader.tsigKeyByName(tryParseName(name) ?? NO_NAME)?.id !== row.id)
          requireFree(services, name);
        await updateTsigKey(services, context, row.id, { name, algorithm, secret });
        return json(context, view(reader.tsigKey(row.id)!, secret));
      },
    }),
    powerDnsRoute({
      method: 'DELETE',
      path: KEY,
      scope: 'account',
      async run(context) {
        requireWholeAccount(context.caller);
        await deleteTsigKey(services, context, find(context).id);
        return noContent();
      },
    }),
  ];
}

const NO_NAME = Uint8Array.of(0);

/** PowerDNS shows the name without its last dot, and the id with it. */
function view({ name, algorithm }: TsigKeyRow, secret?: Buffer) {
  return { algorithm, id: dotted(tryParseName(name)!), key: secret?.toString('base64') ?? '', name, type: 'TSIGKey' };
}

function requireFree({ reader }: Services, name: string): void {
  const parsed = tryParseName(name);
  if (parsed !== undefined && reader.tsigKeyByName(parsed) !== undefined)
    throw conflict(`A TSIG key with the name '${name.slice(0, 100)}' already exists`);
}

function readAlgorithm(text: string): TsigAlgorithm {
  const name = text.toLowerCase().replace(/\.$/, '');
  if (ALGORITHMS.has(name)) return name as TsigAlgorithm;
  if (OTHER_ALGORITHMS.includes(name))
    throw unsupported(`The TSIG algorithm ${name} is not supported; use hmac-sha256 or hmac-sha512.`);
  throw new HttpError(400, 'invalid_algorithm', `Invalid TSIG algorithm: ${text.slice(0, 40)}`);
}

/** Undefined: missing or empty. */
function readSecret(body: JsonObject): Buffer | undefined {
  const text = has(body, 'key') ? readString(body, 'key') : '';
  if (text === '') return undefined;
  const secret = Buffer.from(text, 'base64');
  if (secret.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, ''))
    throw unprocessable('The TSIG key cannot be base64-decoded.');
  if (secret.length < MIN_SECRET || secret.length > MAX_SECRET)
    throw unprocessable(`The TSIG key has ${secret.length} bytes; use ${MIN_SECRET} to ${MAX_SECRET}.`);
  return secret;
}
