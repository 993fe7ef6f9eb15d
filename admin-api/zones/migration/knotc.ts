/** The list of `knotc zone-read`: a record a line, behind the name of its zone in brackets. */
import { type ConfigFile, type Finding, finding, type Source, type SourceZone, zoneNameOf } from './source.ts';

const LINE = /^\[(\S+\.)\] (\S+ \d+ ([A-Z0-9]+) .*)$/;

export const isKnotcList = (head: string): boolean => LINE.test(head.trimStart().split(/\r?\n/, 1)[0]);

/** All zones of the list. Other lines, such as errors of knotc, are findings. */
export function parseKnotcList({ file, text }: ConfigFile): Source {
  const zones = new Map<string, { readonly line: number; readonly records: string[] }>();
  const signed = new Set<string>();
  const findings: Finding[] = [];
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const [, name, record, type] = LINE.exec(line) ?? [];
    if (name === undefined) {
      if (line.trim() !== '') findings.push(finding.notUnderstood(`${file}:${i + 1}: ${line.slice(0, 100)}`));
      continue;
    }
    const zone = zones.get(name) ?? { line: i + 1, records: [] };
    zone.records.push(record);
    zones.set(name, zone);
    if (type === 'RRSIG') signed.add(name);
  }
  return {
    kind: 'zones',
    zones: [...zones].map(
      ([name, { line, records }]): SourceZone => ({
        name: zoneNameOf(name),
        role: 'primary',
        content: { kind: 'text', file, text: `$ORIGIN ${name}\n${records.join('\n')}\n` },
        primaries: [],
        at: { file, line },
      }),
    ),
    keys: [],
    findings: [...findings, ...[...signed].map((name) => finding.signed(zoneNameOf(name), { file, line: 1 }))],
  };
}
