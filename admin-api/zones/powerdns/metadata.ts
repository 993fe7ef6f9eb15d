/**
 * Metadata of zones: kinds that have an effect here, those that follow from other settings, and
 * those of clients (`X-`), which are stored. Everything else is rejected with the reason.
 */

import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { permitsTransfer } from '../../../core/store/record-policies.ts';
import { ALLOW_AXFR_FROM, ALSO_NOTIFY, AXFR_SOURCE, type Domain, type TsigKeyRow } from '../../../core/store/rows.ts';
import { change } from '../../change/change.ts';
import type { Services } from '../../change/services.ts';
import { writeLabels } from '../nameservers/labels.ts';
import { checkAllowed, checkNotified, checkSources } from '../nameservers/peers.ts';
import { unprocessable, unsupported } from './errors.ts';
import type { PowerDnsContext } from './route.ts';
import { readSoaEdit } from './zone-body.ts';
import { findZone } from './zone-id.ts';
import { isSigned, NSEC3PARAM, TSIG_ALLOW_AXFR } from './zone-view.ts';

type Metadata = {
  readonly kind: string;
  readonly metadata: readonly string[];
  readonly type: 'Metadata';
};

interface Zone {
  readonly services: Services;
  readonly reader: Reader;
  readonly context: PowerDnsContext;
  readonly domain: Domain;
}

interface Kind {
  values(zone: Zone): readonly string[];
  /** Throws InvalidError if the values cannot be stored; omitted: the kind is read-only. */
  check?(values: readonly string[], zone: Zone): void;
}

const MAX_VALUES = 100;
const MAX_VALUE = 2000;
/** Maximum kinds of a zone, and characters of its metadata: each change rewrites all of it. */
const MAX_KINDS = 50;
const MAX_METADATA = 100_000;
const KIND = /^[A-Z0-9-]{1,100}$/;

const stored =
  (kind: string): Kind['values'] =>
  ({ reader, domain }) =>
    reader.zoneLabels(domain.id).metadata[kind] ?? [];

/** A kind with fixed values. */
const fixed = (values: readonly string[], reason: string, isSet: (zone: Zone) => boolean): Kind => ({
  values: (zone) => (isSet(zone) ? values : []),
  check(wanted) {
    if (wanted.join() !== values.join()) throw unsupported(`${reason} The only value is "${values.join()}".`);
  },
});

/** A kind without values. */
const never = (reason: string): Kind => ({
  values: () => [],
  check(values) {
    if (values.length > 0) throw unsupported(reason);
  },
});

const isSignedZone = ({ reader, domain }: Zone): boolean => isSigned(reader, domain);
const NO_GSS = 'GSS-TSIG is not supported; use TSIG keys.';
const BY_TSIG = 'Clients update a zone with a TSIG key of the scope "dns" (/api/v1/tsig-keys), from any address.';

