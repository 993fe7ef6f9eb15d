/** The members that a catalog zone lists (RFC 9432). */
import { Steps } from '../../base/steps.ts';
import { isWithin, type Name } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';

/** A record of the catalog. */
interface CatalogRecord {
  readonly name: Name;
  readonly type: number;
  readonly rdata: Uint8Array;
}

export interface Member {
  /** The label of the member in lower case. A new label means that the zone was reset. */
  readonly label: string;
  /** See nameId. Compact, since a catalog may have 100,000 members. */
  readonly apexId: string;
  /** The catalog that takes the zone over (RFC 9432 section 4.3.1), as its nameId; null: none. */
  readonly successorId: string | null;
}

/** The members by the nameId of their apex. */
export type Listed = { readonly members: ReadonlyMap<string, Member> } | { readonly problem: string };

const VERSION = '2';

interface Collected {
  readonly label: string;
  apexId: string;
  successorId: string | null;
  zones: number;
  successors: number;
}

/** Collects the records of a catalog. Unknown records are ignored (section 4.4). */
export class CatalogReader {
  readonly #depth: number;
  readonly #versions: string[] = [];
  readonly #members = new Map<string, Collected>();

  constructor(private readonly catalog: Name) {
    this.#depth = labelsOf(catalog).length;
  }

  add({ name, type, rdata }: CatalogRecord): void {
    if (name.length === this.catalog.length || !isWithin(name, this.catalog)) return;
    const labels = labelsOf(name);
    const own = labels.slice(0, labels.length - this.#depth);
    if (own.length === 1) {
      if (own[0] === 'version' && type === TYPE.TXT) this.#versions.push(textOf(rdata));
      return;
    }
    if (own.at(-1) !== 'zones' || type !== TYPE.PTR) return;
    if (own.length === 2) {
      const member = this.#member(own[0]);
      member.apexId = lowerId(rdata);
      member.zones++;
    } else if (own.length === 3 && own[0] === 'coo') {
      const member = this.#member(own[1]);
      member.successorId = lowerId(rdata);
      member.successors++;
    }
  }

  /**
   * A problem means that the catalog is broken and must not be processed (section 5.1).
   * `steps`: a catalog may have 100,000 members.
   */
  async finish(steps = new Steps()): Promise<Listed> {
    const [version] = this.#versions;
    if (version === undefined) return { problem: 'it has no TXT record at "version"' };
    if (this.#versions.length > 1) return { problem: 'it has several TXT records at "version"' };
    if (version !== VERSION) return { problem: `its version is "${version.slice(0, 20)}", not "${VERSION}"` };
    const members = new Map<string, Member>();
    for (const member of this.#members.values()) {
      await steps.next();
      const { label, apexId, zones, successors } = member;
      // These are properties of a member without a PTR record.
      if (zones === 0) continue;
      if (zones > 1) return { problem: `"${label}.zones" has several PTR records` };
      if (successors > 1) return { problem: `"coo.${label}.zones" has several PTR records` };
      if (members.has(apexId)) return { problem: `two members are the same zone; one is "${label}.zones"` };
      members.set(apexId, member);
    }
    return { members };
  }

  #member(label: string): Collected {
    let member = this.#members.get(label);
    if (member === undefined) {
      member = { label, apexId: '', successorId: null, zones: 0, successors: 0 };
      this.#members.set(label, member);
    }
    return member;
  }
}

/** The nameId of a name in lower case. */
function lowerId(name: Name): string {
  return Buffer.from(name.buffer, name.byteOffset, name.length).toString('latin1').toLowerCase();
}

/** The labels of a name in lower case, as Latin-1, without the root. */
function labelsOf(name: Name): string[] {
  const labels: string[] = [];
  for (let at = 0; name[at] !== 0; at += name[at] + 1)
    labels.push(
      Buffer.from(name.subarray(at + 1, at + 1 + name[at]))
        .toString('latin1')
        .toLowerCase(),
    );
  return labels;
}

/** The strings of a TXT record, joined. */
function textOf(rdata: Uint8Array): string {
  let text = '';
  for (let at = 0; at < rdata.length; at += rdata[at] + 1)
    text += Buffer.from(rdata.subarray(at + 1, at + 1 + rdata[at])).toString('latin1');
  return text;
}
