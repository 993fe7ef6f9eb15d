/**
 * Writes small MaxMind DB files (https://maxmind.github.io/MaxMind-DB/, version 2.0): IPv6 trees
 * with 24-bit records, and IPv4 networks below ::/96.
 */
import { parsePrefix } from '../../core/net/address/index.ts';

export type MmdbValue = string | number | { readonly [key: string]: MmdbValue } | readonly MmdbValue[];

/** See section "Data Field Format". Numbers are written as unsigned 32-bit integers. */
function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  // Arrays have the extended type 11.
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encode)]);
  const entries = Object.entries(value as { readonly [key: string]: MmdbValue });
  return Buffer.concat([control(7, entries.length), ...entries.flatMap((entry) => entry.map(encode))]);
}

/** Sizes from 29 on use an extra byte. */
const control = (type: number, size: number): Buffer =>
  size < 29 ? Buffer.from([(type << 5) | size]) : Buffer.from([(type << 5) | 29, size - 29]);

type Node = [left: Child, right: Child];
/** A number: offset in the data section; null: no data. */
type Child = Node | number | null;

/** Networks must not contain each other. */
export function writeMmdb(networks: Readonly<Record<string, MmdbValue>>): Buffer {
  const data: Buffer[] = [];
  let offset = 0;
  const root: Node = [null, null];
  for (const [text, value] of Object.entries(networks)) {
    insert(root, bitsOf(text), offset);
    const bytes = encode(value);
    data.push(bytes);
    offset += bytes.length;
  }
  const nodes = collect(root);
  const tree = Buffer.alloc(nodes.length * 6);
  nodes.forEach((node, i) => {
    node.forEach((child, side) => {
      const record =
        child === null ? nodes.length : typeof child === 'number' ? nodes.length + 16 + child : nodes.indexOf(child);
      tree.writeUIntBE(record, i * 6 + side * 3, 3);
    });
  });
  const metadata = encode({
    ...{ binary_format_major_version: 2, binary_format_minor_version: 0, build_epoch: 1_700_000_000 },
    ...{ database_type: 'Test', description: { en: 'Test' }, ip_version: 6, languages: ['en'] },
    ...{ node_count: nodes.length, record_size: 24 },
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), metadata]);
}

function bitsOf(network: string): number[] {
  const { bytes, bits } = parsePrefix(network);
  const own = Array.from({ length: bits }, (_, i) => (bytes[i >> 3] >> (7 - (i & 7))) & 1);
  return bytes.length === 4 ? [...new Array<number>(96).fill(0), ...own] : own;
}

function insert(root: Node, bits: readonly number[], offset: number): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const child = node[bit] ?? [null, null];
    if (typeof child === 'number') throw new Error('A network contains another one.');
    node[bit] = child;
    node = child;
  }
  node[bits.at(-1)!] = offset;
}

/** All nodes, the root first. */
function collect(root: Node): Node[] {
  const nodes = [root];
  for (const node of nodes) for (const child of node) if (Array.isArray(child)) nodes.push(child);
  return nodes;
}
