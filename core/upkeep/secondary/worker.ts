/** The worker thread that reads large zones. The results are transferred, not copied. */
import { movedResult } from '../../base/moved-result.ts';
import { readWholeZone, type ZoneInput } from './content.ts';

export default function work(input: ZoneInput): unknown {
  const zone = readWholeZone(input);
  const changes = new Uint8Array(zone.changes);
  const nodes = zone.nodes === null ? null : new Uint8Array(zone.nodes);
  return movedResult({ ...zone, changes, nodes }, [changes.buffer, ...(nodes === null ? [] : [nodes.buffer])]);
}
