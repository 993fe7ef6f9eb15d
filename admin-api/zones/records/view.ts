/** Converts records from rows to responses. */

import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatRelative } from '../../../core/dns/wire/name.ts';
import { formatRdata, rdataToObject } from '../../../core/dns/wire/rdata/index.ts';
import type { Domain, RecordRow } from '../../../core/store/rows.ts';
import type { AliasState } from '../../../core/upkeep/alias/index.ts';
import { formatTime } from '../../http/time.ts';
import type { TargetWarning } from '../targets/target-warnings.ts';

/**
 * `comment`: that of its RRset. `ptr`: whether its RRset keeps its PTR records. In lists, `alias`:
 * state of the target of an ALIAS record; `warning`: of the target.
 */
export function viewRecord(
  domain: Domain,
  row: RecordRow,
  comment: string | null,
  ptr: boolean,
  alias?: AliasState,
  warning: TargetWarning | null = null,
) {
  return {
    id: row.id,
    name: formatRelative(row.name, domain.apex),
    type: typeName(row.type),
    content: formatRdata(row.type, row.rdata),
    ttl: row.ttl,
    data: rdataToObject(row.type, row.rdata),
    proxied: row.proxied,
    comment,
    ...(ptr && { ptr }),
    created_at: formatTime(row.createdAt),
    updated_at: formatTime(row.updatedAt),
    ...(alias === undefined ? {} : { alias: viewAlias(alias) }),
    ...(warning === null ? {} : { warnings: [warning] }),
  };
}

export function viewAlias({ status, addresses, checkedAt, error }: AliasState) {
  return {
    status,
    addresses: [...addresses],
    checked_at: checkedAt === null ? null : formatTime(checkedAt),
    error,
  };
}
