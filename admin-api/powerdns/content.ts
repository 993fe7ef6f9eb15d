/** Contents of records in the spelling of PowerDNS, which some clients compare as text. */
import { formatRdata } from '../../core/wire/rdata/index.ts';
import { TYPE } from '../../core/wire/types.ts';

/** A quoted parameter that needs no quotes. */
const QUOTED = /="([^"\\\s]+)"/g;

export function formatContent(type: number, rdata: Uint8Array): string {
  const text = formatRdata(type, rdata);
  return type === TYPE.HTTPS || type === TYPE.SVCB ? text.replace(QUOTED, '=$1') : text;
}
