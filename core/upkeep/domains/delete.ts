/** Deletes a domain and all its data. */
import { Steps } from '../../base/steps.ts';
import type { Draft } from '../../journal/draft/draft.ts';
import { ChangeWriter } from '../../journal/entry-codec.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idKey, recordKeyParts } from '../../store/keys.ts';
import { startAfter } from '../../store/raw-reader.ts';
import {
  acmeChallenges,
  acmeOrders,
  automaticCertificates,
  certificates,
  comments,
  type Domain,
  delegations,
  disabledRecords,
  domains,
  furtherCertificates,
  imports,
  keptPtrs,
  originHealth,
  proxiedOf,
  proxies,
  purges,
  records,
  rsaCertificates,
  secondaries,
  siteDocuments,
  siteDocumentVersions,
  spellings,
  steerings,
  steeringVersions,
  zoneLabels,
} from '../../store/rows.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { deleteSignedZone } from '../signing/store-zone.ts';
import { deletePtrsOf } from './ptrs.ts';

interface Deletion {
  readonly environment: Environment;
  readonly zoneSettings: Pick<ZoneSettings, 'nameservers'>;
}

const NONE: ReadonlySet<number> = new Set();
const NOTHING = new Uint8Array();
/** Records read between two yields to the event loop. */
const PAGE = 256;

/** In the commit of the draft. `now`: seconds since 1970. Returns the number of its records. */
export async function deleteDomainRows(parts: Deletion, draft: Draft, domain: Domain, now: number): Promise<number> {
  const { id } = domain;
  deletePtrsOf(draft, domain);
  const changes = new ChangeWriter();
  await deleteRecords(parts, draft, domain, changes);
  const { count } = changes;
  deleteSpellings(parts, draft, id, changes);
  // Also comments of the apex, whose SOA and NS may not be stored records.
  deleteRows(parts, draft, comments.number, id, changes);
  deleteRows(parts, draft, keptPtrs.number, id, changes);
  deleteRows(parts, draft, disabledRecords.number, id, changes);
  // Withdraws an import; the hidden records are deleted later. Every entry of the import writes the
  // row, so reading it would conflict.
  if (parts.environment.rows.get(imports.number)!.doesExist(idKey(id))) changes.delete(imports.number, idKey(id));
  deleteProxy(draft, id);
  deleteRows(parts, draft, furtherCertificates.number, id, changes);
  deleteRows(parts, draft, rsaCertificates.number, id, changes);
  deleteRows(parts, draft, siteDocuments.number, id, changes);
  deleteRows(parts, draft, siteDocumentVersions.number, id, changes);
  deleteRows(parts, draft, originHealth.number, id, changes);
  deleteRows(parts, draft, steerings.number, id, changes);
  deleteRows(parts, draft, steeringVersions.number, id, changes);
  const delegation = draft.delegation(id);
  if (delegation !== undefined) draft.delete(delegations, delegation);
  if (draft.row(zoneLabels, idKey(id)) !== undefined) changes.delete(zoneLabels.number, idKey(id));
  deleteSignedZone(draft, domain, parts.zoneSettings.nameservers, now);
  const secondary = draft.row(secondaries, idKey(id));
  if (secondary !== undefined) draft.delete(secondaries, secondary);
  // After the records, because applying their deletions needs the domain.
  changes.delete(domains.number, domains.key(domain));
  draft.append(changes.content);
  return count;
}

/** Deletes the proxy settings, certificates and purges of a domain. */
function deleteProxy(draft: Draft, domainId: Id): void {
  const proxy = draft.proxy(domainId);
  if (proxy !== undefined) draft.delete(proxies, proxy);
  const certificate = draft.certificate(domainId);
  if (certificate !== undefined) draft.delete(certificates, certificate);
  for (const purge of draft.purgesOf(domainId)) draft.delete(purges, purge);
  const automatic = draft.automaticCertificate(domainId);
  if (automatic !== undefined) draft.delete(automaticCertificates, automatic);
  const order = draft.acmeOrder(domainId);
  if (order !== undefined) draft.delete(acmeOrders, order);
  for (const challenge of draft.acmeChallenges(domainId)) draft.delete(acmeChallenges, challenge);
}

/**
 * Deletes all records of a domain. The whole range counts as read. `keeps`: types that stay.
 * Returns the number of kept records, and `proxied` by the canonical key of the name in Latin-1 for
 * names that set it.
 */
export async function deleteRecords(
  { environment }: Deletion,
  draft: Draft,
  domain: Domain,
  changes: ChangeWriter,
  keeps: ReadonlySet<number> = NONE,
): Promise<{ readonly flags: ReadonlyMap<string, boolean>; readonly kept: number }> {
  const end = afterPrefix(idKey(domain.id));
  draft.addReadRange({ table: records.number, start: idKey(domain.id), end });
  const flags = new Map<string, boolean>();
  const steps = new Steps();
  let kept = 0;
  // A change between two pages is a conflict.
  for (let start: Buffer | null = idKey(domain.id); start !== null; await steps.next()) {
    let last: Buffer | null = null;
    for (const { key, value } of environment.records.getRange({ start, end, limit: PAGE })) {
      last = key as Buffer;
      const { nameEnd, type } = recordKeyParts(last);
      if (keeps.has(type)) {
        kept++;
        continue;
      }
      changes.delete(records.number, last);
      const proxied = proxiedOf(value);
      if (proxied !== null) flags.set(last.toString('latin1', 8, nameEnd), proxied);
    }
    start = last && startAfter(last, NOTHING);
  }
  return { flags, kept };
}

/** Deletes the spellings of names from a zone file. */
export function deleteSpellings(parts: Deletion, draft: Draft, domainId: Id, changes: ChangeWriter): void {
  deleteRows(parts, draft, spellings.number, domainId, changes);
}

/** Deletes the rows of a table whose keys begin with the domain. */
function deleteRows({ environment }: Deletion, draft: Draft, table: number, id: Id, changes: ChangeWriter): void {
  const start = idKey(id);
  const end = afterPrefix(start);
  draft.addReadRange({ table, start, end });
  for (const key of environment.rows.get(table)!.getKeys({ start, end })) changes.delete(table, key as Buffer);
}
