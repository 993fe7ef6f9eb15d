/**
 * Adds warnings to the response of a write: targets without an address that may be served. The
 * write is committed by then, so records of the same batch count. A stored response gets the
 * current warnings.
 */

import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { LEADING_TYPES } from '../../../core/dns/wire/types.ts';
import type { RecordRow } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import type { Reply } from '../../http/route.ts';
import type { TargetWarning, TargetWarnings } from '../targets/target-warnings.ts';

/** Maximum number of warnings in the response to a batch. */
const MAX_WARNINGS = 100;
const LEADING: ReadonlySet<string> = new Set(LEADING_TYPES.map(typeName));

interface RecordWarning extends TargetWarning {
  /** A JSON pointer into the response. */
  readonly pointer: string;
}

interface View {
  readonly id: number;
  readonly type: string;
}

/** The records in a response to a write. */
interface Written {
  readonly record?: View;
  readonly updated?: readonly View[];
  readonly created?: readonly View[];
}

/** `reply`: of a single write or a batch. */
export async function withWarnings(services: Services, warnings: TargetWarnings, reply: Reply): Promise<Reply> {
  const found = await findWarnings(services, warnings, reply as Written);
  if (found.length === 0) return reply;
  const omitted = found.length - MAX_WARNINGS;
  return Object.assign(reply, {
    warnings: found.slice(0, MAX_WARNINGS),
    ...(omitted > 0 && { warnings_omitted: omitted }),
  });
}

/** `reply`: of the import of a zone file. */
export async function withZoneWarnings<R extends { readonly domain: { readonly id: number } }>(
  { reader }: Services,
  warnings: TargetWarnings,
  reply: R,
): Promise<R> {
  const domain = reader.domain(reply.domain.id);
  const found = domain === undefined ? [] : await warnings.list(domain, true);
  return found.length === 0 ? reply : { ...reply, domain: { ...reply.domain, warnings: found } };
}

async function findWarnings(
  { reader }: Services,
  warnings: TargetWarnings,
  { record, updated = [], created = [] }: Written,
): Promise<RecordWarning[]> {
  const written: { readonly pointer: string; readonly row: RecordRow }[] = [];
  const add = ({ id, type }: View, pointer: string): void => {
    if (!LEADING.has(type)) return;
    // Another write may have deleted it meanwhile.
    const row = reader.record(id);
    if (row !== undefined) written.push({ pointer, row });
  };
  if (record !== undefined) add(record, '/record');
  for (const [i, view] of updated.entries()) add(view, `/updated/${i}`);
  for (const [i, view] of created.entries()) add(view, `/created/${i}`);
  const domain = written.length === 0 ? undefined : reader.domain(written[0].row.domainId);
  if (domain === undefined) return [];
  await warnings.settle(
    domain,
    written.map(({ row }) => row),
  );
  const targets = warnings.of(domain);
  return written.flatMap(({ pointer, row }) => {
    const warning = targets.find(row);
    return warning === null ? [] : [{ ...warning, pointer: `${pointer}/content` }];
  });
}
