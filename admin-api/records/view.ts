import type { Domain, RecordRow } from '../../core/store/rows.ts';
import { typeName } from '../../core/wire/mnemonics.ts';
import { formatRelative } from '../../core/wire/name.ts';
import { formatRdata, rdataToObject } from '../../core/wire/rdata/index.ts';
import { formatTime } from '../http/time.ts';

/** A record as the API gives it. */
export function viewRecord(domain: Domain, row: RecordRow) {
  return {
    id: row.id,
    name: formatRelative(row.name, domain.apex),
    type: typeName(row.type),
    content: formatRdata(row.type, row.rdata),
    ttl: row.ttl,
    data: rdataToObject(row.type, row.rdata),
    proxied: row.proxied,
    created_at: formatTime(row.createdAt),
    updated_at: formatTime(row.updatedAt),
  };
}
