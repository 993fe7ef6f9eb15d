/**
 * A third opinion on the rdata table: what we print is read by Knot DNS, NSD and BIND, and the
 * bytes that they make of it are ours; what BIND prints is read by us. WAYPOST_SEED says which
 * records.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseMaster } from '../../../core/dns/wire/master/index.ts';
import { isPortable, parseType, typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName, nameId, parseName } from '../../../core/dns/wire/name.ts';
import { formatPortable, formatRdata, parseRdata, rdataToObject } from '../../../core/dns/wire/rdata/index.ts';
import { RDATA_TABLE } from '../../../core/dns/wire/rdata/table.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import { RDATA } from '../../core/dns/wire/arbitrary.ts';
import { startChild } from '../../support/child.ts';
import { queryAll, UdpClient } from '../../support/dns-client.ts';
import fc from '../../support/fc.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { SEED } from '../../support/seed.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { type Peer, startPeer, whyNot } from './servers.ts';

const SAMPLES = 60;
const ORIGIN = parseName('rdata.test.');
const TTL = 300;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const SOA: ResourceRecord = {
  name: ORIGIN,
  type: TYPE.SOA,
  ttl: TTL,
  rdata: parseRdata(TYPE.SOA, 'ns.example. host.example. 1 7200 900 1209600 300'),
};
const NS: ResourceRecord = { name: ORIGIN, type: TYPE.NS, ttl: TTL, rdata: parseRdata(TYPE.NS, 'ns.example.') };

/** One record a name, so that no type is in another one's way. */
function records(): ResourceRecord[] {
  // ALIAS is ours alone and leaves for no other server. SOA stands at the apex.
  const types = [...RDATA].filter(([type]) => type !== TYPE.ALIAS && type !== TYPE.SOA);
  return types.flatMap(([type, arbitrary]) =>
    fc.sample(arbitrary, { numRuns: SAMPLES, seed: SEED }).map((rdata, i) => ({
      name: parseName(`n${i}.${typeName(type)}`, ORIGIN),
      type,
      ttl: TTL,
      rdata,
    })),
  );
}

/**
 * A spelling that a peer does not read, though it may be written so, and the same in one that it
 * does; null: there is none.
 */
interface Respelling {
  readonly why: string;
  readonly respell: (text: string, type: number) => string | null;
}

const isSvcb = (type: number): boolean => type === TYPE.SVCB || type === TYPE.HTTPS;

const escaped = (character: string): string => `\\${String(character.charCodeAt(0)).padStart(3, '0')}`;

/** Which fields of a content are names: the last one, but for these types. */
const NAME_FIELDS: ReadonlyMap<number, readonly number[]> = new Map([
  [TYPE.SVCB, [1]],
  [TYPE.HTTPS, [1]],
  [TYPE.RP, [0, 1]],
  [TYPE.MINFO, [0, 1]],
  [TYPE.PX, [1, 2]],
  [TYPE.RRSIG, [7]],
  [TYPE.SIG, [7]],
  [TYPE.NSEC, [0]],
]);

function nameFields(type: number, fields: readonly string[]): readonly number[] {
  if (RDATA_TABLE.get(type)?.names === undefined) return [];
  if (type === TYPE.IPSECKEY) return fields[1] === '3' ? [3] : [];
  return NAME_FIELDS.get(type) ?? [fields.length - 1];
}

/** Changes the names in a content, unless it is in RFC 3597 form. */
const inNames = (why: string, change: (name: string) => string): Respelling => ({
  why,
  respell(text, type) {
    if (text.startsWith('\\# ')) return text;
    const fields = text.split(' ');
    const named = nameFields(type, fields);
    return fields.map((field, i) => (named.includes(i) ? change(field) : field)).join(' ');
  },
});

const types = (names: string): ReadonlySet<number> => new Set(names.split(' ').map((name) => parseType(name) ?? 0));

