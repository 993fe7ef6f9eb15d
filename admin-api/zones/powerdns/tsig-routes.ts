/**
 * Endpoints of TSIG keys. Unlike PowerDNS, only the response that creates a key, or changes its
 * secret, contains the secret.
 */

import { formatHost } from '../../../core/dns/wire/name.ts';
import { TSIG_ALGORITHMS, type TsigAlgorithm } from '../../../core/dns/wire/tsig.ts';
import type { TsigKeyRow } from '../../../core/store/rows.ts';
import { accountOf } from '../../change/acting.ts';
import type { Services } from '../../change/services.ts';
import { HttpError } from '../../http/errors.ts';
import type { ServedRoute } from '../../http/route.ts';
import { createTsigKey, deleteTsigKey, readSecret, updateTsigKey } from '../tsig/keys.ts';
import { unprocessable, unsupported } from './errors.ts';
import { has, type JsonObject, readString } from './fields.ts';
import { json, noContent, type PowerDnsContext, powerDnsRoute, readObject, SERVER } from './route.ts';
import { dotted, requireWholeAccount, tryParseName } from './zone-id.ts';

const KEYS = `${SERVER}/tsigkeys`;
const KEY = `${KEYS}/{tsigkey_id}`;

export function tsigRoutes(services: Services): ServedRoute[] {
  const { reader } = services;
  const named = (context: PowerDnsContext, text: string): TsigKeyRow | undefined => {
    const name = tryParseName(text);
    const keys = reader.tsigKeysOf(accountOf(reader, context).id);
    return name === undefined ? undefined : keys.find((row) => row.name === formatHost(name));
  };
  const requireFree = (context: PowerDnsContext, text: string, own?: TsigKeyRow): void => {
    const other = named(context, text);
    if (other !== undefined && other.id !== own?.id)
      throw new HttpError(
        409,
        'tsig_key_exists',
        `A TSIG key with the name '${text.slice(0, 100).replace(/\.$/, '')}' already exists`,
      );
  };
  const find = (context: PowerDnsContext): TsigKeyRow => {
    const { params } = context;
    const row = named(context, params.tsigkey_id);
    if (row !== undefined) return row;
    const shown = params.tsigkey_id.slice(0, 100).replace(/\.$/, '');
    throw new HttpError(404, 'no_such_tsig_key', `TSIG key with name '${shown}' not found`);
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
        const key = readKey(body);
        requireFree(context, name);
        const { id, secret } = await createTsigKey(services, context, { name, algorithm, secret: key });
        return json(context, view(reader.tsigKey(id)!, secret ?? key), 201);
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
        const algorithm = has(body, 'algorithm') ? readNewAlgorithm(readString(body, 'algorithm')) : undefined;
        const key = readKey(body);
        const secret = key === undefined ? undefined : readSecret(key, row.lookup === 'none');
        if (name !== undefined) requireFree(context, name, row);
        await updateTsigKey(services, context, row.id, { name, algorithm, secret });
        return json(context, view(reader.tsigKey(row.id)!, key));
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

/** PowerDNS shows the name without its last dot, and the id with it. */
function view({ name, algorithm }: TsigKeyRow, secret = '') {
  return { algorithm, id: dotted(tryParseName(name)!), key: secret, name, type: 'TSIGKey' };
}

/** As PowerDNS, which has another error for changes than for new keys. */
function readNewAlgorithm(text: string): TsigAlgorithm {
  try {
    return readAlgorithm(text);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    throw unprocessable(`Unknown TSIG algorithm: ${text.slice(0, 40)}`);
  }
}

function readAlgorithm(text: string): TsigAlgorithm {
  const name = text.toLowerCase().replace(/\.$/, '');
  if (Object.hasOwn(TSIG_ALGORITHMS, name)) return name as TsigAlgorithm;
  if (name === 'gss-tsig') throw unsupported('The TSIG algorithm gss-tsig is not supported; use hmac-sha256.');
  throw new HttpError(400, 'invalid_algorithm', `Invalid TSIG algorithm: ${text.slice(0, 40)}`);
}

/** Undefined: missing or empty. */
function readKey(body: JsonObject): string | undefined {
  const text = has(body, 'key') ? readString(body, 'key') : '';
  return text === '' ? undefined : text;
}
