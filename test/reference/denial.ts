/**
 * RFC 5155 by the letter, on lists of records: the NSEC3 records that a zone has (section 7.1), and
 * what a validator concludes from those of a response (section 8). It shares no code with core.
 */
import { equalNames, isWithin, LOWER, MAX_NAME, type Name, nameId, parentName } from '../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { chars, nsec3Hash } from '../core/dns/dnssec/reference.ts';
import { nameOf } from '../support/names.ts';

const DIGITS = '0123456789abcdefghijklmnopqrstuv';

/** An NSEC3 record, read. */
export interface Nsec3 {
  /** Hash of the owner, as a string of bytes. */
  readonly hash: string;
  readonly next: string;
  readonly types: ReadonlySet<number>;
}

/** A fault of a response, as a validator sees it. */
export class Bogus extends Error {}

/** Base32 with the extended hex alphabet (RFC 4648 section 7). */
export function base32(hash: Uint8Array): string {
  const bits = [...hash].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => DIGITS[Number.parseInt(five, 2)]);
}

/** What a signed zone answers from, without what is occluded: that is not signed. */
export function visibleIn(records: readonly ResourceRecord[]): ResourceRecord[] {
  const apex = records.find(({ type }) => type === TYPE.SOA)!.name;
  const barriers = new Set(
    records
      .filter(({ name, type }) => type === TYPE.DNAME || (type === TYPE.NS && !equalNames(name, apex)))
      .map(({ name }) => nameId(name)),
  );
  const isOccluded = (name: Name): boolean => {
    for (let above = name; !equalNames(above, apex); ) {
      above = parentName(above);
      if (barriers.has(nameId(above))) return true;
    }
    return false;
  };
  return records.filter(({ name, type }) => {
    if (isOccluded(name)) return false;
    return type === TYPE.NS || type === TYPE.DS || !isCutIn(records, apex, name);
  });
}

/** Whether a name of the zone is delegated. */
export function isCutIn(records: readonly ResourceRecord[], apex: Name, name: Name): boolean {
  return !equalNames(name, apex) && records.some((other) => other.type === TYPE.NS && equalNames(other.name, name));
}

/** The names of a signed zone with their types. `records`: what the zone answers from. */
export function namesOf(records: readonly ResourceRecord[]): Map<string, { name: Name; types: Set<number> }> {
  const apex = records.find(({ type }) => type === TYPE.SOA)!.name;
  const names = new Map<string, { name: Name; types: Set<number> }>();
  for (const { name, type } of visibleIn(records)) {
    for (let above = name; ; above = parentName(above)) {
      if (!names.has(nameId(above))) names.set(nameId(above), { name: above, types: new Set() });
      if (equalNames(above, apex)) break;
    }
    if (type !== TYPE.ALIAS) names.get(nameId(name))!.types.add(type);
  }
  for (const { name, types } of names.values())
    if (types.size > 0 && !(isCutIn(records, apex, name) && !types.has(TYPE.DS))) types.add(TYPE.RRSIG);
  return names;
}

/** The NSEC3 rdata of each name of a zone, in hexadecimal, by the owner's label. */
export function chainOf(records: readonly ResourceRecord[]): Map<string, string> {
  const links = [...namesOf(records).values()]
    .map(({ name, types }) => ({ hash: nsec3Hash(name), types }))
    .sort((a, b) => Buffer.compare(a.hash, b.hash));
  return new Map(
    links.map(({ hash, types }, i) => {
      const next = links[(i + 1) % links.length].hash;
      return [base32(hash), `010000000014${next.toString('hex')}${bitmapOf(types)}`];
    }),
  );
}

/** RFC 4034 section 4.1.2, in hexadecimal. */
export function bitmapOf(types: ReadonlySet<number>): string {
  let text = '';
  for (let window = 0; window < 256; window++) {
    const bits = [...types].filter((type) => type >> 8 === window).map((type) => type & 255);
    if (bits.length === 0) continue;
    const bytes = new Array<number>((Math.max(...bits) >> 3) + 1).fill(0);
    for (const bit of bits) bytes[bit >> 3] |= 0x80 >> (bit & 7);
    text += Buffer.from([window, bytes.length, ...bytes]).toString('hex');
  }
  return text;
}

