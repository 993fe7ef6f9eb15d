/**
 * Zones compiled into a shared index in this process, and the query path over it: the daemon
 * without sockets and store.
 */
import { MessageChannel } from 'node:worker_threads';
import { nsec3Owner, nsec3Rdata } from '../../core/dns/dnssec/nsec3.ts';
import type { Signer } from '../../core/dns/dnssec/zone-signer.ts';
import { equalNames, isWithin, type Name, nameId, ROOT } from '../../core/dns/wire/name.ts';
import type { RRset } from '../../core/dns/wire/types.ts';
import { RCODE, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { typesOfNode } from '../../core/journal/apply/node-writer.ts';
import { PresignedChain } from '../../core/journal/apply/presigned-chain.ts';
import { Client, TRANSPORT } from '../../core/net/address/client.ts';
import { IndexWriter } from '../../core/store/index/writer.ts';
import { nameKey } from '../../core/store/keys.ts';
import { encodeEntry, entryOf } from '../../core/store/nsec3-entries.ts';
import { IndexReader, type NodeStore } from '../../core/zone/answer/index-reader.ts';
import { DEFERRED, Responder } from '../../core/zone/answer/responder.ts';
import { AliasedZone, UNRESOLVED } from '../../core/zone/compile/aliased.ts';
import { negativeTtl } from '../../core/zone/compile/answer-parts.ts';
import { compileNode } from '../../core/zone/compile/compile.ts';
import { HintedZone } from '../../core/zone/compile/hinted.ts';
import { MemoryZone } from '../../core/zone/compile/memory.ts';
import { denialOf, PresignedSigner, PresignedView } from '../../core/zone/compile/presigned.ts';
import { ProxiedZone } from '../../core/zone/compile/proxied.ts';
import { addRdata } from '../../core/zone/compile/stored.ts';
import { findType, type ZoneRRset, type ZoneView } from '../../core/zone/compile/view.ts';
import type { Aliases } from '../reference/alias.ts';
import { type AnswerFunction, TCP_LIMIT, UDP_LIMIT } from '../reference/compare.ts';
import { CLUSTER, isWeb, type Proxies, withOrigin } from '../reference/proxy.ts';
import type { Zones } from '../reference/resolver.ts';

const ARENA = 4 << 20;
const NO_STORE = { refresh: () => {}, fetch: () => 0, fetchEntry: () => 0 };

/**
 * The query path over an index with an external writer. `store`: nodes that do not fit into the
 * arena.
 */
export class QueryPath {
  readonly #reader: IndexReader;
  readonly #responder: Responder;
  readonly #client = new Client();
  readonly #buffer = new Uint8Array(TCP_LIMIT + 64);

  constructor(index: IndexWriter, store: NodeStore = NO_STORE) {
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    port2.unref();
    this.#reader = new IndexReader(index.share(port1), 1, port2, store);
    this.#responder = new Responder(this.#reader, UDP_LIMIT);
  }

  /**
   * See AnswerFunction. Does not modify the packet. Deferred queries are refused, since no thread
   * handles them.
   */
  readonly answer: AnswerFunction = (packet, limit) => {
    this.#buffer.set(packet);
    this.#reader.enter();
    this.#client.transport = limit === TCP_LIMIT ? TRANSPORT.TCP : TRANSPORT.UDP;
    let length = this.#responder.respond(this.#buffer, 0, packet.length, this.#client);
    if (length === DEFERRED) length = this.#responder.refuse(RCODE.REFUSED);
    this.#reader.leave();
    return length === 0 ? null : this.#buffer.slice(0, length);
  };
}

/** Compiles and serves whole zones from memory. */
export class InProcess {
  readonly #writer = new IndexWriter(ARENA);
  #loaded: Name[] = [];
  /** Ids of signed domains. */
  #signed: number[] = [];
  readonly answer = new QueryPath(this.#writer).answer;

  /** Replaces all zones by one presigned zone. */
  loadSigned(records: readonly ResourceRecord[]): void {
    this.load(new Map());
    const { nodes, entries } = compileSigned(records);
    for (const [name, node] of nodes) {
      this.#writer.put(node, false);
      this.#loaded.push(name);
    }
    if (entries.length > 0) {
      this.#writer.denial.replaceAll(1, apexOf(records), entries);
      this.#signed.push(1);
    }
    this.#writer.publish();
  }

  /**
   * Replaces all zones. Removed names leave used slots, so that the index is rebuilt after several
   * loads. `signers`: of signed zones, whose records include their key records.
   */
  load(
    zones: Zones,
    proxies: Proxies = new Map(),
    aliases: Aliases = new Map(),
    signers: ReadonlyMap<string, Signer> = new Map(),
  ): void {
    for (const name of this.#loaded) this.#writer.remove(name);
    for (const id of this.#signed) this.#writer.denial.replaceAll(id, ROOT, []);
    this.#loaded = [];
    this.#signed = [];
    const all = [...zones].map(([key, records]) => ({
      apex: apexOf(records),
      records,
      proxy: proxies.get(key),
      signer: signers.get(key) ?? null,
    }));
    for (const { apex, records, proxy, signer } of all) {
      const nested = all.map((other) => other.apex).filter((other) => isBelow(other, apex));
      const flagged = withOrigin(records, proxy?.origin).map((record) => ({
        ...record,
        proxied: (isWeb(record) ? proxy?.flags.get(nameId(record.name)) : null) ?? null,
      }));
      const zone = new MemoryZone(apex, flagged, nested, parentDs(apex, all));
      const aliased = new AliasedZone(zone, (target) => answersOf(aliases, target));
      const view = new HintedZone(proxy?.enabled === true ? new ProxiedZone(aliased, CLUSTER) : aliased);
      const nodes: [Name, Buffer][] = [];
      for (const name of zone.names()) {
        const node = compileNode(view, name, signer);
        if (node === null) continue;
        this.#writer.put(node, false);
        this.#loaded.push(name);
        nodes.push([name, node]);
      }
      if (signer === null) continue;
      const id = this.#signed.push(this.#signed.length + 1);
      this.#writer.denial.replaceAll(id, apex, entriesOf(view, nodes, signer));
    }
    this.#writer.publish();
  }
}

/** Nodes and entries of a presigned zone. */
export function compileSigned(
  records: readonly ResourceRecord[],
  nested: readonly Name[] = [],
): { readonly nodes: [Name, Buffer][]; readonly entries: readonly Buffer[] } {
  const apex = apexOf(records);
  const names = new Map<string, { name: Name; sets: { type: number; ttl: number; rdatas: Uint8Array[] }[] }>();
  for (const { name, type, ttl, rdata } of [...records].sort((a, b) => a.type - b.type)) {
    const id = nameId(name);
    if (!names.has(id)) names.set(id, { name, sets: [] });
    addRdata(names.get(id)!.sets, type, ttl, rdata);
  }
  const setsAt = (name: Name) => names.get(nameId(name))?.sets ?? [];
  const denial = denialOf(setsAt(apex))!;
  const isShown = ({ type }: ResourceRecord): boolean => type !== TYPE.RRSIG && type !== TYPE.NSEC3;
  const zone = new MemoryZone(apex, records.filter(isShown), nested);
  const signer = new PresignedSigner(denial, setsAt);
  const view = new PresignedView(zone);
  const nodes: [Name, Buffer][] = [];
  for (const name of zone.names()) {
    const node = compileNode(view, name, signer);
    if (node !== null) nodes.push([name, node]);
  }
  const sorted = [...names.values()].sort((a, b) => Buffer.compare(nameKey(a.name), nameKey(b.name)));
  const steps = new PresignedChain(undefined as never, { id: 1, apex }, denial).encodeAll(sorted);
  for (let step = steps.next(); ; step = steps.next())
    if (step.done === true) return { nodes, entries: step.value.map(entryOf) };
}

/** The NSEC3 entries of a zone, sorted. */
export function entriesOf(view: ZoneView, nodes: readonly (readonly [Name, Buffer])[], signer: Signer): Buffer[] {
  const { apex } = view;
  const ttl = negativeTtl(findType(view.rrsets(apex), TYPE.SOA)!);
  const links = nodes.map(([name, node]) => ({ hash: signer.hash(name), types: typesOfNode(node) }));
  links.sort((a, b) => Buffer.compare(a.hash, b.hash));
  return links.map(({ hash, types }, i) => {
    const next = links[(i + 1) % links.length].hash;
    const set = { type: TYPE.NSEC3, ttl, rdatas: [nsec3Rdata(next, types)] };
    return entryOf(encodeEntry(hash, set, signer.sign(nsec3Owner(hash, apex), set, hash), ROOT));
  });
}

function answersOf(aliases: Aliases, target: Name): readonly ZoneRRset[] {
  const state = aliases.get(nameId(target));
  if (state === undefined) return UNRESOLVED;
  const { a, aaaa, ttl } = state;
  const set = (type: number, rdatas: readonly Uint8Array[] | null): ZoneRRset[] =>
    rdatas?.length === 0 ? [] : [{ type, ttl, rdatas: rdatas ?? [] }];
  return [...set(TYPE.A, a), ...set(TYPE.AAAA, aaaa)];
}

interface Loaded {
  readonly apex: Name;
  readonly records: readonly ResourceRecord[];
}

/**
 * The DS set at the apex in the closest parent zone; null if a delegation or DNAME of that zone is
 * above the apex.
 */
function parentDs(apex: Name, all: readonly Loaded[]): RRset | null {
  const parent = all.filter((other) => isBelow(apex, other.apex)).sort((a, b) => b.apex.length - a.apex.length)[0];
  if (parent === undefined) return null;
  const isOccluded = parent.records.some(
    ({ name, type }) =>
      isBelow(apex, name) && (type === TYPE.DNAME || (type === TYPE.NS && !equalNames(name, parent.apex))),
  );
  const set = parent.records.filter(({ name, type }) => type === TYPE.DS && equalNames(name, apex));
  if (isOccluded || set.length === 0) return null;
  return { type: TYPE.DS, ttl: set[0].ttl, rdatas: set.map(({ rdata }) => rdata).sort(Buffer.compare) };
}

function apexOf(records: readonly ResourceRecord[]): Name {
  return records.find((record) => record.type === TYPE.SOA)!.name;
}

function isBelow(name: Name, above: Name): boolean {
  return isWithin(name, above) && !equalNames(name, above);
}
