/**
 * Judges response packets by the reference resolver. `checkWorld` is the same whether the answers
 * come from a function in this process or over a socket.
 */
import { formatName, isWithin, LOWER, nameId } from '../../core/dns/wire/name.ts';
import { RCODE, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { compressedSize } from '../support/compressed-size.ts';
import { decodeMessage, encodeQuery, type Message, MessageError, namesIn } from '../support/message.ts';
import { formatRecord, formatZone } from '../support/names.ts';
import type { World } from './generate.ts';
import { servedZones } from './hints.ts';
import { type Expected, type Query, resolve, type Zones } from './resolver.ts';

/**
 * Response to a packet, null for silence. `limit`: what the transport carries, 1232 for UDP and
 * 65,535 for TCP.
 */
export type AnswerFunction = (packet: Uint8Array, limit: number) => Uint8Array | null;

export const UDP_LIMIT = 1232;
export const TCP_LIMIT = 65_535;
const OPT_SIZE = 11;

/**
 * Asks every question over UDP and TCP sizes by turns. Throws an Error that shows zones, question
 * and differences.
 */
export function checkWorld(answerFn: AnswerFunction, world: World, questions: readonly Query[]): void {
  questions.forEach((query, i) => {
    const limit = i % 4 === 3 ? TCP_LIMIT : UDP_LIMIT;
    const packet = encodeQuery(query, (i * 7919) & 0xffff, i % 2 === 1);
    const faults = faultsOf(world, query, packet, answerFn(packet, limit), limit);
    if (faults.length > 0) throw new Error(describe(world, query, faults));
  });
}

/**
 * `checkWorld` over sockets: the answers come when they come, `window` questions are pending at a
 * time.
 */
export async function checkServedWorld(
  ask: (packet: Uint8Array, overTcp: boolean) => Promise<Uint8Array | null>,
  world: World,
  questions: readonly Query[],
  window = 50,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < questions.length) {
      const i = next++;
      const query = questions[i];
      const overTcp = i % 10 === 9;
      const packet = encodeQuery(query, i & 0xffff, i % 2 === 1);
      const faults = faultsOf(world, query, packet, await ask(packet, overTcp), overTcp ? TCP_LIMIT : UDP_LIMIT);
      if (faults.length > 0) throw new Error(`over ${overTcp ? 'TCP' : 'UDP'}: ${describe(world, query, faults)}`);
    }
  };
  await Promise.all(Array.from({ length: window }, lane));
}

/** What a world's zones answer from; computed once for all of its questions. */
export function answeredBy(world: World): Zones {
  let zones = ANSWERED.get(world);
  if (zones === undefined) {
    zones = servedZones(world);
    ANSWERED.set(world, zones);
  }
  return zones;
}
const ANSWERED = new WeakMap<World, Zones>();

/** What is wrong with a response; empty when nothing is. `limit` as for AnswerFunction. */
export function faultsOf(
  world: World,
  query: Query,
  packet: Uint8Array,
  response: Uint8Array | null,
  limit: number,
): string[] {
  if (response === null) return ['no response'];
  let message: Message;
  try {
    message = decodeMessage(response);
  } catch (error) {
    if (error instanceof MessageError)
      return [`not a sound message: ${error.message}: ${Buffer.from(response).toString('hex')}`];
    throw error;
  }
  const zones = answeredBy(world);
  const expected = resolve(zones, query);
  const faults = [
    ...headerFaults(message, expected, query, packet),
    ...sectionFaults('answer', message.answer),
    ...sectionFaults('authority', message.authority),
    ...sectionFaults('additional', message.additional),
  ];
  const most = responseLimit(query, limit);
  if (response.length > most) faults.push(`${response.length} bytes, only ${most} may be sent`);
  if (message.header.tc) faults.push(...truncationFaults(message, expected, sizeFor(zones, query), most));
  else {
    faults.push(...difference('answer', message.answer, expected.answer));
    faults.push(...difference('authority', message.authority, expected.authority));
    faults.push(...additionalFaults(message, expected, response.length, sizeFor(zones, query), most));
  }
  return faults;
}

