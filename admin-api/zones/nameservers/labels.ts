/** Writes the labels of a zone: settings of the PowerDNS API, and of its distribution. */
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { type Domain, NO_LABELS, type ZoneLabels, zoneLabels } from '../../../core/store/rows.ts';

/** Returns whether anything changed. */
export function writeLabels(draft: Draft, { id }: Domain, labels: Partial<Omit<ZoneLabels, 'domainId'>>): boolean {
  const before = draft.zoneLabels(id);
  const after: ZoneLabels = { ...before, ...labels };
  if (JSON.stringify(after) === JSON.stringify(before)) return false;
  if (JSON.stringify(after) === JSON.stringify({ domainId: id, ...NO_LABELS })) draft.delete(zoneLabels, after);
  else draft.put(zoneLabels, after);
  return true;
}
