/**
 * Zones that carry the signatures of another server, and what is answered from them by RFC 4035
 * section 3.1 and RFC 5155 section 7.2: read off the list of records for each question. Signatures
 * here are bytes that no key has made; only which of them are sent is judged.
 */

import {
  equalNames,
  isWithin,
  LOWER,
  MAX_NAME,
  type Name,
  nameAt,
  nameId,
  parentName,
} from '../../core/dns/wire/name.ts';
import { RCODE, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { nameKey } from '../../core/store/keys.ts';
import { nsec3Hash } from '../core/dns/dnssec/reference.ts';
import { nameOf } from '../support/names.ts';
import { base32, bitmapOf, isCutIn, namesOf } from './denial.ts';
import { type Expected, type Query, resolve } from './resolver.ts';

export interface SigningChoice {
  readonly denial: 'nsec' | 'nsec3';
  readonly iterations: number;
  readonly salt: Uint8Array;
  readonly isOptOut: boolean;
  /** Signatures of each RRset. */
  readonly keys: number;
}

const KEY = Uint8Array.from([1, 1, 3, 13, ...new Array(64).fill(7)]);

/** A zone as a primary signs it. `records`: without DNSSEC. */
export function presign(records: readonly ResourceRecord[], choice: SigningChoice): ResourceRecord[] {
  const soa = records.find(({ type }) => type === TYPE.SOA)!;
  const apex = soa.name;
  const { iterations, salt } = choice;
  const parameters = Uint8Array.from([1, 0, iterations >> 8, iterations & 255, salt.length, ...salt]);
  const atApex = (type: number, rdata: Uint8Array): ResourceRecord => ({ name: apex, type, ttl: 3600, rdata });
  const all = [...records, atApex(TYPE.DNSKEY, KEY), atApex(TYPE.CDNSKEY, KEY)];
  if (choice.denial === 'nsec3') all.push(atApex(TYPE.NSEC3PARAM, parameters));
  const ttl = Math.min(soa.ttl, Buffer.from(soa.rdata).readUInt32BE(soa.rdata.length - 4));
  const names = [...namesOf(all).values()];
  const isInsecure = (name: Name): boolean =>
    isCutIn(all, apex, name) && !all.some((other) => other.type === TYPE.DS && equalNames(other.name, name));
  const denials: ResourceRecord[] = [];
  if (choice.denial === 'nsec') {
    const owners = names
      .filter(({ types }) => types.size > 0)
      .sort((a, b) => Buffer.compare(nameKey(a.name), nameKey(b.name)));
    owners.forEach(({ name, types }, i) => {
      const next = owners[(i + 1) % owners.length].name;
      const bitmap = Buffer.from(bitmapOf(new Set([...types, TYPE.NSEC, TYPE.RRSIG])), 'hex');
      denials.push({ name, type: TYPE.NSEC, ttl, rdata: Uint8Array.from([...next, ...bitmap]) });
    });
  } else {
    const secure = names.filter(({ name, types }) => types.size > 0 && !isInsecure(name));
    const linked = choice.isOptOut
      ? names.filter(({ name }) => secure.some((other) => isWithin(other.name, name)))
      : names;
    const links = linked
      .map(({ name, types }) => ({ hash: nsec3Hash(name, iterations, salt), types }))
      .sort((a, b) => Buffer.compare(a.hash, b.hash));
    links.forEach(({ hash, types }, i) => {
      const rdata = [1, choice.isOptOut ? 1 : 0, ...parameters.subarray(2), 20, ...links[(i + 1) % links.length].hash];
      const bitmap = Buffer.from(bitmapOf(types), 'hex');
      denials.push({
        name: nameOf([base32(hash)], apex),
        type: TYPE.NSEC3,
        ttl,
        rdata: Uint8Array.from([...rdata, ...bitmap]),
      });
    });
  }
  const visible = [...visibleSets(all, apex), ...setsOf(denials)];
  return [...all, ...denials, ...visible.flatMap((set) => signaturesOver(set, apex, choice.keys))];
}

/** The RRsets that are signed (RFC 4035 section 2.2). */
function visibleSets(records: readonly ResourceRecord[], apex: Name): ResourceRecord[][] {
  const names = namesOf(records);
  return setsOf(records).filter(([{ name, type }]) => {
    if (names.get(nameId(name))?.types.has(type) !== true) return false;
    return type !== TYPE.NS || !isCutIn(records, apex, name);
  });
}

function setsOf(records: readonly ResourceRecord[]): ResourceRecord[][] {
  const sets = new Map<string, ResourceRecord[]>();
  for (const record of records) {
    const id = `${nameId(record.name)} ${record.type}`;
    sets.set(id, [...(sets.get(id) ?? []), record]);
  }
  return [...sets.values()];
}

function signaturesOver([{ name, type, ttl }]: readonly ResourceRecord[], apex: Name, keys: number): ResourceRecord[] {
  return Array.from({ length: keys }, (_, key) => {
    const rdata = Buffer.alloc(18);
    rdata.writeUInt16BE(type, 0);
    rdata[2] = 13;
    rdata[3] = labelsOf(name);
    rdata.writeUInt32BE(ttl, 4);
    rdata.writeUInt16BE(key, 16);
    const signature = nsec3Hash(name, 0, Buffer.of(type >> 8, type, key));
    return { name, type: TYPE.RRSIG, ttl, rdata: Uint8Array.from([...rdata, ...apex, ...signature]) };
  });
}

function labelsOf(name: Name): number {
  let labels = 0;
  for (let p = 0; name[p] !== 0; p += name[p] + 1) labels++;
  return name[1] === 0x2a && name[0] === 1 ? labels - 1 : labels;
}

const isOfDnssec = ({ type }: ResourceRecord): boolean =>
  type === TYPE.RRSIG || type === TYPE.NSEC || type === TYPE.NSEC3;
const coveredBy = ({ rdata }: ResourceRecord): number => (rdata[0] << 8) | rdata[1];
const lowerCase = (name: Name): Name => name.map((byte) => LOWER[byte]);

/** A zone as `presign` has made it, for questions. */
export class PresignedReference {
  readonly #records: readonly ResourceRecord[];
  readonly #plain: readonly ResourceRecord[];
  readonly #apex: Name;
  readonly #choice: SigningChoice;
  readonly #names: ReturnType<typeof namesOf>;

  constructor(records: readonly ResourceRecord[], choice: SigningChoice) {
    this.#records = records;
    this.#plain = records.filter((record) => !isOfDnssec(record));
    this.#apex = records.find(({ type }) => type === TYPE.SOA)!.name;
    this.#choice = choice;
    this.#names = namesOf(this.#plain);
  }

  /** What is answered over TCP. Queries for RRSIG and NSEC are others' to judge. */
  answer(query: Query): Expected {
    const expected = resolve(new Map([['', this.#plain]]), query);
    if (query.edns?.do !== true || expected.rcode === RCODE.REFUSED) return expected;
    const proofs = this.#proofs(query, expected);
    const answer = [...expected.answer, ...setsOf(expected.answer).flatMap((set) => this.#signaturesOf(set, expected))];
    const authority = [...expected.authority];
    if (expected.referral) authority.push(...this.#at(expected.authority[0].name, TYPE.DS));
    for (const set of setsOf(authority))
      if (!(expected.referral && set[0].type === TYPE.NS)) authority.push(...this.#signaturesOf(set, expected));
    for (const { name, type } of proofs) {
      const here = this.#at(name, TYPE.RRSIG).filter((record) => coveredBy(record) === type);
      authority.push(...this.#at(name, type), ...here);
    }
    return { ...expected, answer, authority, additional: expected.referral ? expected.additional : [] };
  }

  #at(name: Name, type: number): ResourceRecord[] {
    return this.#records.filter((record) => record.type === type && equalNames(record.name, name));
  }

  #signaturesOf([{ name, type, ttl }]: readonly ResourceRecord[], { answer }: Expected): ResourceRecord[] {
    // The CNAME that a DNAME made is not signed (RFC 6672 section 5.3.1).
    const isMade = (dname: ResourceRecord): boolean =>
      dname.type === TYPE.DNAME && isWithin(name, dname.name) && !equalNames(name, dname.name);
    if (type === TYPE.CNAME && answer.some(isMade)) return [];
    const source = this.#sourceOf(name) ?? name;
    return this.#at(source, TYPE.RRSIG)
      .filter((record) => coveredBy(record) === type)
      .map((record) => ({ ...record, name, ttl }));
  }

  #exists(name: Name): boolean {
    return this.#names.has(nameId(name));
  }

  #encloserOf(name: Name): Name {
    let above = parentName(name);
    while (!this.#exists(above)) above = parentName(above);
    return above;
  }

  /** The name itself, or the wildcard that stands for it. */
  #sourceOf(name: Name): Name | undefined {
    if (this.#exists(name)) return name;
    const encloser = this.#encloserOf(name);
    const wildcard = nameOf(['*'], encloser);
    return wildcard.length <= MAX_NAME && this.#exists(wildcard) ? wildcard : undefined;
  }

  /** The records that prove what the answer says, each once. */
  #proofs(query: Query, { answer, authority, rcode, referral }: Expected): ResourceRecord[] {
    const proofs: (ResourceRecord | undefined)[] = [];
    let name = lowerCase(query.name);
    const isAnswer = query.type === TYPE.CNAME || query.type === TYPE.ANY;
    const passed = new Set<string>();
    for (;;) {
      if (passed.has(nameId(name)) || !isWithin(name, this.#apex)) break;
      const dname = answer.find(
        (record) => record.type === TYPE.DNAME && isWithin(name, record.name) && !equalNames(name, record.name),
      );
      const cname = answer.find((record) => record.type === TYPE.CNAME && equalNames(record.name, name));
      const isLast = cname === undefined || (isAnswer && dname === undefined);
      // Names that are in the answer, or end it, may be made from a wildcard.
      const isMade = !this.#exists(name) && dname === undefined && !(isLast && referral);
      const isSent = !isLast || answer.some((record) => equalNames(record.name, name));
      if (isMade && isSent && this.#sourceOf(name) !== undefined) proofs.push(this.#expansion(name));
      if (isLast || cname === undefined) break;
      if (isAnswer) break;
      passed.add(nameId(name));
      name = cname.rdata;
    }
    if (rcode === RCODE.NXDOMAIN) proofs.push(...this.#nameError(name));
    else if (referral) {
      const cut = authority[0].name;
      if (this.#at(cut, TYPE.DS).length === 0) proofs.push(...this.#matching(cut));
    } else if (authority.some(({ type }) => type === TYPE.SOA)) proofs.push(...this.#noData(name));
    return [...new Set(proofs.filter((record) => record !== undefined))];
  }

  // RFC 4035 section 3.1.3 and RFC 5155 section 7.2

  #noData(name: Name): (ResourceRecord | undefined)[] {
    const source = this.#sourceOf(name);
    if (source === undefined || equalNames(source, name)) return this.#matching(name);
    const rest = [this.#expansion(name), ...this.#matching(source)];
    return this.#choice.denial === 'nsec' ? rest : [...rest, this.#match(parentName(source))];
  }

  #expansion(name: Name): ResourceRecord | undefined {
    if (this.#choice.denial === 'nsec') return this.#nsecAt(name);
    return this.#cover(this.#nextCloser(name, this.#encloserOf(name)));
  }

  #nameError(name: Name): (ResourceRecord | undefined)[] {
    const encloser = this.#encloserOf(name);
    if (this.#choice.denial === 'nsec') {
      const wildcard = nameOf(['*'], encloser);
      return [this.#nsecAt(name), wildcard.length > MAX_NAME ? undefined : this.#nsecAt(wildcard)];
    }
    let provable = encloser;
    while (this.#match(provable) === undefined) provable = parentName(provable);
    const wildcard = nameOf(['*'], provable);
    return [
      this.#match(provable),
      this.#cover(this.#nextCloser(name, provable)),
      wildcard.length > MAX_NAME ? undefined : this.#cover(wildcard),
    ];
  }

  /** The record of a name, or in an opt-out span that of its closest provable encloser. */
  #matching(name: Name): (ResourceRecord | undefined)[] {
    if (this.#choice.denial === 'nsec') return [this.#nsecAt(name)];
    const match = this.#match(name);
    if (match !== undefined) return [match];
    let provable = parentName(name);
    while (this.#match(provable) === undefined) provable = parentName(provable);
    return [this.#match(provable), this.#cover(this.#nextCloser(name, provable))];
  }

  #nextCloser(name: Name, encloser: Name): Name {
    let next = name;
    while (!equalNames(parentName(next), encloser)) next = parentName(next);
    return next;
  }

  /** The NSEC that matches or covers a name. */
  #nsecAt(name: Name): ResourceRecord | undefined {
    const before = this.#records
      .filter((record) => record.type === TYPE.NSEC && Buffer.compare(nameKey(record.name), nameKey(name)) <= 0)
      .sort((a, b) => Buffer.compare(nameKey(a.name), nameKey(b.name)));
    return before.at(-1);
  }

  #labelOf(name: Name): string {
    return base32(nsec3Hash(name, this.#choice.iterations, this.#choice.salt));
  }

  #match(name: Name): ResourceRecord | undefined {
    const owner = nameOf([this.#labelOf(name)], this.#apex);
    return this.#records.find((record) => record.type === TYPE.NSEC3 && equalNames(record.name, owner));
  }

  #cover(name: Name): ResourceRecord | undefined {
    const label = this.#labelOf(name);
    const chain = this.#records
      .filter(({ type }) => type === TYPE.NSEC3)
      .map((record) => ({ record, own: Buffer.from(record.name.subarray(1, 33)).toString('latin1') }))
      .sort((a, b) => (a.own < b.own ? -1 : 1));
    return (chain.filter(({ own }) => own <= label).at(-1) ?? chain.at(-1))?.record;
  }
}

/** Where the name of a record leads, for questions. */
export const targetAt = (record: ResourceRecord): Name => nameAt(record.rdata, 0);
