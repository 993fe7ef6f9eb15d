/** Endpoints of zones. */
import type { Domain } from '../../core/store/rows.ts';
import { parseType } from '../../core/wire/mnemonics.ts';
import { accountOf } from '../change/acting.ts';
import type { Services } from '../change/services.ts';
import { Steps } from '../change/steps.ts';
import type { RawReply, ServedRoute } from '../http/route.ts';
import { unprocessable } from './errors.ts';
import { readName } from './fields.ts';
import { findZone } from './find-zone.ts';
import { json, noContent, type PowerDnsContext, powerDnsRoute, readObject, SERVER } from './route.ts';
import { dotted, tryParseName } from './zone-id.ts';
import { createZone, deleteZone, patchZone, updateZone } from './zone-service.ts';
import { describeWholeZone, describeZone, exportLines, type RRsetFilter, serializeRRsets } from './zone-view.ts';

const ZONES = `${SERVER}/zones`;
export const ZONE = `${ZONES}/{zone_id}`;

/** Zones that are read between two looks at the clock. */
const BATCH = 50;

export function zoneRoutes(services: Services, notify: (domain: Domain) => void): ServedRoute[] {
  const find = ({ caller, params }: PowerDnsContext): Domain => findZone(services.reader, caller, params.zone_id);
  return [
    powerDnsRoute({
      method: 'GET',
      path: ZONES,
      scope: 'dns',
      run: (context) => listZones(services, context),
    }),
    powerDnsRoute({
      method: 'POST',
      path: ZONES,
      scope: 'dns',
      async run(context) {
        const hasRRsets = readRRsetsFlag(context);
        const domain = await createZone(services, context, readObject(context));
        return zoneReply(services, context, domain, hasRRsets ? ALL : null, 201);
      },
    }),
    powerDnsRoute({
      method: 'GET',
      path: ZONE,
      scope: 'dns',
      run(context) {
        const hasRRsets = readRRsetsFlag(context);
        const domain = find(context);
        return zoneReply(services, context, domain, hasRRsets ? readFilter(context) : null);
      },
    }),
    powerDnsRoute({
      method: 'PATCH',
      path: ZONE,
      scope: 'dns',
      async run(context) {
        await patchZone(services, context, readObject(context));
        return noContent();
      },
    }),
    powerDnsRoute({
      method: 'PUT',
      path: ZONE,
      scope: 'dns',
      async run(context) {
        await updateZone(services, context, readObject(context));
        return noContent();
      },
    }),
    powerDnsRoute({
      method: 'DELETE',
      path: ZONE,
      scope: 'dns',
      async run(context) {
        await deleteZone(services, context);
        return noContent();
      },
    }),
    powerDnsRoute({
      method: 'PUT',
      path: `${ZONE}/notify`,
      scope: 'dns',
      run(context) {
        notify(find(context));
        return json(context, { result: 'Notification queued' });
      },
    }),
    powerDnsRoute({
      method: 'PUT',
      path: `${ZONE}/axfr-retrieve`,
      scope: 'dns',
      run(context) {
        const { apex } = find(context);
        throw unprocessable(`Domain '${dotted(apex)}' is not a slave domain (or has no master defined)`);
      },
    }),
    powerDnsRoute({
      method: 'PUT',
      path: `${ZONE}/rectify`,
      scope: 'dns',
      run(context) {
        const { kind, apex } = find(context);
        if (kind === 'secondary') throw unprocessable(`Zone '${dotted(apex)}' is a slave zone, not rectifying.`);
        // Zones are always rectified: each change compiles what it concerns.
        return json(context, { result: 'Rectified' });
      },
    }),
    powerDnsRoute({
      method: 'GET',
      path: `${ZONE}/export`,
      scope: 'dns',
      async run(context) {
        const zone = await exportLines(services, find(context));
        if ((context.header('accept') ?? '').includes('application/json')) return json(context, { zone });
        context.headers['Content-Type'] = 'text/plain; charset=us-ascii';
        return { raw: zone };
      },
    }),
  ];
}

const ALL: RRsetFilter = { name: null, type: null };

/** Whether the reply has rrsets. Throws InvalidError. */
function readRRsetsFlag({ query }: PowerDnsContext): boolean {
  const value = query.get('rrsets') ?? 'true';
  if (value === 'true' || value === 'false') return value === 'true';
  throw unprocessable(`'rrsets' request parameter value '${value.slice(0, 40)}' is not supported`);
}

/** As in PowerDNS, a type without a name has no effect. An unknown name or type matches nothing. */
function readFilter({ query }: PowerDnsContext): RRsetFilter {
  const name = query.get('rrset_name');
  if (name === null) return ALL;
  const type = query.get('rrset_type');
  const parsed = tryParseName(name);
  return parsed === undefined
    ? { name: null, type: NO_TYPE }
    : { name: parsed, type: type === null ? null : (parseType(type) ?? NO_TYPE) };
}

/** No record has it. */
const NO_TYPE = 0;

async function zoneReply(
  services: Services,
  context: PowerDnsContext,
  domain: Domain,
  filter: RRsetFilter | null,
  status = 200,
): Promise<RawReply> {
  const zone = describeWholeZone(services, domain);
  if (filter === null) return json(context, zone, status);
  const rrsets = await serializeRRsets(services, domain, filter);
  context.headers['Content-Type'] = 'application/json';
  return { raw: `${JSON.stringify(zone).slice(0, -1)},"rrsets":${rrsets}}`, status };
}

/** The zones of the account. Yields to the event loop: an account may have many. */
async function listZones(services: Services, context: PowerDnsContext): Promise<RawReply> {
  const { reader } = services;
  const { caller, query, headers } = context;
  const account = accountOf(reader, context);
  const withDnssec = query.get('dnssec') !== 'false';
  const isVisible = (domain: Domain | undefined): domain is Domain =>
    domain !== undefined &&
    domain.accountId === account.id &&
    (caller.token.domains === undefined || caller.token.domains.includes(domain.id));
  const wanted = query.get('zone');
  if (wanted !== null && wanted !== '') {
    const domain = reader.domainByApex(readName(wanted));
    return json(context, isVisible(domain) ? [describeZone(services, domain, withDnssec)] : []);
  }
  const texts: string[] = [];
  const steps = new Steps();
  const add = (domain: Domain): void => {
    if (isVisible(domain)) texts.push(JSON.stringify(describeZone(services, domain, withDnssec)));
  };
  if (caller.token.domains !== undefined)
    for (const id of caller.token.domains) {
      const domain = reader.domain(id);
      if (domain !== undefined) add(domain);
    }
  else
    for (let after: Uint8Array | null = null; ; ) {
      const batch: Domain[] = reader.domainsOf(account.id, after, BATCH);
      for (const domain of batch) add(domain);
      if (batch.length < BATCH) break;
      after = batch[BATCH - 1].apex;
      await steps.next();
    }
  headers['Content-Type'] = 'application/json';
  return { raw: `[${texts.join()}]` };
}