const UNREAD_BY_NSD = types(
  'NSAP-PTR TALINK DSYNC NINFO WALLET CLA RESINFO GPOS TA RKEY KEY NXT HHIT BRID EID NIMLOC SINK DOA AMTRELAY HIP IPN WKS ATMA A6',
);
const UNREAD_BY_BIND = types('CLA IPN');

/**
 * Whether a type is written in RFC 3597 form: the peer does not read another one, or not all of it.
 */
const IS_GENERIC: Readonly<Record<Peer['name'], (type: number) => boolean>> = {
  knot: (type) => !isPortable(type),
  nsd: (type) => UNREAD_BY_NSD.has(type),
  bind: (type) => UNREAD_BY_BIND.has(type),
};

/** Leaves out records in whose alpn a protocol is like that. */
const withoutProtocols = (why: string, like: (protocol: string) => boolean): Respelling => ({
  why: `${why}: left out`,
  respell(text, type) {
    if (!isSvcb(type)) return text;
    const { params } = rdataToObject(type, parseRdata(type, text)) as { params: { alpn?: string[] } };
    return params.alpn?.some(like) ? null : text;
  },
});

/** Leaves out all records of some types. */
const without = (names: string, why: string): Respelling => ({
  why: `${why}: left out`,
  respell: (text, type) => (types(names).has(type) ? null : text),
});

const RESPELLINGS: Readonly<Record<Peer['name'] | 'bind', readonly Respelling[]>> = {
  knot: [
    without('NSEC3', 'does not answer for types that it serves as proofs only'),
    inNames('wants punctuation in names escaped', (name) =>
      name.replace(/\\\d{3}|\\.|[^a-z0-9_*/.-]/g, (part) => (part.length > 1 ? part : escaped(part))),
    ),
    withoutProtocols('reads one byte, or an escape at either end, of a protocol in alpn wrongly', (protocol) =>
      /^.$|^[\\,]|[\\,]$/s.test(protocol),
    ),
  ],
  nsd: [
    without('NSEC3', 'does not answer for types that it serves as proofs only'),
    {
      why: 'reads escapes in gateways wrongly: left out',
      respell: (text, type) => (type === TYPE.IPSECKEY && text.includes('\\') ? null : text),
    },
    withoutProtocols('sees no comma after a zero byte in alpn', (protocol) => protocol.includes('\0')),
    inNames('takes \\\\. in names for an escaped dot', (name) =>
      name.replace(/\\\d{3}|\\./g, (part) => (part === '\\\\' ? '\\092' : part)),
    ),
  ],
  bind: [without('MD MF', 'refuses obsolete types')],
};

/**
 * The lines of a master file that the peer can read, in our print but for the peer's own spellings;
 * says how many have those.
 */
function printFor(peer: Peer['name'] | 'bind', zone: readonly ResourceRecord[]): (string | null)[] {
  const counts = new Map<string, number>();
  const lines = zone.map(({ name, type, ttl, rdata }) => {
    const isGeneric = IS_GENERIC[peer](type);
    let text: string | null = isGeneric
      ? `\\# ${rdata.length} ${hex(rdata)}`
      : isPortable(type)
        ? formatPortable(type, rdata).split('\t')[1]
        : formatRdata(type, rdata);
    for (const { why, respell } of RESPELLINGS[peer]) {
      const other: string | null = text && respell(text, type);
      if (other !== text) counts.set(why, (counts.get(why) ?? 0) + 1);
      text = other;
    }
    return text && `${formatName(name)} ${ttl} IN ${isGeneric ? `TYPE${type}` : typeName(type)} ${text}`;
  });
  for (const [why, count] of counts) console.log(`${peer} ${why} (${count} records)`);
  return lines;
}

/** The records that the peer can read, and a master file of them, the zone's own before them. */
function prepare(peer: Peer['name'] | 'bind'): { readonly ours: ResourceRecord[]; readonly zone: string } {
  const all = records();
  const lines = printFor(peer, all);
  const zone = [...printFor(peer, [SOA, NS]), ...lines].filter((line) => line !== null);
  return { ours: all.filter((_, i) => lines[i] !== null), zone: `${zone.join('\n')}\n` };
}

