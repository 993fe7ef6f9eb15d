/** Limits of tokens and TSIG keys in requests and responses: policies, networks and expiry. */
import { type Static, Type } from '@sinclair/typebox';
import { InvalidError } from '../../../core/base/errors.ts';
import { list, oneOf, orNull, TIME, text, time } from '../../../core/base/schema.ts';
import { isDataType, parseType, typeName } from '../../../core/dns/wire/mnemonics.ts';
import { parsePrefix } from '../../../core/net/address/index.ts';
import { RECORD_ACTIONS, readPattern } from '../../../core/store/record-policies.ts';
import type { RecordPolicy } from '../../../core/store/rows.ts';
import { formatTime, nowSeconds, parseTime } from '../../http/time.ts';

const MAX_POLICIES = 20;
const MAX_NAMES = 100;
const MAX_TYPES = 50;
const MAX_NETWORKS = 50;

const NAMES =
  'names relative to the domain, such as "_acme-challenge", `@`, absolute names with a final dot, `*.dyn` for all names below dyn; null: all names';
const TYPES = 'types of records, such as "TXT"; null: all types';
const ACTIONS = '"create", "update", "delete" and "read"; null: all of them';

const nameList = list(text('a name', { minLength: 1, maxLength: 1024 }), 'names', { minItems: 1, maxItems: MAX_NAMES });
const typeList = list(text('a type', { minLength: 1, maxLength: 20 }), 'types', { minItems: 1, maxItems: MAX_TYPES });
const actionList = list(oneOf(RECORD_ACTIONS), 'actions', { minItems: 1, maxItems: RECORD_ACTIONS.length });

const policyBody = Type.Object({
  names: Type.Optional(orNull(nameList, NAMES)),
  types: Type.Optional(orNull(typeList, TYPES)),
  actions: Type.Optional(orNull(actionList, ACTIONS)),
});

const policyView = Type.Object(
  { names: orNull(nameList, NAMES), types: orNull(typeList, TYPES), actions: orNull(actionList, ACTIONS) },
  { title: 'RecordPolicy' },
);

const POLICIES =
  'what may be done to which records, each policy in addition to the others; nothing else is possible then. Null: no such limit';
const NETWORKS = 'the only networks of clients, such as "192.0.2.0/24"; null: all';

/** Fields of a body. */
export const limitFields = {
  policies: Type.Optional(orNull(list(policyBody, 'policies', { minItems: 1, maxItems: MAX_POLICIES }), POLICIES)),
  networks: Type.Optional(
    orNull(list(text('a prefix', { maxLength: 64 }), 'networks', { minItems: 1, maxItems: MAX_NETWORKS }), NETWORKS),
  ),
  expires_at: Type.Optional(orNull(Type.String({ pattern: TIME }), 'a time as YYYY-MM-DD HH:MM:SS in UTC, or null')),
};

/** Fields of a response. */
export const limitViews = {
  policies: orNull(list(policyView, 'policies'), POLICIES),
  networks: orNull(list(text('a prefix'), 'networks'), NETWORKS),
  expires_at: orNull(time('when it expires'), 'when it expires; null: never'),
};

interface LimitsBody {
  readonly policies?: readonly Static<typeof policyBody>[] | null;
  readonly networks?: readonly string[] | null;
}

interface Limits {
  readonly policies?: readonly RecordPolicy[];
  readonly networks?: readonly string[];
}

/** Throws InvalidError. */
export function readLimits({ policies, networks }: LimitsBody): Limits {
  return {
    ...(policies != null && { policies: policies.map((policy, i) => readPolicy(policy, `/policies/${i}`)) }),
    ...(networks != null && { networks: networks.map((network, i) => readNetwork(network, `/networks/${i}`)) }),
  };
}

function readPolicy({ names, types, actions }: NonNullable<LimitsBody['policies']>[number], at: string): RecordPolicy {
  const unique = <T>(all: readonly T[]): readonly T[] => [...new Set(all)];
  return {
    names: names == null ? null : unique(names.map((name, i) => readPattern(name, `${at}/names/${i}`))),
    types: types == null ? null : unique(types.map((type, i) => readType(type, `${at}/types/${i}`))),
    actions: actions == null ? null : unique(actions),
  };
}

function readType(name: string, pointer: string): string {
  const type = parseType(name.trim().toUpperCase());
  if (type !== undefined && isDataType(type)) return typeName(type);
  throw new InvalidError('invalid_type', `There is no record type ${JSON.stringify(name)}; use one such as "TXT".`, {
    pointer,
  });
}

function readNetwork(network: string, pointer: string): string {
  parsePrefix(network, pointer);
  return network;
}

/** `limits`: of a stored token or key. */
export const viewLimits = ({ policies, networks }: Limits) => ({
  policies: policies ?? null,
  networks: networks ?? null,
});

/**
 * Reads the expiry of a new token or key, which must not exceed `last`, that of the caller's token.
 * Throws InvalidError.
 */
export function readExpiry(given: string | null | undefined, last: number | null): number | null {
  if (given === undefined || (given === null && last === null)) return last;
  const at = given === null ? Number.POSITIVE_INFINITY : parseTime(given);
  if (at !== undefined && last !== null && at > last)
    throw new InvalidError(
      'invalid_time',
      `It cannot expire later than the token of this request: "expires_at" must be at most ${formatTime(last)}.`,
      { pointer: '/expires_at' },
    );
  if (at !== undefined && at > nowSeconds()) return at;
  throw new InvalidError('invalid_time', '"expires_at" must be a time in the future, as YYYY-MM-DD HH:MM:SS in UTC.', {
    pointer: '/expires_at',
  });
}
