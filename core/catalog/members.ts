/** The members that a catalog zone lists (RFC 9432). */
import { Steps } from '../base/steps.ts';
import { isWithin, type Name, nameAt, nameId } from '../wire/name.ts';
import { TYPE } from '../wire/types.ts';

/** A record of the catalog. */
export interface CatalogRecord {
  readonly name: Name;
  readonly type: number;
  readonly rdata: Uint8Array;
}

export interface Member {
  /** The label that tells one life of the zone from another, as it was written, in lower case. */
  readonly label: string;
  readonly apex: Name;
  /** The catalog that takes the zone over (RFC 9432 section 4.3.1); null: none. */
  readonly successor: Name | null;
  /** Texts by which members are grouped (RFC 9432 section 4.3.2). */
  readonly groups: readonly string[];
}

export type Listed = { readonly members: readonly Member[] } | { readonly problem: string };

const VERSION = '2';

/** Collects the records of a catalog. Those without a meaning are ignored (section 4.4). */
export class CatalogReader {
  readonly #catalog: Name;
  readonly #depth: number;
  readonly #versions: string[] = [];
  readonly #members = new Map<string, { apexes: Name[]; successors: Name[]; groups: string[] }>();

  constructor(catalog: Name) {
    this.#catalog = catalog;
    this.#depth = labelsOf(catalog).length;
  }

  add({ name, type, rdata }: CatalogRecord): void {
    if (name.length === this.#catalog.length || !isWithin(name, this.#catalog)) return;
    const labels = labelsOf(name);
    const own = labels.slice(0, labels.length - this.#depth);
    if (own.length === 1) {
      if (own[0] === 'version' && type === TYPE.TXT) this.#versions.push(textOf(rdata));
      return;
    }
    if (own.at(-1) !== 'zones') return;
    if (own.length === 2 && type === TYPE.PTR) this.#member(own[0]).apexes.push(nameAt(rdata, 0));
    else if (own.length === 3 && own[0] === 'coo' && type === TYPE.PTR)
      this.#member(own[1]).successors.push(nameAt(rdata, 0));
    else if (own.length === 3 && own[0] === 'group' && type === TYPE.TXT)
      this.#member(own[1]).groups.push(textOf(rdata));
  }

  /**
   * A problem means that the catalog is broken: nothing of it must be processed (section 5.1).
   * `steps`: a catalog may have 100,000 members.
   */
  async finish(steps = new Steps()): Promise<Listed> {
    const [version] = this.#versions;
    if (version === undefined) return { problem: 'it has no TXT record at "version"' };
    if (this.#versions.length > 1) return { problem: 'it has several TXT records at "version"' };
    if (version !== VERSION) return { problem: `its version is "${version.slice(0, 20)}", not "${VERSION}"` };
    const members: Member[] = [];
    const seen = new Set<string>();
    for (const [label, { apexes, successors, groups }] of this.#members) {
      await steps.next();
      // Properties of a member that does not exist.
      if (apexes.length === 0) continue;
      if (apexes.length > 1) return { problem: `"${label}.zones" has several PTR records` };
      if (successors.length > 1) return { problem: `"coo.${label}.zones" has several PTR records` };
      const [apex] = apexes;
      const id = nameId(apex);
      if (seen.has(id)) return { problem: `two members are the same zone; one is "${label}.zones"` };
      seen.add(id);
      members.push({ label, apex, successor: successors[0] ?? null, groups: groups.sort() });
    }
    return { members };
  }

  #member(label: string) {
    let member = this.#members.get(label);
    if (member === undefined) {
      member = { apexes: [], successors: [], groups: [] };
      this.#members.set(label, member);
    }
    return member;
  }
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