const show = ({ type, rdata }: ResourceRecord): string => `${typeName(type)} ${formatRdata(type, rdata)}`;

async function agree(name: Peer['name']): Promise<void> {
  const { ours, zone } = prepare(name);
  const peer = await startPeer(name, [[SOA, NS, ...ours]], () => zone);
  const client = await UdpClient.connect(peer.port);
  const faults: string[] = [];
  try {
    const responses = await queryAll(
      client,
      ours.map(({ name: label, type }, i) =>
        encodeQuery({ name: label, type, class: CLASS_IN, edns: { version: 0, size: 4096, do: false } }, i),
      ),
    );
    ours.forEach((record, i) => {
      const response = responses[i];
      if (response === null) throw new Error(`${name} is silent on ${formatName(record.name)}`);
      const { answer, authority } = decodeMessage(response);
      // NS below the apex is a referral.
      const found = (record.type === TYPE.NS ? authority : answer).filter(({ type }) => type === record.type);
      if (found.length !== 1 || hex(found[0].rdata) !== hex(record.rdata))
        faults.push(`${show(record)}: ${hex(record.rdata)}, theirs ${found.map(({ rdata }) => hex(rdata)).join(' ')}`);
    });
  } finally {
    client.close();
    await peer.stop();
  }
  assert.equal(faults.slice(0, 5), [], `${faults.length} records, seed ${SEED}`);
  console.log(`${name}: ${ours.length} records, seed ${SEED}`);
}

for (const name of ['knot', 'nsd'] as const) {
  const missing = whyNot(name);
  if (missing === null) test(`${name} reads the records that we print`, () => agree(name));
  else console.log(`Skipped: ${name} does not read what we print: ${missing}.`);
}

const CHECKZONE = '/usr/bin/named-checkzone';

/** BIND's own print of a zone, or its complaints. */
async function throughBind(
  text: string,
): Promise<{ readonly code: number | null; readonly output: string; readonly printed: Buffer }> {
  const folder = temporaryFolder('bind');
  const [input, output] = [join(folder, 'in.zone'), join(folder, 'out.zone')];
  writeFileSync(input, text);
  const lenient = [
    '-k',
    'ignore',
    '-n',
    'ignore',
    '-m',
    'ignore',
    '-M',
    'ignore',
    '-S',
    'ignore',
    '-r',
    'ignore',
    '-i',
    'none',
  ];
  const child = startChild(CHECKZONE, [...lenient, '-D', '-o', output, formatName(ORIGIN), input]);
  const code = await child.ended();
  return { code, output: child.output(), printed: existsSync(output) ? readFileSync(output) : Buffer.alloc(0) };
}

async function throughBindAndBack(): Promise<void> {
  const { ours, zone } = prepare('bind');
  const { code, output, printed } = await throughBind(zone);
  assert.is(code, 0, `seed ${SEED}\n${output}`);
  const back = parseMaster(printed, { origin: ORIGIN });
  assert.equal(back.errors, [], `seed ${SEED}`);
  const theirs = new Map(back.records.map((record) => [`${nameId(record.name)} ${record.type}`, record]));
  for (const record of ours) {
    const found = theirs.get(`${nameId(record.name)} ${record.type}`);
    assert.is(found && hex(found.rdata), hex(record.rdata), `seed ${SEED}: ${show(record)}`);
  }
  console.log(`bind: ${ours.length} records there and back, seed ${SEED}`);
}

if (existsSync(CHECKZONE)) test('BIND reads our records, and we read those of BIND', throughBindAndBack);
else if (process.env.WAYPOST_REQUIRE_PEERS === '1')
  throw new Error(`${CHECKZONE} is not installed, and peers are required.`);
else console.log(`Skipped: BIND does not read what we print: ${CHECKZONE} is not installed.`);

test.run();
