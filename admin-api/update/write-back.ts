/** Writes the changed names of a zone to the draft, and checks the rules for records. */
import { InvalidError, StateError } from '../../core/base/errors.ts';
import type { Draft } from '../../core/journal/draft/draft.ts';
import { type Domain, newId, type RecordRow, records } from '../../core/store/rows.ts';
import { typeName } from '../../core/wire/mnemonics.ts';
import { formatName, formatRelative, type Name } from '../../core/wire/name.ts';
import { formatRdata } from '../../core/wire/rdata/index.ts';
import { WEB_TYPES } from '../../core/zone/proxied.ts';
import type { Steps } from '../change/steps.ts';
import { nowSeconds } from '../http/time.ts';
import { DEFAULT_TTL } from '../records/content.ts';
import { Neighbours } from '../records/rules/neighbours.ts';
import { writeRecord } from '../records/service.ts';
import { refused } from './fault.ts';
import { rdataId, type ZoneCopy } from './zone-copy.ts';

/** Maximum records of an update in the audit log, and characters of each. */
const MOST_TOLD = 20;
const LONGEST_TOLD = 300;

export interface Written {
  readonly added: number;
  readonly deleted: number;
  /** Number of records with a changed TTL. */
  readonly changed: number;
  /** The first records as text, for the audit log: `+` added, `-` deleted, `=` changed TTL. */
  readonly told: readonly string[];
}

/**
 * Deletes all removed records, and then adds the new ones, so the rules are independent of the
 * order in the message. Unchanged records keep their rows. New records adopt `proxied` of their
 * name. Throws UpdateError REFUSED if a rule forbids a record.
 */
export async function writeBack(draft: Draft, domain: Domain, zone: ZoneCopy, steps: Steps): Promise<Written> {
  const now = nowSeconds();
  const arrivals: { readonly replaced: RecordRow[]; readonly coming: RecordRow[]; readonly name: Name }[] = [];
  let added = 0;
  let deleted = 0;
  let changed = 0;
  const told: string[] = [];
  const tell = (sign: string, { name, type, ttl, rdata }: Pick<RecordRow, 'name' | 'type' | 'ttl' | 'rdata'>): void => {
    if (told.length < MOST_TOLD)
      told.push(
        `${sign} ${formatRelative(name, domain.apex)} ${ttl} ${typeName(type)} ${formatRdata(type, rdata)}`.slice(
          0,
          LONGEST_TOLD,
        ),
      );
  };
  for (const { name, before, now: wanted } of zone.names) {
    const there = new Set<string>();
    const replaced: RecordRow[] = [];
    for (const row of before) {
      const { type, rdata } = row;
      const set = wanted.get(type);
      const stays = set?.rdatas.has(rdataId(rdata)) === true;
      const ttl = set?.ttl ?? row.ttl;
      there.add(`${type} ${rdataId(rdata)}`);
      if (stays && ttl === row.ttl) continue;
      if (stays) changed++;
      else deleted++;
      tell(stays ? '=' : '-', stays ? { ...row, ttl } : row);
      if (stays) draft.put(records, { ...row, ttl, updatedAt: now });
      else {
        draft.delete(records, row);
        replaced.push(row);
      }
      await steps.next();
    }
    const proxied = before.find(({ type }) => WEB_TYPES.has(type))?.proxied ?? null;
    const coming: RecordRow[] = [];
    for (const [type, { ttl, rdatas }] of wanted)
      for (const [id, rdata] of rdatas)
        if (!there.has(`${type} ${id}`)) {
          const record = { id: newId(), domainId: domain.id, name, type, ttl: ttl ?? DEFAULT_TTL, rdata };
          coming.push({ ...record, proxied: WEB_TYPES.has(type) ? proxied : null, createdAt: now, updatedAt: now });
        }
    if (coming.length > 0) arrivals.push({ name, replaced, coming });
  }
  for (const { name, replaced, coming } of arrivals) {
    // Read once: otherwise each of a thousand records at one name would read all previous ones.
    const beside = new Neighbours(draft.recordsAt(domain.id, name));
    for (const record of coming) {
      added++;
      tell('+', record);
      obeying(record, () =>
        writeRecord(draft, domain, record, { adopts: false, isNew: true, replaced, neighbours: beside }),
      );
      await steps.next();
    }
  }
  return { added, deleted, changed, told };
}

function obeying(record: RecordRow, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof InvalidError || error instanceof StateError)) throw error;
    throw refused(`${formatName(record.name)} ${typeName(record.type)}: ${error.code}`);
  }
}