/** Nothing is stored: NOTIFY is sent after every change. */
const notified: Kind = {
  values: () => [],
  check(values) {
    if (values.length > 0 && values.join() !== '1')
      throw unsupported('NOTIFY is sent after every change. The only value is "1".');
  },
};

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [
    ALLOW_AXFR_FROM,
    { values: stored(ALLOW_AXFR_FROM), check: (values, { context }) => checkAllowed(values, isOperator(context)) },
  ],
  [
    ALSO_NOTIFY,
    { values: stored(ALSO_NOTIFY), check: (values, { context }) => checkNotified(values, isOperator(context)) },
  ],
  [
    AXFR_SOURCE,
    { values: stored(AXFR_SOURCE), check: (values, { context }) => checkSources(values, isOperator(context)) },
  ],
  ['SOA-EDIT', { values: ({ reader, domain }) => some(reader.zoneLabels(domain.id).soaEdit), check: checkSoaEdit }],
  ['PUBLISH-CDS', fixed(['2'], 'Signed zones publish CDS records with SHA-256.', isSignedZone)],
  ['PUBLISH-CDNSKEY', fixed(['1'], 'Signed zones publish CDNSKEY records.', isSignedZone)],
  ['IXFR', fixed(['1'], 'Incremental transfers are used where possible.', ({ domain }) => domain.kind === 'secondary')],
  ['TSIG-ALLOW-DNSUPDATE', { values: (zone) => keysOf(zone, 'dns'), check: checkUpdateKeys }],
  // PowerDNS changes these by other endpoints, too.
  ['API-RECTIFY', { values: ({ reader, domain }) => some(reader.zoneLabels(domain.id).apiRectify ? '1' : '') }],
  ['SOA-EDIT-API', { values: ({ reader, domain }) => some(reader.zoneLabels(domain.id).soaEditApi) }],
  ['NSEC3PARAM', { values: (zone) => (isSignedZone(zone) ? [NSEC3PARAM] : []) }],
  ['NSEC3NARROW', { values: () => [] }],
  ['PRESIGNED', { values: () => [] }],
  ['LUA-AXFR-SCRIPT', { values: () => [] }],
  [TSIG_ALLOW_AXFR, { values: (zone) => firstSet(stored(TSIG_ALLOW_AXFR)(zone), keysOf(zone, 'dns:read')) }],
  ['AXFR-MASTER-TSIG', { values: masterKeys }],
  ['ALLOW-DNSUPDATE-FROM', never(BY_TSIG)],
  ['FORWARD-DNSUPDATE', never('Updates of secondary zones are not forwarded; send them to the primary.')],
  ['NOTIFY-DNSUPDATE', notified],
  ['SLAVE-RENOTIFY', notified],
  ['SOA-EDIT-DNSUPDATE', { values: stored('SOA-EDIT-DNSUPDATE'), check: checkSoaEdit }],
  ['RFC1123-CONFORMANCE', fixed(['0'], 'Owners of addresses may have underscores.', () => false)],
  ['SIGNALING-ZONE', never('Signalling zones (RFC 9615) are not supported.')],
  ['ENABLE-LUA-RECORDS', never('There are no LUA records.')],
  ['GSS-ALLOW-AXFR-PRINCIPAL', never(NO_GSS)],
  ['GSS-ACCEPTOR-PRINCIPAL', never(NO_GSS)],
]);

const isOperator = ({ caller }: PowerDnsContext): boolean => caller.account.role === 'admin';

/** The keys that a client has named, or all that may transfer the zone. */
const firstSet = (first: readonly string[], second: readonly string[]) => (first.length > 0 ? first : second);

const some = (value: string): string[] => (value === '' ? [] : [value]);

/** Throws InvalidError. */
function kindOf(name: string): Kind {
  const kind = KINDS.get(name);
  if (kind !== undefined) return kind;
  if (name.startsWith('X-') && KIND.test(name)) return { values: stored(name), check: () => {} };
  throw unprocessable(`Unsupported metadata kind '${name.slice(0, 100)}'`);
}

function zoneOf(services: Services, context: PowerDnsContext): Zone {
  const { reader } = services;
  return { services, reader, context, domain: findZone(reader, context.caller, context.params.zone_id) };
}

export function listMetadata(services: Services, context: PowerDnsContext): Metadata[] {
  const zone = zoneOf(services, context);
  const own = Object.keys(services.reader.zoneLabels(zone.domain.id).metadata);
  return [...new Set([...KINDS.keys(), ...own])]
    .sort()
    .map((kind) => view(kind, kindOf(kind).values(zone)))
    .filter(({ metadata }) => metadata.length > 0);
}

/** Throws HttpError 404 and InvalidError. */
export function findMetadata(services: Services, context: PowerDnsContext): Metadata {
  const zone = zoneOf(services, context);
  const { metadata_kind: kind } = context.params;
  return view(kind, kindOf(kind).values(zone));
}

const view = (kind: string, metadata: readonly string[]): Metadata => ({ kind, metadata, type: 'Metadata' });

/**
 * Stores the values that `merge` computes from the current ones. Throws HttpError 404 and
 * InvalidError.
 */
