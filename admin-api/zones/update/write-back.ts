/** Writes the changed names of a zone to the draft, and checks the rules for records. */
import { InvalidError, StateError } from '../../../core/base/errors.ts';
import type { Steps } from '../../../core/base/steps.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName, formatRelative, type Name } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { type Domain, type RecordRow, records } from '../../../core/store/rows.ts';
import { WEB_TYPES } from '../../../core/zone/compile/proxied.ts';
import { nowSeconds } from '../../http/time.ts';
import { DEFAULT_TTL } from '../records/content.ts';
import { requireUnsteered } from '../records/rules/conflicts.ts';
import { DNSSEC_TYPES } from '../records/rules/dnssec.ts';
import { Neighbours } from '../records/rules/neighbours.ts';
import { writeRecord } from '../records/service.ts';
import { refused } from './fault.ts';
import { rdataId, type ZoneCopy } from './zone-copy.ts';

/** Maximum records of an update in the audit log, and characters of each. */
const MAX_LINES = 20;
const MAX_LINE_LENGTH = 300;

interface Written {
  readonly added: number;
  readonly deleted: number;
  /** Number of records with a changed TTL. */
  readonly changed: number;
  /** The first records as text, for the audit log: `+` added, `-` deleted, `=` changed TTL. */
  readonly lines: readonly string[];
}

type NewRecord = Omit<RecordRow, 'id'>;

/**
 * Deletes all removed records, and then adds the new ones, so the rules are independent of the
 * order in the message. Unchanged records keep their rows. New records adopt `proxied` of their
 * name. Throws UpdateError REFUSED if a rule forbids a record.
 */
export async function writeBack(draft: Draft, domain: Domain, zone: ZoneCopy, steps: Steps): Promise<Written> {
  const now = nowSeconds();
  const additions: { readonly replaced: RecordRow[]; readonly newRecords: NewRecord[]; readonly name: Name }[] = [];
  let added = 0;
  let deleted = 0;
  let changed = 0;
  const lines: string[] = [];
  const addLine = (
    sign: string,
    { name, type, ttl, rdata }: Pick<RecordRow, 'name' | 'type' | 'ttl' | 'rdata'>,
  ): void => {
    if (lines.length < MAX_LINES)
      lines.push(
        `${sign} ${formatRelative(name, domain.apex)} ${ttl} ${typeName(type)} ${formatRdata(type, rdata)}`.slice(
          0,
          MAX_LINE_LENGTH,
        ),
      );
  };
  for (const { name, before, now: wanted } of zone.names) {
    const existing = new Set<string>();
    const replaced: RecordRow[] = [];
    for (const row of before) {
      const { type, rdata } = row;
      const set = wanted.get(type);
      const isKept = set?.rdatas.has(rdataId(rdata)) === true;
      const ttl = set?.ttl ?? row.ttl;
      existing.add(`${type} ${rdataId(rdata)}`);
      // Deleting all types of a name keeps its DNSSEC records.
      if (DNSSEC_TYPES.has(type)) continue;
      if (isKept && ttl === row.ttl) continue;
      refuseOnError(row, () => requireUnsteered(draft, domain.id, row));
      if (isKept) changed++;
      else deleted++;
      addLine(isKept ? '=' : '-', isKept ? { ...row, ttl } : row);
      if (isKept) draft.put(records, { ...row, ttl, updatedAt: now });
      else {
        draft.delete(records, row);
        replaced.push(row);
      }
      await steps.next();
    }
    const proxied = before.find(({ type }) => WEB_TYPES.has(type))?.proxied ?? null;
    const newRecords: NewRecord[] = [];
    for (const [type, { ttl, rdatas }] of wanted)
      for (const [id, rdata] of rdatas)
        if (!existing.has(`${type} ${id}`)) {
          const record = { domainId: domain.id, name, type, ttl: ttl ?? DEFAULT_TTL, rdata };
          newRecords.push({ ...record, proxied: WEB_TYPES.has(type) ? proxied : null, createdAt: now, updatedAt: now });
        }
    if (newRecords.length > 0) additions.push({ name, replaced, newRecords });
  }
  const count = additions.reduce((sum, { newRecords }) => sum + newRecords.length, 0);
  const firstId = count > 0 ? draft.newId(records, count) : 0;
  for (const { name, replaced, newRecords } of additions) {
    // Read once: otherwise each of a thousand records at one name would read all previous ones.
    const neighbours = new Neighbours(draft.recordsAt(domain.id, name));
    for (const newRecord of newRecords) {
      const record = { id: firstId + added++, ...newRecord };
      addLine('+', record);
      refuseOnError(record, () =>
        writeRecord(draft, domain, record, { adopts: false, isNew: true, replaced, neighbours }),
      );
      await steps.next();
    }
  }
  return { added, deleted, changed, lines };
}

function refuseOnError(record: Pick<RecordRow, 'name' | 'type'>, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof InvalidError || error instanceof StateError)) throw error;
    throw refused(`${formatName(record.name)} ${typeName(record.type)}: ${error.code}`);
  }
}
