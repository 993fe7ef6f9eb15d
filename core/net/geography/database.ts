/**
 * Reads a MaxMind database (https://maxmind.github.io/MaxMind-DB/) into the ranges of `Places`. The
 * search tree is walked once, in steps, so that the thread can do other work.
 */
import { type CountryResponse, Reader } from 'mmdb-lib';
import { formatAddress } from '../address/index.ts';
import { placeOf } from './place.ts';
import { PlacesWriter } from './places.ts';

/** Nodes visited between two steps. */
const STEP = 20_000;
/** Bits of an address that decide; of an IPv6 /64 with several places none is known. */
const IPV4_BITS = 32;
const IPV6_BITS = 64;

/** The fields of a record that decide. Databases of cities have them, too. */
type Response = CountryResponse & { readonly continent?: { readonly code?: string } };

/** Throws for a file in another format, or with too many ranges. Each step takes some ms. */
export function* readPlaces(file: Buffer, shared: SharedArrayBuffer): Generator<void> {
  const walker = new TreeWalker(file);
  const writer = new PlacesWriter(shared);
  yield* walker.walk(walker.ipv4Root, IPV4_BITS, -1, (high, _low, place) => writer.add4(high, place));
  if (walker.isIpv6)
    yield* walker.walk(0, IPV6_BITS, walker.ipv4Node, (high, low, place) => writer.add6(high, low, place));
  writer.publish();
}

class TreeWalker {
  readonly isIpv6: boolean;
  /** The record that all IPv4 addresses are below. */
  readonly ipv4Root: number;
  readonly #reader: Reader<Response>;
  readonly #file: Buffer;
  readonly #nodes: number;
  readonly #nodeBytes: number;
  /** By record. Many networks have one record. */
  readonly #places = new Map<number, number>();

  constructor(file: Buffer) {
    this.#file = file;
    this.#reader = new Reader<Response>(file);
    const { nodeCount, nodeByteSize, ipVersion } = this.#reader.metadata;
    this.#nodes = nodeCount;
    this.#nodeBytes = nodeByteSize;
    this.isIpv6 = ipVersion === 6;
    this.ipv4Root = 0;
    if (this.isIpv6)
      for (let i = 0; i < 96 && this.ipv4Root < nodeCount; i++) this.ipv4Root = this.#child(this.ipv4Root, 0);
  }

  /** The same, if it is a node of the tree; -1: all IPv4 addresses have one place. */
  get ipv4Node(): number {
    return this.ipv4Root < this.#nodes ? this.ipv4Root : -1;
  }

  /**
   * Reports the ranges below a record in ascending order. `depth`: bits of an address. `excluded`:
   * a record whose addresses are unknown here: IPv4 addresses, also under their other prefixes.
   */
  *walk(
    root: number,
    depth: number,
    excluded: number,
    report: (high: number, low: number, place: number) => void,
  ): Generator<void> {
    // Entries of the path: a record, and the address at which it starts.
    const records = [root];
    const highs = [0];
    const lows = [0];
    const levels = [0];
    for (let visited = 0; records.length > 0; visited++) {
      if (visited % STEP === STEP - 1) yield;
      const record = records.pop()!;
      const high = highs.pop()!;
      const low = lows.pop()!;
      const level = levels.pop()!;
      if (record === excluded || record >= this.#nodes || level === depth) {
        report(high, low, record === excluded ? 0 : this.#place(record, high, low, depth));
        continue;
      }
      const highBit = level < 32 ? 1 << (31 - level) : 0;
      const lowBit = level < 32 ? 0 : 1 << (63 - level);
      records.push(this.#child(record, 1), this.#child(record, 0));
      highs.push(high | highBit, high);
      lows.push(low | lowBit, low);
      levels.push(level + 1, level + 1);
    }
  }

  /** The place at an address; 0 for a record that is still a node: it has several. */
  #place(record: number, high: number, low: number, depth: number): number {
    if (record <= this.#nodes) return 0;
    let place = this.#places.get(record);
    if (place === undefined) {
      const found = this.#reader.get(addressOf(high, low, depth));
      const country = found?.country?.iso_code ?? found?.registered_country?.iso_code ?? '';
      place = placeOf(country, found?.continent?.code ?? '');
      this.#places.set(record, place);
    }
    return place;
  }

  #child(node: number, side: 0 | 1): number {
    const file = this.#file;
    const at = node * this.#nodeBytes;
    if (this.#nodeBytes === 6) return file.readUIntBE(at + 3 * side, 3);
    if (this.#nodeBytes === 8) return file.readUInt32BE(at + 4 * side);
    const middle = file[at + 3];
    return side === 0
      ? (middle >>> 4) * 0x1000000 + file.readUIntBE(at, 3)
      : (middle & 15) * 0x1000000 + file.readUIntBE(at + 4, 3);
  }
}

function addressOf(high: number, low: number, depth: number): string {
  const bytes = Buffer.alloc(depth === IPV4_BITS ? 4 : 16);
  bytes.writeInt32BE(high);
  if (bytes.length > 4) bytes.writeInt32BE(low, 4);
  return formatAddress(bytes);
}
