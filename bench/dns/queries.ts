/**
 * The queries: for each load a packed query file (for load.ts) and the same as text (for
 * dnsperf). Both are kept next to the zones and made only when they are missing.
 */
import { closeSync, existsSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RCODE, TYPE } from '../../core/dns/wire/types.ts';
import { type Edns, type Query, writeQueryFile } from './query-file.ts';
import { RANDOM_LABEL, Random, writeRandomLabel } from './random.ts';
import { hostName, MIX, type ZoneSet } from './zones.ts';

export interface QuerySet {
  readonly packed: string;
  readonly text: string;
  /** Queries have DO. */
  readonly dnssecOk?: boolean;
}

/** Fills in the query with this index. */
type Source = (index: number, query: Query) => void;

interface Load {
  readonly id: string;
  readonly count: number;
  readonly longest: number;
  readonly source: Source;
}

const TYPE_TEXT: ReadonlyMap<number, string> = new Map(Object.entries(TYPE).map(([text, type]) => [type, text]));
const PLACEHOLDER = 'x'.repeat(RANDOM_LABEL);
/** Lines of a text file whose labels are random: dnsperf starts over when it has sent them all. */
const TEXT_LINES = 2_000_000;

/**
 * Queries a zone of the mix gets: 100 A, 40 AAAA, 20 NXDOMAIN and 10 each of MX, NS, CNAME and
 * wildcard.
 */
export const MIX_QUERIES = 200;

/**
 * 50 % A, 20 % AAAA, 10 % NXDOMAIN, 5 % each MX, NS (the apex and nine referrals), CNAME with its
 * target, wildcard; all distinct, shuffled.
 */
export function mixLoad(set: ZoneSet): Load {
  const count = set.zones * MIX_QUERIES;
  const random = new Random(0x6d6978);
  const order = random.shuffle(Uint32Array.from({ length: count }, (_, i) => i));
  const label = Buffer.alloc(RANDOM_LABEL);
  const source: Source = (index, query) => {
    const zone = set.zoneName(Math.floor(order[index] / MIX_QUERIES));
    const ask = (owner: string, type: number, ancount: number, rcode: number = RCODE.NOERROR) => {
      query.name = owner === '' ? zone : `${owner}.${zone}`;
      query.type = type;
      query.ancount = ancount;
      query.rcode = rcode;
    };
    writeRandomLabel(random, label, 0);
    const n = order[index] % MIX_QUERIES;
    const host = `host${String(n % 100).padStart(3, '0')}`;
    if (n < 100) ask(host, TYPE.A, 1);
    else if (n < 100 + MIX.dualStack) ask(host, TYPE.AAAA, 1);
    else if (n < 160) ask(label.toString('latin1'), TYPE.A, 0, RCODE.NXDOMAIN);
    else if (n < 170) ask(`dept${n - 160}`, TYPE.MX, 1);
    else if (n < 171) ask('', TYPE.NS, 2);
    else if (n < 180) ask(`sub${n - 171}`, TYPE.NS, 0);
    else if (n < 190) ask(`www${n - 180}`, TYPE.A, 2);
    else ask(`${label.toString('latin1')}.wild`, TYPE.A, 1);
  };
  return { id: `${set.id}-mix`, count, longest: RANDOM_LABEL + 6 + set.zoneName(0).length, source };
}

/** Each name of the big zones once, in random order. */
export function uniformLoad(set: ZoneSet): Load {
  const names = set.records - 3;
  const count = set.zones * names;
  const order = new Random(0x626967).shuffle(Uint32Array.from({ length: count }, (_, i) => i));
  const source: Source = (index, query) => {
    query.name = `n${String(order[index] % names).padStart(4, '0')}.${set.zoneName(Math.floor(order[index] / names))}`;
    query.type = TYPE.A;
    query.ancount = set.signed === true ? 2 : 1;
  };
  return { id: `${set.id}-uniform`, count, longest: 6 + set.zoneName(0).length, source };
}

