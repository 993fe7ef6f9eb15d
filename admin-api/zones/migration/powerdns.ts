/** Zones in the responses of the API of a PowerDNS server. */
import { type JsonObject, numberOf, objectsOf, textOf } from './json.ts';
import { type Finding, finding, type Primary, type SourceZone, zoneNameOf } from './source.ts';
import { Comments, relativeTo, ZoneLines } from './zone-lines.ts';

/** A zone of `GET /api/v1/servers/localhost/zones/ID`. `file`: its name in messages. */
export function parsePowerDnsZone(row: JsonObject, file: string): { zone?: SourceZone; findings: Finding[] } {
  const name = zoneNameOf(textOf(row.name) ?? '');
  const kind = (textOf(row.kind) ?? '').toLowerCase();
  if (kind === 'producer' || kind === 'consumer') return { findings: [finding.catalog(name)] };
  const lines = new ZoneLines(name, file);
  const comments = new Comments();
  let disabled = 0;
  for (const set of objectsOf(row.rrsets)) {
    const owner = textOf(set.name) ?? '';
    const type = textOf(set.type) ?? '';
    for (const { content } of objectsOf(set.comments))
      comments.add(relativeTo(name, owner), type, textOf(content) ?? '');
    for (const record of objectsOf(set.records)) {
      if (record.disabled === true) disabled++;
      else if (type === 'LUA')
        lines.leaveOut(
          owner,
          type,
          'The server computes its answers.',
          'Replace it with fixed records, an ALIAS, or a proxied name.',
        );
      else lines.add(owner, numberOf(set.ttl) ?? 0, type, textOf(record.content) ?? '');
    }
  }
  const findings = [...lines.findings];
  if (disabled > 0)
    findings.push({
      severity: 'warning',
      code: 'disabled_records',
      zone: name,
      message: `${disabled} disabled records are not imported.`,
    });
  if (row.dnssec === true) findings.push(finding.signed(name));
  const isSecondary = kind === 'slave' || kind === 'secondary';
  return {
    zone: {
      name,
      role: isSecondary ? 'secondary' : 'primary',
      content: { kind: 'text', file, text: lines.text },
      primaries: isSecondary ? (Array.isArray(row.masters) ? row.masters : []).flatMap(primaryOf) : [],
      comments: comments.texts,
    },
    findings,
  };
}

/** `192.0.2.1`, `192.0.2.1:5300`, `2001:db8::1` or `[2001:db8::1]:5300`. */
function primaryOf(text: unknown): Primary[] {
  if (typeof text !== 'string') return [];
  const parts = /^\[([^\]]+)\](?::(\d+))?$/.exec(text) ?? /^([\d.]+):(\d+)$/.exec(text);
  if (parts === null) return [{ address: text }];
  return [{ address: parts[1], port: parts[2] === undefined ? undefined : Number(parts[2]) }];
}
