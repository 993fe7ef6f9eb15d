/** Writes what has become of a zone's names into the draft, under the rules that every record keeps. */
import { InvalidError, StateError } from '../../core/errors.ts';
import type { Draft } from '../../core/journal/draft.ts';
import { type Domain, newId, type RecordRow, records } from '../../core/store/rows.ts';
import { typeName } from '../../core/wire/mnemonics.ts';
import { formatName, formatRelative, type Name } from '../../core/wire/name.ts';
import { formatRdata } from '../../core/wire/rdata/index.ts';
import { WEB_TYPES } from '../../core/zone/proxied.ts';
import { nowSeconds } from '../http/time.ts';
import { checkRecord } from '../records/rules/record.ts';
import { place } from '../records/service.ts';
import type { Steps } from '../steps.ts';
import { refused } from './fault.ts';
import { type Held, heldId, type ZoneCopy } from './zone-copy.ts';

/** Records that the audit shows of one update, and characters of each. */
const MOST_TOLD = 20;
const LONGEST_TOLD = 300;

export interface Written {
  readonly added: number;
  readonly deleted: number;
  /** Records that stay with another TTL. */
  readonly changed: number;
  /** The first of them as text, for the audit: `+` came, `-` went, `=` has another TTL. */
  readonly told: readonly string[];
}

/**
 * First all that goes goes, then what is new comes, so that the order of the message does not matter to the rules. What stays keeps its row; records that
 * come to a name keep what it said of the proxy. Throws UpdateError REFUSED when a rule forbids a record.
 */
export async function writeBack(draft: Draft, domain: Domain, zone: ZoneCopy, steps: Steps): Promise<Written> {
  const now = nowSeconds();
  const arrivals: RecordRow[] = [];
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
    const there = new Map(before.map((row) => [heldId(row.type, row.rdata), row]));
    for (const [id, row] of there) {
      const held = wanted.get(id);
      if (held === undefined) deleted++;
      else if (held.ttl !== row.ttl) changed++;
      else continue;
      tell(held === undefined ? '-' : '=', { ...row, ttl: held?.ttl ?? row.ttl });
      if (held === undefined) draft.delete(records, row);
      else draft.put(records, { ...row, ttl: held.ttl, updatedAt: now });
      await steps.next();
    }
    const proxied = before.find(({ type }) => WEB_TYPES.has(type))?.proxied ?? null;
    for (const [id, held] of wanted) if (!there.has(id)) arrivals.push(arrival(domain, name, held, proxied, now));
  }
  for (const record of arrivals) {
    tell('+', record);
    obeying(record, () => {
      checkRecord(domain.apex, record.name, record.type, record.rdata);
      place(draft, domain, record, { adopts: false, isNew: true });
    });
    await steps.next();
  }
  return { added: arrivals.length, deleted, changed, told };
}

function arrival(domain: Domain, name: Name, held: Held, proxied: boolean | null, now: number): RecordRow {
  const { type, ttl, rdata } = held;
  return { id: newId(), domainId: domain.id, name, type, ttl, rdata, proxied, createdAt: now, updatedAt: now };
}

function obeying(record: RecordRow, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof InvalidError || error instanceof StateError)) throw error;
    throw refused(`${formatName(record.name)} ${typeName(record.type)}: ${error.code}`);
  }
}
