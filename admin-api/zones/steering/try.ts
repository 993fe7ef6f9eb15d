/** What a client would get from the steered record sets of a domain, on this node and now. */
import { InvalidError } from '../../../core/base/errors.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { equalNames, formatRelative } from '../../../core/dns/wire/name.ts';
import {
  addressAdvice,
  formatAddress,
  parseAddress,
  parseExemptions,
  parsePrefix,
  unmapped,
} from '../../../core/net/address/index.ts';
import { continentOf, countryOf } from '../../../core/net/geography/place.ts';
import type { Domain, Steering } from '../../../core/store/rows.ts';
import { steeringOfSet } from '../../../core/zone/compile/steered.ts';
import { BY, Picker } from '../../../core/zone/steering/picker.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context } from '../../http/route.ts';
import { parseOwner } from '../records/owner.ts';
import { readSteering } from './document.ts';
import type { steeringTestBody } from './schema.ts';
import { parseSteeredType } from './service.ts';

type TestBody = BodyOf<typeof steeringTestBody>;

export function trySteering(services: Services, { caller, params }: Context<Caller>, body: TestBody) {
  const { reader, steering: state } = services;
  const domain = ownedDomain(reader, caller, parseId(params.domain_id));
  const { address, isSubnet } = readClient(body);
  const picker = new Picker(state);
  const isProxied = reader.proxy(domain.id)?.enabled === true;
  let place = 0;
  const results = setsOf(services, domain, body).map((set) => {
    const { name, type, content } = set;
    const { table } = steeringOfSet(set);
    picker.pick(table, 0, address, 0, address.length);
    place ||= picker.place;
    const pool = content.pools[picker.pool];
    const first = content.pools.slice(0, picker.pool).reduce((count, { answers }) => count + answers.length, 0);
    const weights = pool.answers.map((_, i) => picker.weightOf(table, 0, first + i));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const chances = pool.answers
      .map(({ content: text }, i) => ({ content: text, share: sum === 0 ? Number(i === 0) : weights[i] / sum }))
      .filter(({ share }) => share > 0)
      .sort((a, b) => b.share - a.share);
    const isByRule = picker.by === BY.RULE || (picker.by === BY.ALL_DOWN && picker.step < content.rules.length);
    const isOwnProxied = isProxied && reader.recordsAt(domain.id, name).every(({ proxied }) => proxied !== false);
    return {
      name: formatRelative(name, domain.apex),
      type: typeName(type),
      pool: pool.name,
      rule: isByRule ? picker.step : null,
      answer: chances[0].content,
      answers: chances,
      reason: reasonOf(picker, pool.name),
      scope: isSubnet ? picker.bits : null,
      is_proxied: isOwnProxied,
    };
  });
  return {
    client: {
      address: formatAddress(address),
      country: countryOf(place) || null,
      continent: continentOf(place) || null,
      region: state.region || null,
    },
    results,
  };
}

/** The address that decides: of the client subnet, unless its source prefix length is 0. */
function readClient({ client, ecs }: TestBody): { readonly address: Uint8Array; readonly isSubnet: boolean } {
  const parsed = parseAddress(client);
  if (parsed === undefined) {
    const advice = addressAdvice(client);
    const why = `The client must be an IPv4 or IPv6 address, such as 192.0.2.1${advice ? `; ${advice}` : ''}.`;
    throw new InvalidError('invalid_address', why, { pointer: '/client' });
  }
  const own = unmapped({ bytes: parsed, bits: parsed.length * 8 }).bytes;
  if (ecs == null) return { address: own, isSubnet: false };
  const { bytes, bits } = parsePrefix(ecs, '/ecs');
  return bits === 0 ? { address: own, isSubnet: false } : { address: bytes, isSubnet: true };
}

/** The set that the body names, with its document if it has one; else all of the domain. */
function setsOf({ reader, config }: Services, domain: Domain, { name, type, steering }: TestBody): Steering[] {
  const wanted = name === undefined ? undefined : parseOwner(name, domain.apex);
  const ofType = type === undefined ? undefined : parseSteeredType(type);
  if (steering === undefined)
    return reader
      .steeringsOf(domain.id)
      .filter((set) => (wanted === undefined || equalNames(set.name, wanted)) && (ofType ?? set.type) === set.type);
  if (wanted === undefined || ofType === undefined)
    throw new InvalidError('invalid_steering', 'A document to try needs the name and the type of its record set.', {
      pointer: wanted === undefined ? '/name' : '/type',
    });
  const allowPrivate = parseExemptions(config.edge.allowPrivateOrigins);
  const content = readSteering(steering, { apex: domain.apex, name: wanted, type: ofType, allowPrivate });
  const actor = { accountId: 0, username: '', tokenName: '' };
  return [{ domainId: domain.id, name: wanted, type: ofType, revision: 0, updatedAt: 0, actor, content }];
}

function reasonOf({ by, step }: Picker, pool: string): string {
  switch (by) {
    case BY.RULE:
      return `Rule ${step} is the first that matches and whose pool is up.`;
    case BY.FALLBACK:
      return `No rule with a pool that is up matches; "${pool}" is the first pool of the fall-back that is up.`;
    default:
      return `All pools for this client are down; "${pool}" is the first of them, and answers as if it were up.`;
  }
}
