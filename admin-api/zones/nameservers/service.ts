/**
 * How a zone reaches the world: its NS records at the apex, the secondaries that get NOTIFY, the
 * clients that may transfer it, and its source addresses. The PowerDNS API writes the same rows.
 */
import { InvalidError } from '../../../core/base/errors.ts';
import { sourceFor } from '../../../core/config/index.ts';
import { formatHost, nameAt } from '../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { isSameFamily, localSource } from '../../../core/net/local-source.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { ALLOW_AXFR_FROM, ALSO_NOTIFY, AXFR_SOURCE, type Domain } from '../../../core/store/rows.ts';
import { change } from '../../change/change.ts';
import { ownedDomain, requireEditable, requireMatch } from '../../change/owned-domain.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context } from '../../http/route.ts';
import { apexNs, setApexNs, storeDomain } from './apex.ts';
import { writeLabels } from './labels.ts';
import { checkAllowed, checkNotified, checkSources } from './peers.ts';
import type { distributionBody } from './schema.ts';

/** Throws HttpError 404. */
export async function describeDistribution(services: Services, { caller }: Pick<Context<Caller>, 'caller'>, id: Id) {
  const { reader } = services;
  const domain = ownedDomain(reader, caller, id);
  const warnings = await foreignSources(services, reader.transferSources(domain));
  return { distribution: view(services, reader, domain, warnings) };
}

/** Warnings about source addresses of which this node has none. */
async function foreignSources({ config }: Services, sources: readonly string[]): Promise<string[]> {
  const warnings: string[] = [];
  for (const [family, any] of [
    ['IPv4', '0.0.0.0'],
    ['IPv6', '::'],
  ]) {
    const candidates = sources.filter((source) => isSameFamily(source, any));
    if (candidates.length === 0 || (await localSource(candidates, any)) !== undefined) continue;
    const instead = sourceFor(config.transfer.source, any) ?? 'the address of the route';
    const which = `${family} address${candidates.length === 1 ? '' : 'es'} ${candidates.join(', ')}`;
    warnings.push(`The node ${config.nodeName} does not have the ${which}; it uses ${instead} instead.`);
  }
  return warnings;
}

function view({ zoneSettings }: Services, reader: Reader, domain: Domain, warnings: string[]) {
  const stored = reader.recordsOfType(domain.id, domain.apex, TYPE.NS);
  const isTransferred = domain.kind === 'secondary';
  const { ttl, rdatas } = apexNs(domain, zoneSettings, stored);
  const { metadata } = reader.zoneLabels(domain.id);
  const own = isTransferred ? stored.map(({ rdata }) => rdata) : rdatas;
  return {
    nameservers: own.map((rdata) => formatHost(nameAt(rdata, 0))),
    nameserver_ttl: isTransferred ? (stored[0]?.ttl ?? 0) : ttl,
    own_nameservers: stored.length > 0,
    also_notify: [...(metadata[ALSO_NOTIFY] ?? [])],
    allow_transfer: [...(metadata[ALLOW_AXFR_FROM] ?? [])],
    transfer_source: [...(metadata[AXFR_SOURCE] ?? [])],
    warnings,
  };
}

export type DistributionBody = BodyOf<typeof distributionBody>;

/**
 * Changes the given parts. Throws HttpError 404 and 412, StateError `secondary_zone` and
 * `catalog_zone`, and InvalidError.
 */
export async function changeDistribution(
  services: Services,
  context: Context<Caller>,
  id: Id,
  { nameservers, nameserver_ttl, also_notify, allow_transfer, transfer_source }: DistributionBody,
) {
  const { locks } = services;
  const commit = () =>
    change(services, context, async (draft) => {
      const before = ownedDomain(draft, context.caller, id);
      requireMatch(services, draft, before, context.header('if-match'));
      const isOperator = context.caller.account.role === 'admin';
      let domain = before;
      if (nameservers !== undefined)
        domain = setNameservers(services, draft, requireEditable(before), nameservers, nameserver_ttl);
      else if (nameserver_ttl !== undefined)
        throw new InvalidError('contradiction', 'A TTL needs "nameservers", whose it is.', {
          pointer: '/nameserver_ttl',
        });
      storeDomain(draft, before, domain);
      const lists: [string, readonly string[]][] = [];
      if (also_notify !== undefined) {
        checkNotified(also_notify, isOperator);
        lists.push([ALSO_NOTIFY, also_notify]);
      }
      if (allow_transfer !== undefined) {
        checkAllowed(allow_transfer, isOperator);
        lists.push([ALLOW_AXFR_FROM, allow_transfer]);
      }
      if (transfer_source !== undefined) {
        checkSources(transfer_source, isOperator);
        lists.push([AXFR_SOURCE, transfer_source]);
      }
      const old = draft.zoneLabels(id).metadata;
      const metadata = { ...old };
      for (const [kind, values] of lists)
        if (values.length === 0) delete metadata[kind];
        else metadata[kind] = values;
      if (lists.length > 0) writeLabels(draft, domain, { metadata });
      const warnings = await foreignSources(services, draft.transferSources(domain));
      return {
        action: 'domain.distribution',
        domain,
        target: id,
        detail: {
          nameservers,
          nameserver_ttl,
          also_notify,
          allow_transfer,
          transfer_source,
          before: {
            ...(also_notify && { also_notify: old[ALSO_NOTIFY] ?? [] }),
            ...(allow_transfer && { allow_transfer: old[ALLOW_AXFR_FROM] ?? [] }),
            ...(transfer_source && { transfer_source: old[AXFR_SOURCE] ?? [] }),
          },
        },
        createResponse: () => ({
          distribution: view(services, services.reader, ownedDomain(services.reader, context.caller, id), warnings),
        }),
      };
    });
  return locks.exclusive(String(id), commit);
}

/** Throws InvalidError and StateError. */
function setNameservers(
  { zoneSettings }: Services,
  draft: Draft,
  domain: Domain,
  hosts: readonly string[],
  ttl: number = zoneSettings.nsTtl,
): Domain {
  const rdatas = hosts.map((host, i) => {
    try {
      return parseRdata(TYPE.NS, host, domain.apex, true);
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
      throw new InvalidError(error.code, error.message, { pointer: `/nameservers/${i}`, choices: error.choices });
    }
  });
  return setApexNs(draft, domain, zoneSettings, rdatas, ttl);
}