/** The addresses of the hosts of the mix, in random order. */
export function hostLoad(set: ZoneSet): Load {
  const random = new Random(0x737465);
  const source: Source = (_, query) => {
    query.name = `${hostName(random.below(MIX.hosts))}.${set.zoneName(random.below(set.zones))}`;
    query.type = TYPE.A;
    query.rcode = RCODE.NOERROR;
    query.ancount = 1;
  };
  return { id: `${set.id}-hosts`, count: 200_000, longest: 8 + set.zoneName(0).length, source };
}

/**
 * A random label under a random zone. The packed file's labels are written again at every sending:
 * none is asked twice.
 */
export function randomSubdomainLoad(set: ZoneSet): Load {
  const random = new Random(0x6e78);
  const source: Source = (_, query) => {
    query.name = `${PLACEHOLDER}.${set.zoneName(random.below(set.zones))}`;
    query.type = TYPE.A;
    query.rcode = RCODE.NXDOMAIN;
    query.ancount = 0;
    query.freshLabel = true;
  };
  return { id: `${set.id}-nxdomain`, count: 200_000, longest: RANDOM_LABEL + 1 + set.zoneName(0).length, source };
}

/** Kinds of answers of a signed zone. */
export type SignedKind = 'exists' | 'nxdomain' | 'nodata' | 'wildcard' | 'referral';

/** One kind of question to zones of the mix, with the counts of signed answers. */
export function signedLoad(set: ZoneSet, kind: SignedKind): Load {
  if (kind === 'nxdomain') return randomSubdomainLoad(set);
  const random = new Random(0x646f);
  const label = Buffer.alloc(RANDOM_LABEL);
  const source: Source = (_, query) => {
    const zone = set.zoneName(random.below(set.zones));
    const host = `host${String(random.below(MIX.hosts)).padStart(3, '0')}`;
    writeRandomLabel(random, label, 0);
    query.rcode = RCODE.NOERROR;
    query.freshLabel = kind === 'wildcard';
    query.type = kind === 'nodata' ? TYPE.MX : TYPE.A;
    query.ancount = kind === 'exists' || kind === 'wildcard' ? 2 : 0;
    if (kind === 'wildcard') query.name = `${PLACEHOLDER}.wild.${zone}`;
    else if (kind === 'referral') query.name = `${host}.sub${random.below(MIX.delegations)}.${zone}`;
    else query.name = `${host}.${zone}`;
  };
  const longest = RANDOM_LABEL + 6 + set.zoneName(0).length;
  return { id: `${set.id}-${kind}`, count: 200_000, longest, source };
}

/**
 * Makes the files of a load in `folder` when they are missing. `edns`: whether each query carries
 * an OPT record, and a cookie or DO.
 */
export function writeQueries(load: Load, folder: string, edns: Edns = false): QuerySet {
  const base = join(folder, `${load.id}${typeof edns === 'string' ? `-${edns}` : edns ? '-edns' : ''}`);
  const files = { packed: `${base}.queries`, text: `${join(folder, load.id)}.txt`, dnssecOk: edns === 'do' };
  if (!existsSync(files.packed)) {
    writeQueryFile(`${files.packed}.new`, load.count, load.longest, edns, load.source);
    renameSync(`${files.packed}.new`, files.packed);
  }
  if (!existsSync(files.text)) {
    writeText(`${files.text}.new`, load);
    renameSync(`${files.text}.new`, files.text);
  }
  return files;
}

function writeText(path: string, load: Load): void {
  const random = new Random(0x747874);
  const label = Buffer.alloc(RANDOM_LABEL);
  const query: Query = { name: '', type: 0, rcode: 0, ancount: 0, freshLabel: false };
  const file = openSync(path, 'w');
  load.source(0, query);
  const lines = query.freshLabel ? TEXT_LINES : Math.min(load.count, TEXT_LINES);
  for (let from = 0; from < lines; from += 10_000) {
    let text = '';
    for (let i = from; i < Math.min(lines, from + 10_000); i++) {
      load.source(i, query);
      writeRandomLabel(random, label, 0);
      const name = query.freshLabel ? label.toString('latin1') + query.name.slice(RANDOM_LABEL) : query.name;
      text += `${name} ${TYPE_TEXT.get(query.type)}\n`;
    }
    writeSync(file, text);
  }
  closeSync(file);
}
