/** The rules of W3C Trace Context, one at a time and without regular expressions. */
import type { TraceParent } from '../../../../core/observe/traces/trace-context.ts';

const isHex = (text: string): boolean => [...text].every((digit) => '0123456789abcdef'.includes(digit));
const isZero = (text: string): boolean => [...text].every((digit) => digit === '0');

/** Section 3.2 and, for future versions, section 3.2.4. */
export function slowTraceParent(text: string): TraceParent | null {
  const version = text.slice(0, 2);
  if (version.length !== 2 || !isHex(version) || version === 'ff' || text[2] !== '-') return null;
  const traceId = text.slice(3, 35);
  if (traceId.length !== 32 || !isHex(traceId) || isZero(traceId) || text[35] !== '-') return null;
  const spanId = text.slice(36, 52);
  if (spanId.length !== 16 || !isHex(spanId) || isZero(spanId) || text[52] !== '-') return null;
  const flags = text.slice(53, 55);
  if (flags.length !== 2 || !isHex(flags)) return null;
  if (version === '00' ? text.length !== 55 : text.length > 55 && text[55] !== '-') return null;
  if (text.length > 512) return null;
  return { traceId, spanId, isSampled: '13579bdf'.includes(flags[1]) };
}

const KEY = 'abcdefghijklmnopqrstuvwxyz0123456789_-*/';

function isKey(key: string): boolean {
  const parts = key.split('@');
  if (parts.some((part) => part === '' || [...part].some((character) => !KEY.includes(character)))) return false;
  const isStart = (character: string, set: string): boolean => set.includes(character);
  if (!isStart(key[0], KEY.slice(0, 36))) return false;
  if (parts.length === 1) return key.length <= 256;
  const [tenant, system] = parts;
  return parts.length === 2 && tenant.length <= 241 && system.length <= 14 && isStart(system[0], KEY.slice(0, 26));
}

function isValue(value: string): boolean {
  if (value.length === 0 || value.length > 256 || value.endsWith(' ')) return false;
  return [...value].every(
    (character) => character >= ' ' && character <= '~' && character !== ',' && character !== '=',
  );
}

/** Section 3.3. */
export function slowTraceState(text: string): string {
  const keys: string[] = [];
  let members: string[] = [];
  for (const part of text.split(',')) {
    let member = part;
    while (member.startsWith(' ') || member.startsWith('\t')) member = member.slice(1);
    while (member.endsWith(' ') || member.endsWith('\t')) member = member.slice(0, -1);
    if (member === '') continue;
    const equals = member.indexOf('=');
    const key = member.slice(0, Math.max(0, equals));
    if (equals < 0 || !isKey(key) || !isValue(member.slice(equals + 1)) || keys.includes(key)) return '';
    keys.push(key);
    members.push(member);
  }
  if (members.length > 32) return '';
  // Long members first, from the right; then any, from the right.
  const isShort = (): boolean => members.join(',').length <= 512;
  for (let i = members.length - 1; i >= 0 && !isShort(); i--)
    if (members[i].length > 128) members = members.filter((_, other) => other !== i);
  while (!isShort()) members.pop();
  return members.join(',');
}
