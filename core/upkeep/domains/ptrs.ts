/** Where an account has the PTR records of its addresses, and which RRsets keep theirs. */
import { latin1 } from '../../dns/wire/latin1.ts';
import { equalNames, formatName, isWithin, type Name, nameAt, parentName } from '../../dns/wire/name.ts';
import { isInBlock, reverseName } from '../../dns/wire/reverse.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Draft } from '../../journal/draft/draft.ts';
import { type Id, recordsOfType } from '../../store/keys.ts';
import type { Reader } from '../../store/reader.ts';
import { type Domain, type KeptPtrs, keptPtrs, records } from '../../store/rows.ts';

/** The place of a PTR record. */
export interface Place {
  readonly domain: Domain;
  readonly owner: Name;
}

export const isAddress = (type: number): boolean => type === TYPE.A || type === TYPE.AAAA;

/** Whether an RRset keeps its PTR records. */
export const keepsPtr = (reader: Reader, { domainId, name, type }: KeptPtrs): boolean =>
  isAddress(type) && reader.row(keptPtrs, recordsOfType(domainId, name, type)) !== undefined;

/** Deletes the PTR records of a domain that will be deleted. */
export function deletePtrsOf(draft: Draft, { id, accountId }: Domain): void {
  for (const { name, type } of draft.keptPtrs(id))
    for (const { rdata } of draft.recordsOfType(id, name, type)) deletePtr(draft, accountId, rdata, name);
}

/**
 * Deletes the PTR records of an address that name `target`. Returns the keys of the deleted
 * records, in Latin-1.
 */
export function deletePtr(draft: Draft, accountId: Id, rdata: Uint8Array, target: Name): string[] {
  const keys: string[] = [];
  for (const { domain, owner } of placesOf(draft, accountId, rdata))
    for (const row of draft.recordsOfType(domain.id, owner, TYPE.PTR)) {
      if (!equalNames(nameAt(row.rdata, 0), target)) continue;
      draft.delete(records, row);
      keys.push(latin1(records.key(row)));
    }
  return keys;
}

/**
 * The places at which the account may have the PTR record of an address: in the zones around the
 * reverse name, at the target of a CNAME there, and in classless zones. The first one is served.
 */
export function* placesOf(reader: Reader, accountId: Id, rdata: Uint8Array): Generator<Place> {
  const owner = reverseName(rdata);
  for (const domain of enclosing(reader, accountId, owner)) {
    yield { domain, owner };
    for (const alias of reader.recordsOfType(domain.id, owner, TYPE.CNAME)) {
      const target = nameAt(alias.rdata, 0);
      for (const own of enclosing(reader, accountId, target)) yield { domain: own, owner: target };
    }
  }
  if (rdata.length !== 4) return;
  const network = parentName(owner);
  for (let after = network; ; ) {
    const [domain] = reader.domainsOf(accountId, after, 1);
    if (domain === undefined || !isWithin(domain.apex, network)) return;
    after = domain.apex;
    const isBlock = equalNames(parentName(after), network) && isInBlock(formatName(after).split('.')[0], rdata[3]);
    if (!isBlock || domain.kind !== 'primary') continue;
    yield { domain, owner: Buffer.concat([owner.subarray(0, owner[0] + 1), after]) };
  }
}

/** The primary zones of an account around a name, the deepest first. */
export function* enclosing(reader: Reader, accountId: Id, name: Name): Generator<Domain> {
  for (let apex = name; apex.length > 1; apex = parentName(apex)) {
    const domain = reader.domainByApex(apex);
    if (domain?.accountId === accountId && domain.kind === 'primary') yield domain;
  }
}