export function readNsec3({ name, rdata }: ResourceRecord): Nsec3 {
  const label = chars(name.subarray(1, 1 + name[0])).toLowerCase();
  const bits = [...label].map((digit) => DIGITS.indexOf(digit).toString(2).padStart(5, '0')).join('');
  const hash = (bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join('');
  const types = new Set<number>();
  for (let p = 26; p < rdata.length; p += 2 + rdata[p + 1])
    for (let i = 0; i < rdata[p + 1] * 8; i++)
      if ((rdata[p + 2 + (i >> 3)] >> (7 - (i & 7))) & 1) types.add((rdata[p] << 8) | i);
  return { hash, next: chars(rdata.subarray(6, 26)), types };
}

/** Draws conclusions from the NSEC3 records of one response, and remembers which it needed. */
export class Proofs {
  readonly used = new Set<Nsec3>();
  readonly #apex: Name;
  readonly #records: readonly Nsec3[];

  constructor(apex: Name, records: readonly Nsec3[]) {
    this.#apex = apex;
    this.#records = records;
  }

  #use(record: Nsec3, what: string): Nsec3 {
    if (record === undefined) throw new Bogus(`no NSEC3 record ${what}`);
    this.used.add(record);
    return record;
  }

  #matching(name: Name): Nsec3 | undefined {
    const hash = chars(nsec3Hash(name));
    return this.#records.find((record) => record.hash === hash);
  }

  #covering(name: Name): Nsec3 | undefined {
    const hash = chars(nsec3Hash(name));
    return this.#records.find(({ hash: own, next }) =>
      own < next ? own < hash && hash < next : (own < hash || hash < next) && own !== hash,
    );
  }

  /** 8.3: the closest encloser. */
  #closestEncloser(name: Name): Name {
    let next = name;
    for (let above = parentName(name); isWithin(above, this.#apex); above = parentName(above)) {
      const match = this.#matching(above);
      if (match !== undefined) {
        this.#use(match, '');
        this.#use(this.#covering(next)!, 'covers the next closer name');
        const { types } = match;
        if (types.has(TYPE.DNAME)) throw new Bogus('the closest encloser has a DNAME');
        if (types.has(TYPE.NS) && !types.has(TYPE.SOA)) throw new Bogus('the closest encloser is a delegation');
        return above;
      }
      next = above;
    }
    throw new Bogus('no closest encloser');
  }

  /** 8.4. */
  nameError(name: Name): void {
    const encloser = this.#closestEncloser(name);
    if (encloser.length + 2 <= MAX_NAME)
      this.#use(this.#covering(nameOf(['*'], encloser))!, 'covers the wildcard at the closest encloser');
  }

  /** 8.5 to 8.7. */
  noData(name: Name, type: number): void {
    const match = this.#matching(name);
    if (match !== undefined) this.#lacks(this.#use(match, ''), type);
    else {
      const wildcard = this.#matching(nameOf(['*'], this.#closestEncloser(name)));
      this.#lacks(this.#use(wildcard!, 'matches the wildcard'), type);
    }
  }

  #lacks({ types }: Nsec3, type: number): void {
    if (types.has(type)) throw new Bogus(`the name has type ${type}`);
    if (types.has(TYPE.CNAME)) throw new Bogus('the name is an alias');
    if (type !== TYPE.DS && types.has(TYPE.NS) && !types.has(TYPE.SOA)) throw new Bogus('the name is a delegation');
  }

  /** 8.8. `labels`: the Labels field of the signature. */
  expansion(name: Name, labels: number): void {
    let next = name;
    while (labelsOf(next) > labels + 1) next = parentName(next);
    this.#use(this.#covering(next)!, 'covers the next closer name of an expanded wildcard');
  }

  /** 8.9. */
  unsignedReferral(cut: Name): void {
    const { types } = this.#use(this.#matching(cut)!, 'matches the delegation');
    if (!types.has(TYPE.NS)) throw new Bogus('the name is no delegation');
    if (types.has(TYPE.DS) || types.has(TYPE.SOA)) throw new Bogus('the delegation is signed');
  }
}

export function labelsOf(name: Name): number {
  let count = 0;
  for (let p = 0; name[p] !== 0; p += name[p] + 1) count++;
  return count;
}

export const lowerCase = (name: Name): Name => name.map((byte) => LOWER[byte]);
export const nsec3Label = (name: Name): string => chars(lowerCase(name).subarray(1, 1 + name[0]));