/** Bytes that a response to this query may have (RFC 6891 6.2.5, RFC 1035 4.2.1). */
function responseLimit(query: Query, limit: number): number {
  if (limit === TCP_LIMIT) return TCP_LIMIT;
  return query.edns === undefined ? 512 : Math.min(Math.max(query.edns.size, 512), limit);
}

function headerFaults({ header, ...message }: Message, expected: Expected, query: Query, packet: Uint8Array): string[] {
  const faults: string[] = [];
  const expect = (what: string, got: unknown, want: unknown): void => {
    if (got !== want) faults.push(`${what} is ${got}, expected ${want}`);
  };
  expect('ID', header.id, (packet[0] << 8) | packet[1]);
  expect('QR', header.qr, true);
  expect('opcode', header.opcode, 0);
  expect('RCODE', message.rcode, expected.rcode);
  expect('AA', header.aa, expected.aa);
  expect('RD', header.rd, (packet[2] & 1) === 1);
  expect('RA', header.ra, false);
  expect('Z', header.z, false);
  expect('AD', header.ad, false);
  expect('CD', header.cd, false);
  const queried = Buffer.from(packet.subarray(12, 12 + query.name.length + 4)).toString('hex');
  expect('the question', Buffer.from(message.question).toString('hex'), queried);
  expect('an OPT record', message.opt !== undefined, query.edns !== undefined);
  if (message.opt !== undefined && query.edns !== undefined) {
    expect('EDNS version', message.opt.version, 0);
    expect('EDNS size', message.opt.size, UDP_LIMIT);
    expect('DO', message.opt.do, query.edns.do);
    expect('EDNS options', Buffer.from(message.opt.options).toString('hex'), expectedOptions(query, expected.rcode));
  }
  return faults;
}

/**
 * An extended error (RFC 8914), in hexadecimal digits, and nothing else: the queries ask for no
 * option.
 */
export function expectedOptions(query: Query, rcode: number): string {
  const isTransfer = query.type === TYPE.AXFR || query.type === TYPE.IXFR;
  if (rcode === RCODE.REFUSED && query.class === 1 && !isTransfer) return '000f00020014';
  if (rcode === RCODE.NOTIMP) return '000f00020015';
  return rcode === RCODE.SERVFAIL ? '000f00020016' : '';
}

/** No record twice, the records of an RRset next to one another and of one TTL (RFC 2181 5). */
function sectionFaults(section: string, records: readonly ResourceRecord[]): string[] {
  const faults: string[] = [];
  const keys = records.map(recordKey);
  for (const key of new Set(keys.filter((cell, i) => keys.indexOf(cell) !== i)))
    faults.push(`${section} holds twice ${key}`);
  const sets = records.map(rrsetKey);
  sets.forEach((set, i) => {
    const first = sets.indexOf(set);
    if (sets.slice(first, i).some((other) => other !== set)) faults.push(`${section} tears apart ${set}`);
    if (records[i].ttl !== records[first].ttl) faults.push(`${section} has two TTLs for ${set}`);
  });
  return faults;
}

type Size = (records: readonly ResourceRecord[]) => number;

/** How long a response to the query with these records need be. */
function sizeFor(zones: Zones, query: Query): Size {
  const names = [...zones.values()].flat().map(({ name }) => name);
  const exists = (suffix: Uint8Array): boolean => names.some((name) => isWithin(name, suffix));
  return (records) => compressedSize(query.name, records, exists) + (query.edns === undefined ? 0 : OPT_SIZE);
}

/** TC may be set only when what has to be there does not fit; the sections are empty then. */
function truncationFaults(message: Message, expected: Expected, size: Size, most: number): string[] {
  const faults: string[] = [];
  const sent = message.answer.length + message.authority.length + message.additional.length;
  if (sent > 0) faults.push(`TC is set beside ${sent} records`);
  const glue = expected.referral ? expected.additional : [];
  const needed = size([...expected.answer, ...expected.authority, ...glue]);
  if (needed <= most) faults.push(`TC is set, but ${needed} bytes fit into ${most}`);
  return faults;
}

