/** Compiles all names of a zone that its primary has signed. */
import type { Steps } from '../../dns/dnssec/zone-signer.ts';
import { type Name, nameId } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, apexKey, idKey, nameKey, nameOfKey, recordKeyParts } from '../../store/keys.ts';
import { type Domain, RECORD_RDATA } from '../../store/rows.ts';
import { compileNode } from '../../zone/compile/compile.ts';
import { MemoryZone } from '../../zone/compile/memory.ts';
import { isHidden, PresignedSigner, PresignedView } from '../../zone/compile/presigned.ts';
import type { PresignedDenial, ZoneSigner } from '../../zone/compile/signer.ts';
import { addRdata } from '../../zone/compile/stored.ts';
import { NO_RRSETS } from '../../zone/compile/view.ts';
import { PresignedChain, type StoredName } from './presigned-chain.ts';

/** Rows read and names compiled per step. */
const STEP_ROWS = 1000;
const STEP_NAMES = 64;

interface PresignedParts {
  readonly domain: Domain;
  readonly denial: PresignedDenial;
  /** The RRsets at the apex as they are served. */
  readonly apexSets: readonly RRset[];
  readonly nested: readonly Name[];
  readonly parentDs: RRset | null;
  readonly parentSigner: ZoneSigner | null;
}

interface CompiledPresigned {
  readonly nodes: readonly [key: Buffer, node: Buffer][];
  /** Entries of the nsec3 table, sorted. */
  readonly entries: readonly Buffer[];
}

/** Compiles the nodes and entries of the zone from its rows. */
export function* compilePresigned(environment: Environment, parts: PresignedParts): Steps<CompiledPresigned> {
  const { domain, denial, apexSets, nested, parentDs, parentSigner } = parts;
  const { apex } = domain;
  const names: StoredName[] = [{ name: apex, sets: apexSets }];
  for (const read of readNames(environment, domain)) {
    names.push(...read);
    yield;
  }
  const zone = new MemoryZone(apex, [], nested, parentDs);
  const signatures = new Map<string, readonly RRset[]>();
  for (const [i, { name, sets }] of names.entries()) {
    if (i % STEP_ROWS === STEP_ROWS - 1) yield;
    const hidden = sets.filter(({ type }) => type === TYPE.RRSIG);
    if (hidden.length > 0) signatures.set(nameId(name), hidden);
    for (const { type, ttl, rdatas } of sets)
      if (!isHidden(type)) zone.add(rdatas.map((rdata) => ({ name, type, ttl, rdata })));
  }
  zone.sort();
  yield;
  const signer = new PresignedSigner(denial, (owner) => signatures.get(nameId(owner)) ?? NO_RRSETS);
  const view = new PresignedView(zone);
  const nodes: [Buffer, Buffer][] = [];
  let count = 0;
  for (const name of zone.names()) {
    const node = compileNode(view, name, signer, parentSigner);
    if (node !== null) nodes.push([name.length === apex.length ? apexKey(name) : nameKey(name), node]);
    if (++count % STEP_NAMES === 0) yield;
  }
  const entries = yield* new PresignedChain(environment, domain, denial).encodeAll(names);
  return { nodes, entries };
}

/** Reads all names of a zone below its apex, in canonical order, in pieces. */
function* readNames(environment: Environment, { id, apex }: Domain): Generator<StoredName[]> {
  const end = afterPrefix(idKey(id));
  let start: Buffer | null = idKey(id);
  let owner: { name: Name; sets: { type: number; ttl: number; rdatas: Uint8Array[] }[] } | null = null;
  let lastKey: Buffer = Buffer.alloc(0);
  let lastEnd = 0;
  while (start !== null) {
    const found: StoredName[] = [];
    let rows = 0;
    const from: Buffer = start;
    start = null;
    for (const { key, value } of environment.records.getRange({ start: from, end, limit: STEP_ROWS })) {
      const k = key as Buffer;
      const { nameEnd, type } = recordKeyParts(k);
      if (owner === null || nameEnd !== lastEnd || k.compare(lastKey, 0, lastEnd, 0, nameEnd) !== 0) {
        owner = { name: nameOfKey(k, 8, nameEnd), sets: [] };
        lastEnd = nameEnd;
        if (owner.name.length !== apex.length) found.push(owner);
      }
      lastKey = k;
      addRdata(owner.sets, type, value.readUInt32BE(0), value.subarray(RECORD_RDATA));
      if (++rows === STEP_ROWS) start = Buffer.concat([k, Uint8Array.of(0)]);
    }
    yield found;
  }
}