export async function writeMetadata(
  services: Services,
  context: PowerDnsContext,
  kind: string,
  merge: (present: readonly string[]) => readonly string[],
): Promise<Metadata> {
  const zone = zoneOf(services, context);
  const { values, check } = kindOf(kind);
  if (check === undefined)
    throw unprocessable(`Unsupported metadata kind '${kind}': it follows from other settings, and is only read here.`);
  const { id } = zone.domain;
  const commit = () =>
    change(services, context, (draft) => {
      const domain = findZone(draft, context.caller, context.params.zone_id);
      const wanted = merge(values({ services, reader: draft, context, domain }));
      checkSize(wanted);
      check(wanted, zone);
      const unchanged = !store(draft, domain, kind, wanted);
      return {
        action: 'domain.metadata',
        domain,
        target: id,
        detail: { kind, metadata: wanted },
        unchanged,
        createResponse: () => view(kind, wanted),
      };
    });
  const { locks } = services;
  return locks.shared(String(id), () => locks.exclusive(`${id} /labels`, commit));
}

function checkSize(values: readonly string[]): void {
  if (values.length > MAX_VALUES) throw unprocessable(`A kind of metadata has at most ${MAX_VALUES} values.`);
  if (values.some(({ length }) => length > MAX_VALUE))
    throw unprocessable(`A value of metadata has at most ${MAX_VALUE} characters.`);
}

const STORED: ReadonlySet<string> = new Set([ALLOW_AXFR_FROM, ALSO_NOTIFY, AXFR_SOURCE, 'SOA-EDIT-DNSUPDATE']);

/** Whether anything changed. Kinds with fixed values are not stored. */
function store(draft: Draft, domain: Domain, kind: string, values: readonly string[]): boolean {
  if (kind === 'SOA-EDIT') return writeLabels(draft, domain, { soaEdit: values[0] ?? '' });
  if (!kind.startsWith('X-') && !STORED.has(kind)) return false;
  const { [kind]: _, ...others } = draft.zoneLabels(domain.id).metadata;
  const metadata = values.length === 0 ? others : { ...others, [kind]: values };
  if (Object.keys(metadata).length > MAX_KINDS)
    throw unprocessable(`A zone has at most ${MAX_KINDS} kinds of metadata.`);
  if (JSON.stringify(metadata).length > MAX_METADATA)
    throw unprocessable(`The metadata of a zone has at most ${MAX_METADATA} characters in all; delete some first.`);
  return writeLabels(draft, domain, { metadata });
}

function checkSoaEdit(values: readonly string[]): void {
  if (values.length > 1) throw unprocessable('SOA-EDIT has one value.');
  readSoaEdit({ 'SOA-EDIT': values[0] ?? '' }, 'SOA-EDIT');
}

function checkUpdateKeys(values: readonly string[], zone: Zone): void {
  const names = (list: readonly string[]): string =>
    list
      .map((name) => name.toLowerCase().replace(/\.$/, ''))
      .sort()
      .join();
  if (names(values) !== names(keysOf(zone, 'dns'))) throw unsupported(BY_TSIG);
}

/** TSIG keys of the account that are valid for the zone, for tokens that may list keys. */
function keysOf({ reader, context, domain }: Zone, scope: 'dns' | 'dns:read'): string[] {
  if (!mayListKeys(context)) return [];
  const isValid = ({ scopes, domains, policies }: TsigKeyRow): boolean =>
    (scope === 'dns' || policies === undefined || permitsTransfer(policies)) &&
    (scopes.includes('dns') || scopes.includes(scope)) &&
    (domains === null || domains.includes(domain.id));
  return reader
    .tsigKeysOf(domain.accountId)
    .filter(isValid)
    .map(({ name }) => name);
}

function masterKeys({ reader, context, domain }: Zone): string[] {
  if (!mayListKeys(context)) return [];
  const ids = domain.primaries.flatMap(({ tsigKeyId }) => (tsigKeyId === null ? [] : [tsigKeyId]));
  return [...new Set(ids)].flatMap((id) => reader.tsigKey(id)?.name ?? []);
}

function mayListKeys({ caller: { token } }: PowerDnsContext): boolean {
  return token.domains === undefined && token.scopes.some((scope) => scope === 'account' || scope === 'account:read');
}