/**
 * Additional RRsets may be missing from the end, whole, when the next would not have fitted; glue
 * may not.
 */
function additionalFaults(message: Message, expected: Expected, length: number, size: Size, most: number): string[] {
  const whole = difference('additional', message.additional, expected.additional);
  if (whole.length === 0 || expected.referral) return whole;
  const kept = expected.additional.slice(0, message.additional.length);
  const next = expected.additional[kept.length];
  if (next === undefined || difference('additional', message.additional, kept).length > 0) return whole;
  const left = expected.additional.filter((record) => rrsetKey(record) === rrsetKey(next));
  if (kept.some((record) => rrsetKey(record) === rrsetKey(next))) return ['additional holds half an RRset', ...whole];
  const sent = [...expected.answer, ...expected.authority, ...kept];
  const grown = length + size([...sent, ...left]) - size(sent);
  return grown <= most ? [`additional lacks an RRset that makes ${grown} bytes, ${most} would fit`, ...whole] : [];
}

/** Two sections as sets of records. */
export function difference(section: string, got: readonly ResourceRecord[], want: readonly ResourceRecord[]): string[] {
  const gotKeys = new Set(got.map(recordKey));
  const wantKeys = new Set(want.map(recordKey));
  return [
    ...[...wantKeys].filter((key) => !gotKeys.has(key)).map((key) => `${section} lacks ${key}`),
    ...[...gotKeys].filter((key) => !wantKeys.has(key)).map((key) => `${section} has too much: ${key}`),
  ];
}

/**
 * A text that is equal for records that a resolver takes for the same, TTL included: names in them
 * in any case.
 */
export function recordKey(record: ResourceRecord): string {
  const layout = namesIn(record.type);
  let end = layout?.skip ?? 0;
  for (let i = 0; i < (layout?.names ?? 0); i++) {
    while (record.rdata[end] !== 0) end += record.rdata[end] + 1;
    end++;
  }
  const rdata = record.rdata.map((byte, i) => (i >= (layout?.skip ?? 0) && i < end ? LOWER[byte] : byte));
  return formatRecord({ ...record, name: record.name.map((byte) => LOWER[byte]), rdata });
}

function rrsetKey(record: ResourceRecord): string {
  return `${formatName(record.name).toLowerCase()} TYPE${record.type}`;
}

function describe(world: World, query: Query, faults: readonly string[]): string {
  const expected = resolve(answeredBy(world), query);
  const code = Object.entries(RCODE).find(([, number]) => number === expected.rcode)?.[0] ?? expected.rcode;
  const edns = query.edns === undefined ? 'no EDNS' : JSON.stringify(query.edns);
  const section = (title: string, records: readonly ResourceRecord[]): string =>
    records.map((record) => `  ${title}: ${formatRecord(record)}\n`).join('');
  return [
    `Asked ${formatName(query.name)} TYPE${query.type} CLASS${query.class}, ${edns}:\n`,
    faults.map((fault) => `  - ${fault}\n`).join(''),
    `The reference says ${code}${expected.aa ? ', AA' : ''}\n`,
    section('answer', expected.answer),
    section('authority', expected.authority),
    section('additional', expected.additional),
    [...world.zones].map(([key, zone]) => `zone${describeProxy(world, key)}\n${formatZone(zone)}`).join(''),
  ].join('');
}

function describeProxy({ zones, proxies }: World, key: string): string {
  const proxy = proxies?.get(key);
  if (proxy === undefined || !proxy.enabled) return '';
  const names = new Map(zones.get(key)!.map(({ name }) => [nameId(name), formatName(name)]));
  const flags = [...proxy.flags].map(([id, flag]) => `${names.get(id) ?? id}: ${flag}`);
  return `, proxied${flags.length === 0 ? '' : `, but ${flags.join(', ')}`}`;
}
