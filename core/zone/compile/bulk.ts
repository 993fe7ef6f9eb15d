/**
 * The nodes of a zone in one buffer, so that another thread can compile them and transfer them
 * without a copy. Format: any number of { key length u16, node length u32, name key, node }.
 */

import { equalNames, type Name } from '../../dns/wire/name.ts';
import { nameKey } from '../../store/keys.ts';
import { compileNode } from './compile.ts';
import type { ZoneView } from './view.ts';

const HEAD = 6;

/**
 * Compiles all nodes except the apex, which has the serial and is compiled when the change is
 * applied. `view`: what the names serve, if it differs from the records of the zone.
 */
export function compileZone(zone: ZoneView & { names(): Iterable<Name> }, view: ZoneView = zone): Uint8Array {
  let out = Buffer.allocUnsafeSlow(64 * 1024);
  let length = 0;
  for (const name of zone.names()) {
    if (equalNames(name, zone.apex)) continue;
    const node = compileNode(view, name);
    if (node === null) continue;
    const key = nameKey(name);
    const size = HEAD + key.length + node.length;
    if (length + size > out.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, length + size));
      larger.set(out.subarray(0, length));
      out = larger;
    }
    out.writeUInt16BE(key.length, length);
    out.writeUInt32BE(node.length, length + 2);
    out.set(key, length + HEAD);
    out.set(node, length + HEAD + key.length);
    length += size;
  }
  return out.subarray(0, length);
}

export interface KeyedNode {
  readonly key: Buffer;
  readonly node: Buffer;
}

/** Reads the nodes of a buffer of compileZone, as views. */
export function* readNodes(bytes: Uint8Array): Iterable<KeyedNode> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < buffer.length; ) {
    const keyEnd = at + HEAD + buffer.readUInt16BE(at);
    const end = keyEnd + buffer.readUInt32BE(at + 2);
    yield { key: buffer.subarray(at + HEAD, keyEnd), node: buffer.subarray(keyEnd, end) };
    at = end;
  }
}
