/**
 * Files of cli53, which exports zones of Amazon Route 53 in the format of BIND: aliases are records
 * of the class AWS, and routing policies are comments.
 */
import type { JsonObject } from './json.ts';
import { type ConfigFile, type Finding, invalidConfig, zoneNameOf } from './source.ts';
import { absolute } from './zone-lines.ts';

const ALIAS = /^\S+\s+\d+\s+AWS\s+ALIAS\s/m;
const ROUTING = /\s; AWS (routing="[A-Z]+"[^\n]*)$/m;
const RECORD = /^(\S+)\s+(\d+)\s+(IN|AWS)\s+([A-Z0-9]+)\s+(\S.*?)\s*$/;

export const isCli53 = (text: string): boolean => ALIAS.test(text) || ROUTING.test(text);

interface Exported {
  readonly zone: string;
  /** Record sets, as those of the API of Route 53. */
  readonly sets: readonly JsonObject[];
}

/**
 * `zone`: of a file without `$ORIGIN`. Throws InvalidError `invalid_config` if neither names it.
 */
export function readCli53({ file, text }: ConfigFile, zone: string | undefined, findings: Finding[]): Exported {
  const named = zone ?? /^\$ORIGIN\s+(\S+)/im.exec(text)?.[1];
  if (named === undefined) throw invalidConfig({ file, line: 1 }, 'the file does not name its zone; pass --zone NAME');
  const origin = absolute(named);
  const whole = (name: string): string => (name === '@' ? origin : name.endsWith('.') ? name : `${name}.${origin}`);
  const sets = new Map<string, JsonObject & { ResourceRecords?: { Value: string }[] }>();
  const lines = text.split(/\r?\n/);
  for (const [i, line] of lines.entries()) {
    const routing = ROUTING.exec(line);
    const [, owner, ttl, kind, type, data] = RECORD.exec(routing === null ? line : line.slice(0, routing.index)) ?? [];
    if (owner === undefined) {
      if (/^\s*(;|$|\$(ORIGIN|TTL)\s)/i.test(line)) continue;
      const message = `${file}:${i + 1} is not understood, and left out.`;
      findings.push({ severity: 'warning', code: 'not_understood', zone: zoneNameOf(origin), message });
      continue;
    }
    const policy = routing === null ? {} : policyOf(routing[1]);
    const base = { Name: whole(owner), ...policy };
    if (kind === 'AWS') {
      const [of, target, hostedZone] = data.split(/\s+/);
      // Only targets in the zone itself are relative.
      const name = hostedZone === '$self' ? whole(target) : absolute(target);
      sets.set(`${i}`, { ...base, Type: of, AliasTarget: { DNSName: name, HostedZoneId: hostedZone } });
      continue;
    }
    const key = `${type} ${base.Name} ${policy.SetIdentifier ?? ''}`;
    const set = sets.get(key) ?? { ...base, Type: type, TTL: Number(ttl), ResourceRecords: [] };
    set.ResourceRecords?.push({ Value: data });
    sets.set(key, set);
  }
  return { zone: zoneNameOf(origin), sets: [...sets.values()] };
}

/** The policy of a comment, such as `routing="WEIGHTED" weight=1 identifier="One"`. */
function policyOf(comment: string): JsonObject {
  const fields = new Map<string, string>();
  for (const [, key, quoted, bare] of comment.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)) fields.set(key, quoted ?? bare);
  const SetIdentifier = fields.get('identifier');
  switch (fields.get('routing')) {
    case 'FAILOVER':
      return { SetIdentifier, Failover: fields.get('failover') };
    case 'WEIGHTED':
      return { SetIdentifier, Weight: Number(fields.get('weight')) };
    case 'LATENCY':
      return { SetIdentifier, Region: fields.get('region') };
    case 'GEOLOCATION':
      return { SetIdentifier, GeoLocation: { CountryCode: fields.get('countryCode') } };
    case 'MULTIVALUE':
      return { SetIdentifier, MultiValueAnswer: true };
    default:
      return { SetIdentifier };
  }
}
