/**
 * Writes the nodes of names into the answers table, and collects the changes for the shared index.
 */
import type { SigningBatch } from '../../dns/dnssec/zone-signer.ts';
import type { Name } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import {
  APEX_LENGTH_AT,
  answerOffset,
  NAME_LENGTH_AT,
  NODE_APEX,
  NODE_CNAME,
  NODE_DELEGATION,
  NODE_FLAGS_AT,
  NODE_HEADER,
  nameOffset,
  OTHERWISE,
  TYPE_COUNT_AT,
  TYPE_ENTRY,
} from '../../store/answers.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, apexKey, nameKey, nameOfKey } from '../../store/keys.ts';

/**
 * A change for the shared index: the new node of a name, or null if the name has no node any more.
 */
export interface NodeChange {
  readonly name: Name;
  readonly node: Buffer | null;
  /** See IndexWriter.put. */
  readonly wasStored: boolean;
}

/** Inside a write transaction. */
export class NodeWriter {
  /** In the order in which the index must apply them. */
  readonly changes: NodeChange[] = [];
  /** Writes to the table in order; null deletes. */
  readonly #writes: { readonly key: Buffer; readonly node: Buffer | null }[] = [];

  constructor(
    private readonly environment: Environment,
    private readonly isAmbiguous: (name: Name) => boolean,
  ) {}

  /** Puts the nodes of a zone and deletes the nodes of all its other names. */
  replaceAll(apex: Name, nodes: readonly (readonly [key: Buffer, node: Buffer])[]): void {
    const { answers } = this.environment;
    const prefix = nameKey(apex);
    const old = new Set<string>();
    const own = apexKey(apex);
    if (answers.doesExist(own)) old.add(own.toString('latin1'));
    for (const { key, value } of answers.getRange({ start: prefix, end: afterPrefix(prefix) }))
      if (value[APEX_LENGTH_AT] === apex.length) old.add((key as Buffer).toString('latin1'));
    for (const [key, node] of nodes) {
      if (old.size > 0) old.delete(key.toString('latin1'));
      this.#putKeyed(key, node);
    }
    for (const id of old) {
      const key = Buffer.from(id, 'latin1');
      this.#remove(key, nameOfKey(key, key[0] === 0 ? 1 : 0, key.length));
    }
  }

  /** The node of a name of the zone; undefined: it has none. */
  read(name: Name, apex: Name): Buffer | undefined {
    const node = this.environment.answers.get(name.length === apex.length ? apexKey(name) : nameKey(name));
    return node?.[APEX_LENGTH_AT] === apex.length ? node : undefined;
  }

  /** Null deletes the node, unless it belongs to another zone. */
  put(name: Name, node: Buffer | null, apex: Name): void {
    const key = name.length === apex.length ? apexKey(name) : nameKey(name);
    if (node !== null) this.#putKeyed(key, node);
    else if (this.environment.answers.get(key)?.[APEX_LENGTH_AT] === apex.length) this.#remove(key, name);
  }

  /** Repeats the writes of `earlier`, which wrote to the same answers and was rolled back. */
  repeat(earlier: NodeWriter): void {
    for (const { key, node } of earlier.#writes)
      if (node !== null) this.#putKeyed(key, node);
      else this.#remove(key, nameOfKey(key, key[0] === 0 ? 1 : 0, key.length));
  }

  /** Replaces placeholders with signatures. */
  fill(batch: SigningBatch): void {
    const written = new Set<Buffer>();
    /** The last node written for each key. */
    const last = new Map<string, Buffer | null>();
    for (const { key, node } of this.#writes) {
      if (node !== null && batch.fill(node)) written.add(node);
      last.set(key.toString('latin1'), node);
    }
    if (written.size === 0) return;
    for (const [id, node] of last)
      if (node !== null && written.has(node)) this.environment.answers.put(Buffer.from(id, 'latin1'), node);
  }

  #putKeyed(key: Buffer, node: Buffer): void {
    const { answers } = this.environment;
    const at = nameOffset(node, 0);
    const name = node.subarray(at, at + node[NAME_LENGTH_AT]);
    const wasStored =
      !this.isAmbiguous(name) || answers.doesExist(key) || (key[0] === 0 && answers.doesExist(nameKey(name)));
    this.#write(key, node);
    this.changes.push({ name, node, wasStored });
  }

  #remove(key: Buffer, name: Name): void {
    this.#write(key, null);
    // The name became the apex of a nested zone, which is compiled before the enclosing zone.
    if (key[0] !== 0 && this.environment.answers.doesExist(apexKey(name))) return;
    this.changes.push({ name, node: null, wasStored: true });
  }

  #write(key: Buffer, node: Buffer | null): void {
    if (node === null) this.environment.answers.remove(key);
    else this.environment.answers.put(key, node);
    this.#writes.push({ key, node });
  }
}

/**
 * The types of a name in a signed zone, as its NSEC3 record lists them (RFC 5155 section 7.1). The
 * types come from the node, since it is what the server answers. Addresses of ALIAS targets are
 * listed even if they are unknown, since caches deny a type that is missing here (RFC 8198).
 */
export function typesOfNode(node: Buffer): number[] {
  const flags = node[NODE_FLAGS_AT];
  // Other types in the node are those of the target.
  if ((flags & NODE_CNAME) !== 0) return [TYPE.CNAME, TYPE.RRSIG];
  if ((flags & NODE_DELEGATION) !== 0)
    return answerOffset(node, 0, TYPE.DS) === 0 ? [TYPE.NS] : [TYPE.NS, TYPE.DS, TYPE.RRSIG];
  const isApex = (flags & NODE_APEX) !== 0;
  const types: number[] = [];
  for (let i = 0; i < node[TYPE_COUNT_AT]; i++) {
    const type = node.readUInt16BE(NODE_HEADER + i * TYPE_ENTRY);
    // The DS of an apex belongs to the parent zone.
    if (type !== OTHERWISE && !(isApex && type === TYPE.DS)) types.push(type);
  }
  // An empty non-terminal has nothing to sign.
  if (types.length > 0) types.push(TYPE.RRSIG);
  return types;
}
