/** Endpoints of zones. */

import { Type } from '@sinclair/typebox';
import { parseType } from '../../../core/dns/wire/mnemonics.ts';
import { nameId } from '../../../core/dns/wire/name.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { requireReading } from '../../change/record-policies.ts';
import type { Services } from '../../change/services.ts';
import { parameter, type Query } from '../../http/query.ts';
import type { RawReply, ServedRoute } from '../../http/route.ts';
import { transferZone } from '../domains/service.ts';
import { RecordPageCache } from '../records/pages.ts';
import { unprocessable } from './errors.ts';
import { json, noContent, type PowerDnsContext, powerDnsRoute, readObject, SERVER } from './route.ts';
import { dotted, findZone, tryParseName } from './zone-id.ts';
import { ZoneLists, zoneListQuery } from './zone-list.ts';
import { createZone, deleteZone, patchZone, updateZone } from './zone-service.ts';
import { ALL_RRSETS, describeWholeZone, exportLines, type RRsetFilter, serializeRRsets } from './zone-view.ts';

const ZONES = `${SERVER}/zones`;
export const ZONE = `${ZONES}/{zone_id}`;

const rrsetQuery = {
  /** Whether the response has the RRsets. */
  rrsets: parameter(Type.Boolean(), (text = 'true') => {
    if (text === 'true' || text === 'false') return text === 'true';
    throw unprocessable(`'rrsets' request parameter value '${text.slice(0, 40)}' is not supported`);
  }),
  include_disabled: parameter(Type.Boolean(), (text = 'true') => {
    if (text === 'true' || text === 'false') return text === 'true';
    throw unprocessable(`'include_disabled' request parameter value '${text.slice(0, 40)}' is not supported`);
  }),
  rrset_name: Type.String(),
  rrset_type: Type.String(),
};

/** As the native endpoints have it; PowerDNS has no such parameter. */
const forceQuery = { force: Type.Boolean() };

export function zoneRoutes(services: Services, notify: (domain: Domain) => void): ServedRoute[] {
  const lists = new ZoneLists(services);
  const pages = new RecordPageCache();
  const find = ({ caller, params }: PowerDnsContext): Domain => findZone(services.reader, caller, params.zone_id);
  return [
    powerDnsRoute({
      method: 'GET',
      path: ZONES,
      scope: 'dns',
      forLimited: true,
      query: zoneListQuery,
      run: (context) => lists.reply(context),
    }),
    powerDnsRoute({
      method: 'POST',
      path: ZONES,
      scope: 'dns',
      query: { rrsets: rrsetQuery.rrsets },
      async run(context) {
        const domain = await createZone(services, context, readObject(context));
        return zoneReply(services, pages, context, domain, context.query.rrsets ? ALL_RRSETS : null, 201);
      },
    }),
    powerDnsRoute({
      method: 'GET',
      path: ZONE,
      scope: 'dns',
      forLimited: true,
      query: rrsetQuery,
      run(context) {
        const domain = find(context);
        return zoneReply(services, pages, context, domain, context.query.rrsets ? filterOf(context.query) : null);
      },
    }),
    powerDnsRoute({
      method: 'PATCH',
      path: ZONE,
      scope: 'dns',
      forLimited: true,
      async run(context) {
        const { id } = find(context);
        const before = services.reader.zoneState(id).serial;
        await patchZone(services, context, readObject(context));
        const after = services.reader.zoneState(id).serial;
        if (after !== before)
          Object.assign(context.headers, { 'X-PDNS-Old-Serial': String(before), 'X-PDNS-New-Serial': String(after) });
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
      query: forceQuery,
      async run(context) {
        await deleteZone(services, context, context.query.force);
        return noContent();
      },
    }),
    powerDnsRoute({
      method: 'PUT',
      path: `${ZONE}/notify`,
      scope: 'dns',
      forLimited: true,
      run(context) {
        notify(find(context));
        return json(context, { result: 'Notification queued' });
      },
    }),
    powerDnsRoute({
      method: 'PUT',
      path: `${ZONE}/axfr-retrieve`,
      scope: 'dns',
      query: forceQuery,
      async run(context) {
        const { id, apex, kind } = find(context);
        if (kind !== 'secondary')
          throw unprocessable(`Domain '${dotted(apex)}' is not a slave domain (or has no master defined)`);
        await transferZone(services, context, id, context.query.force);
        return json(context, { result: `Added retrieval request for '${dotted(apex)}'` });
      },
    }),
    powerDnsRoute({
      method: 'PUT',
      path: `${ZONE}/rectify`,
      scope: 'dns',
      run(context) {
        const { kind, apex } = find(context);
        if (kind === 'secondary') throw unprocessable(`Zone '${dotted(apex)}' is a slave zone, not rectifying.`);
        // Zones are always rectified: each change compiles the affected names.
        return json(context, { result: 'Rectified' });
      },
    }),
    powerDnsRoute({
      method: 'GET',
      path: `${ZONE}/export`,
      scope: 'dns',
      async run(context) {
        const domain = find(context);
        if ((context.header('accept') ?? '').includes('application/json')) {
          const lines = await exportLines(services, domain, (line) => JSON.stringify(line).slice(1, -1));
          context.headers['Content-Type'] = 'application/json';
          return { raw: lines.toBuffer('{"zone":"', '"}') };
        }
        context.headers['Content-Type'] = 'text/plain; charset=us-ascii';
        return { raw: (await exportLines(services, domain)).toBuffer('', '') };
      },
    }),
  ];
}

/** As in PowerDNS, a type without a name has no effect. An unknown name or type matches nothing. */
function filterOf(query: Query<typeof rrsetQuery>): RRsetFilter {
  const { rrset_name: name, rrset_type: type, include_disabled: withDisabled } = query;
  const all = { ...ALL_RRSETS, withDisabled };
  if (name === undefined) return all;
  const parsed = tryParseName(name);
  return parsed === undefined
    ? { ...all, type: NO_TYPE }
    : { ...all, name: parsed, type: type === undefined ? null : (parseType(type) ?? NO_TYPE) };
}

/** A type that no record has. */
const NO_TYPE = 0;

async function zoneReply(
  services: Services,
  pages: RecordPageCache,
  context: PowerDnsContext,
  domain: Domain,
  filter: RRsetFilter | null,
  status = 200,
): Promise<RawReply> {
  const zone = describeWholeZone(services, domain);
  if (filter === null) return json(context, zone, status);
  const { revision, serial } = services.reader.zoneState(domain.id);
  const { name, type, withDisabled } = filter;
  requireReading(context.caller);
  const { id, policies } = context.caller.token;
  // The serial can increase without a new revision. Tokens with policies see their part of a zone.
  const limited = policies === undefined ? '' : ` ${id}`;
  const key = `${domain.id} ${serial}${limited} ${withDisabled} ${type} ${name === null ? '' : nameId(name)}`;
  let page = pages.get(key, revision);
  if (page === undefined) {
    page = { revision, body: await serializeRRsets(services, domain, { ...filter, policies }), link: undefined };
    if (services.reader.zoneState(domain.id).revision === revision) pages.put(key, page);
  }
  context.headers['Content-Type'] = 'application/json';
  const start = Buffer.from(`${JSON.stringify(zone).slice(0, -1)},"rrsets":`);
  return { raw: Buffer.concat([start, page.body, END]), status };
}

const END = Buffer.from('}');
