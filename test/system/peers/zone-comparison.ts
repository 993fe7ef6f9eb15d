/** Zones and answers of two nameservers, as dig shows them, for comparisons. */
import { execFileSync } from 'node:child_process';

export const dig = (port: number, ...question: string[]): string =>
  execFileSync('dig', ['@127.0.0.1', '-p', String(port), '+time=2', '+tries=2', '+noall', ...question], {
    encoding: 'utf8',
  });

/** All records of a zone, sorted. */
export function zoneAt(port: number, zone: string, ...more: string[]): string[] {
  const lines = dig(port, '+answer', '+onesoa', ...more, zone, 'AXFR').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith(';'))
    .map((line) => line.replaceAll(/\s+/g, ' '))
    .sort();
}

/** Sections of a response with DNSSEC, sorted. */
export function provenAt(port: number, name: string, type: string): string[] {
  const text = dig(port, '+answer', '+authority', '+comments', '+dnssec', '+norec', name, type);
  const lines = text.split('\n').filter((line) => line !== '' && (!line.startsWith(';') || line.includes('status:')));
  return lines.map((line) => line.replace(/, id: \d+/, '').replaceAll(/\s+/g, ' ')).sort();
}
