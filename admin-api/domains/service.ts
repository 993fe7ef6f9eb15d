/** Domains: create, list, describe, delete. */
import { InvalidError, StateError } from '../../core/errors.ts';
import { ChangeWriter } from '../../core/journal/changes.ts';
import { type Draft, write } from '../../core/journal/draft.ts';
import { afterPrefix, idKey } from '../../core/store/keys.ts';
import type { Reader } from '../../core/store/reader.ts';
import { type Domain, domains, newId, records } from '../../core/store/rows.ts';
import { formatName, type Name, nameAt, parentName, parseName } from '../../core/wire/name.ts';
import { TYPE } from '../../core/wire/types.ts';
import { planLimit } from '../auth/accounts.ts';
import type { Caller } from '../http/app.ts';
import { invalidCursor, type Page } from '../http/lists.ts';
import { formatTime, nowSeconds } from '../http/time.ts';
import type { Services } from '../services.ts';
import { formatDomain, parseDomain, refusePublicSuffix } from './name.ts';
import { ownedDomain, requireMatch } from './owned.ts';

/** Throws InvalidError, and StateError `zone_exists` or `plan_limit`. */
export async function createDomain(services: Services, { account }: Caller, text: string) {
  const { environment, journal, config, turns } = services;
  const apex = parseDomain(text);
  if (account.role !== 'admin') refusePublicSuffix(apex);
  const domain: Domain = { id: newId(), accountId: account.id, apex, createdAt: nowSeconds(), kept: null };
  const limit = planLimit(config.plans, account.plan);
  const commit = () =>
    write(environment, journal, account.id, (draft) => {
      requireFree(draft, apex, account.id);
      if (limit > 0 && draft.countDomains(account.id, limit) >= limit)
        throw new StateError('plan_limit', `The plan "${account.plan}" has ${limit} domains, and all are in use.`);
      draft.put(domains, domain);
    });
  // Who is counted conflicts with every other creation of the account.
  const { sequence } = limit > 0 ? await turns.exclusive(account.id, commit) : await commit();
  return { domain, sequence };
}

function requireFree(draft: Draft, apex: Name, accountId: string): void {
  const taken = (other: Domain | undefined, strict: boolean): void => {
    if (other === undefined || (!strict && other.accountId === accountId)) return;
    const own = other.accountId === accountId ? ' in this account' : '';
    const what = other.apex.length === apex.length ? 'This domain' : 'A domain above or below this one';
    throw new StateError('zone_exists', `${what} exists already${own}.`, { pointer: '/domain' });
  };
  taken(draft.domainByApex(apex), true);
  for (let above = parentName(apex); above.length > 1; above = parentName(above))
    taken(draft.domainByApex(above), false);
  for (const below of draft.domainsBelow(apex)) taken(below, false);
}

/** How many rows are looked at for one page of a list that is filtered. The page is short then, and its cursor leads on. */
const SCANNED = 5_000;

export function listDomains({ reader }: Services, { account }: Caller, page: Page, filter: string | null) {
  const wanted = filter?.toLowerCase();
  const rows: Domain[] = [];
  let after = page.after === null ? null : readCursor(page.after);
  for (let scanned = 0; scanned < SCANNED; ) {
    const batch = reader.domainsOf(account.id, after, 500);
    for (const domain of batch) {
      if (rows.length === page.limit) return { rows, last: cursorAt(after) };
      if (wanted === undefined || formatDomain(domain.apex).includes(wanted)) rows.push(domain);
      after = domain.apex;
      scanned++;
    }
    if (batch.length < 500) return { rows, last: null };
  }
  return { rows, last: cursorAt(after) };
}

const cursorAt = (apex: Name | null): Buffer | null => (apex === null ? null : Buffer.from(formatName(apex)));

function readCursor(cursor: Buffer): Name {
  try {
    return parseName(cursor.toString('latin1'));
  } catch (error) {
    if (error instanceof InvalidError) throw invalidCursor();
    throw error;
  }
}

/** With all its records, in one commit. Throws HttpError 404 and 412. */
export async function deleteDomain(
  services: Services,
  caller: Caller,
  id: string,
  ifMatch: string | undefined,
): Promise<number> {
  const { environment, journal, turns } = services;
  const commit = () =>
    write(environment, journal, caller.account.id, (draft) => {
      const domain = ownedDomain(draft, caller, id);
      requireMatch(services, draft, domain, ifMatch);
      const changes = new ChangeWriter();
      deleteRecords(services, draft, domain, changes);
      // After its records: whoever applies this must know whose they are.
      changes.delete(domains.number, domains.key(domain));
      draft.append(changes.content);
    });
  const { sequence } = await turns.exclusive(id, commit);
  return sequence;
}

/** Writes the deletion of every record of a domain; the whole range counts as read. */
export function deleteRecords({ environment }: Services, draft: Draft, domain: Domain, changes: ChangeWriter): void {
  const start = idKey(domain.id);
  const end = afterPrefix(start);
  draft.reads({ table: records.number, start, end });
  for (const key of environment.rows.get(records.number)!.getKeys({ start, end }))
    changes.delete(records.number, key as Buffer);
}

export function describeDomain(services: Services, domain: Domain) {
  const state = services.reader.zoneState(domain.id);
  return {
    id: domain.id,
    domain: formatDomain(domain.apex),
    nameservers: nameserversOf(services.reader, domain) ?? services.zoneSettings.nameservers,
    record_count: state.recordCount,
    revision: state.revision,
    proxy_enabled: false,
    created_at: formatTime(domain.createdAt),
    updated_at: formatTime(state.updatedAt || domain.createdAt),
  };
}

/** Those that the zone keeps from a master file. */
function nameserversOf(reader: Reader, domain: Domain): string[] | undefined {
  if (domain.kept === null) return undefined;
  const own = reader.recordsAt(domain.id, domain.apex).filter((record) => record.type === TYPE.NS);
  return own.length === 0 ? undefined : own.map((record) => formatDomain(nameAt(record.rdata, 0)));
}
