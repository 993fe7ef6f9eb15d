/** A secondary of a signed zone: transfers it, counts what changes, and checks every signature. */
import { equalNames, formatName, isWithin, type Name, nameId, parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import { isSigned } from '../../core/dns/dnssec/reference.ts';
import { queryTcp } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { recordText, serialOf, transferOver, transferRequest } from '../../support/transfer-client.ts';

/** That are shown. */
const MAX_FAULTS = 5;

/** Of a refresh. */
export interface Changes {
  /** Signatures that were replaced, without those over the SOA, of which each serial has one. */
  readonly replaced: number;
  readonly isIncremental: boolean;
}

export class Secondary {
  readonly #zone: string;
  /** By their text. */
  #records = new Map<string, ResourceRecord>();
  /** Signatures with what they sign. */
  #verified = new Set<string>();

  /** `zone`: name with the last dot. */
  constructor(zone: string) {
    this.#zone = zone;
  }

  get records(): readonly ResourceRecord[] {
    return [...this.#records.values()];
  }

  /** All records as text, sorted. */
  get text(): string[] {
    return [...this.#records.keys()].sort();
  }

  get signatures(): number {
    return this.records.filter(({ type }) => type === TYPE.RRSIG).length;
  }

  get serial(): number {
    return serialOf(this.records.find(({ type }) => type === TYPE.SOA)!);
  }

  /** By IXFR, if the zone was transferred before. */
  async refresh(port: number): Promise<Changes> {
    const isFirst = this.#records.size === 0;
    if (!isFirst && (await this.#serialAt(port)) === this.serial) return { replaced: 0, isIncremental: true };
    const received = await transferOver(port, transferRequest(this.#zone, isFirst ? undefined : this.serial));
    if (received[1].type === TYPE.SOA) return { replaced: this.#apply(received.slice(1, -1)), isIncremental: true };
    const before = this.#records;
    this.#records = new Map(received.slice(0, -1).map((record) => [recordText(record), record]));
    const removed = [...before].filter(([text, record]) => isCounted(record) && !this.#records.has(text));
    return { replaced: removed.length, isIncremental: false };
  }

  async #serialAt(port: number): Promise<number> {
    const query = { name: parseName(this.#zone), type: TYPE.SOA, class: CLASS_IN };
    const [response] = await queryTcp(port, [encodeQuery(query, 1)]);
    return serialOf(decodeMessage(response).answer[0]);
  }

  /** Differences: each SOA turns from what is removed to what is added, or back. */
  #apply(differences: readonly ResourceRecord[]): number {
    let isAdding = true;
    let replaced = 0;
    for (const record of differences) {
      if (record.type === TYPE.SOA) isAdding = !isAdding;
      const text = recordText(record);
      if (isAdding === this.#records.has(text))
        throw new Error(`${isAdding ? 'added although it is there' : 'removed although it is not there'}: ${text}`);
      if (isAdding) this.#records.set(text, record);
      else this.#records.delete(text);
      if (!isAdding && isCounted(record)) replaced++;
    }
    return replaced;
  }

  /**
   * What is wrong with the signatures at a time: each is valid then and for `seconds` more, and
   * every RRset has one of a key of the zone.
   */
  faults(now: number, seconds: number): string[] {
    const { records } = this;
    const keys = records.filter(({ type }) => type === TYPE.DNSKEY).map(({ rdata }) => rdata);
    const sets = new Map<string, ResourceRecord[]>();
    for (const record of records) {
      const id =
        record.type === TYPE.RRSIG ? signaturesOf(record.name, coveredBy(record)) : setOf(record.name, record.type);
      const set = sets.get(id);
      if (set === undefined) sets.set(id, [record]);
      else set.push(record);
    }
    const cuts = records.filter(({ name, type }) => type === TYPE.NS && formatName(name) !== this.#zone);
    /** What is at a delegation or below belongs to another zone. */
    const isBelow = (name: Name, type: number): boolean =>
      cuts.some((cut) => isWithin(name, cut.name) && !(type === TYPE.DS && equalNames(name, cut.name)));
    const faults: string[] = [];
    const verified = new Set<string>();
    for (const set of sets.values()) {
      const [{ name, type, ttl }] = set;
      if (type === TYPE.RRSIG || isBelow(name, type)) continue;
      const signatures = sets.get(signaturesOf(name, type)) ?? [];
      if (signatures.length === 0) faults.push(`no signature: ${recordText(set[0])}`);
      for (const signature of signatures) {
        const times = Buffer.from(signature.rdata);
        if (times.readUInt32BE(12) > now || times.readUInt32BE(8) <= now + seconds)
          faults.push(`not valid at ${now}: ${recordText(signature)}`);
        const id = [signature, ...set].map(recordText).join('\n');
        verified.add(id);
        const rrset = { owner: name, type, ttl, rdatas: set.map(({ rdata }) => rdata) };
        if (!this.#verified.has(id) && !keys.some((key) => isSigned(rrset, signature.rdata, key)))
          faults.push(`bogus: ${recordText(signature)}`);
      }
    }
    for (const [{ name, type, rdata }] of sets.values())
      if (type === TYPE.RRSIG && !sets.has(setOf(name, coveredBy({ rdata }))))
        faults.push(`a signature of nothing at ${formatName(name)}`);
    this.#verified = verified;
    return faults.slice(0, MAX_FAULTS);
  }
}

const setOf = (name: Name, type: number): string => `set ${type} ${nameId(name)}`;
const signaturesOf = (name: Name, type: number): string => `signatures ${type} ${nameId(name)}`;
const coveredBy = ({ rdata }: Pick<ResourceRecord, 'rdata'>): number => (rdata[0] << 8) | rdata[1];
const isCounted = (record: ResourceRecord): boolean => record.type === TYPE.RRSIG && coveredBy(record) !== TYPE.SOA;
