/**
 * Compiles one owner name of a zone to its node (store/answers.ts). docs/internals/answers.md has
 * the rules.
 */

import { ASKED, Body, type Owner, type QuestionForm } from '../../dns/wire/body.ts';
import {
  equalNames,
  isWildcard,
  MAX_NAME,
  type Name,
  nextCloser,
  parentName,
  wildcardOf,
} from '../../dns/wire/name.ts';
import { RCODE, type RRset, TYPE } from '../../dns/wire/types.ts';
import {
  ANSWER_AA,
  ANSWER_NEGATIVE,
  ANSWER_SOA,
  ANSWER_STALE,
  type Answer,
  DENIAL,
  encodeNode,
  MAX_NODE,
  NODE_APEX,
  NODE_CNAME,
  NODE_DELEGATION,
  NODE_DNAME,
  NODE_HAS_BELOW,
  NODE_HAS_WILDCARD,
  NODE_PRESIGNED,
  NODE_SIGNED,
  OTHERWISE,
  type SignedPart,
} from '../../store/answers.ts';
import { type Additional, NO_ADDITIONAL, writeAdditional } from './additional.ts';
import { FAILURE, finish, glue, NO_AUTHORITY, negative, referral, start } from './answer-parts.ts';
import { type Chain, follow, type Link } from './chain.ts';
import type { ZoneSigner } from './signer.ts';
import { exists, findType, type ZoneRRset, type ZoneView } from './view.ts';
import { walk } from './walk.ts';

/** Null: the chain is followed at query time. */
type Answers = [type: number, answer: Answer | null][];

/**
 * Maximum bytes of one answer, and of all answers, that an alias copies from its target. Without a
 * limit, ten thousand aliases would multiply a large name by ten thousand. Beyond it, the chain is
 * followed at query time.
 */
const ALIAS_ANSWER = 2048;
const ALIAS_NODE = 8192;

/**
 * Compiles the node of a name. Null: the name does not exist or is occluded, so its closest
 * encloser answers. `signer`, `parentSigner`: null if the zone or its parent zone is not signed.
 */
export function compileNode(
  view: ZoneView,
  name: Name,
  signer: ZoneSigner | null = null,
  parentSigner: ZoneSigner | null = null,
): Buffer | null {
  const outcome = walk(view, name);
  switch (outcome.kind) {
    case 'found': {
      const compiler = new Compiler(view, signer, name);
      return equalNames(name, view.apex) ? compiler.apex(outcome.sets, parentSigner) : compiler.found(outcome.sets);
    }
    case 'delegation':
      return equalNames(name, outcome.cut) ? new Compiler(view, signer, name).cut(outcome.sets) : null;
    case 'wildcard':
    case 'dname':
    case 'missing':
    case 'outside':
      return null;
    default:
      return outcome satisfies never;
  }
}

/** The content of an answer. */
interface Plan {
  readonly rcode?: number;
  readonly flags: number;
  readonly answer: readonly Link[];
  /** The zone cut of a referral, and the RRsets of the parent side there. */
  readonly referral?: { readonly cut: Name; readonly sets: readonly RRset[] };
  readonly additional?: (body: Body) => Additional;
  /** Names whose nonexistence or types NSEC3 records must prove. */
  readonly proofs?: readonly Name[];
}

/** Compiles the node of one name. */
class Compiler {
  readonly #view: ZoneView;
  readonly #signer: ZoneSigner | null;
  readonly #name: Name;
  readonly #form: QuestionForm;

  constructor(view: ZoneView, signer: ZoneSigner | null, name: Name) {
    this.#view = view;
    this.#signer = signer;
    this.#name = name;
    this.#form = isWildcard(name) ? 'wildcard' : 'exact';
  }

  found(sets: readonly ZoneRRset[]): Buffer {
    const cname = findType(sets, TYPE.CNAME);
    const answers =
      cname === undefined
        ? sets.flatMap((set) => answersOf(set, () => this.#positive(set))).sort(byType)
        : cname.steering !== undefined
          ? this.#steeredAlias(cname)
          : this.#chained(cname, findType(sets, TYPE.NSEC));
    return this.#node(this.#nameFlags(sets), answers);
  }

  /** Chains end at a steered CNAME: clients ask for its target. So all types have one answer. */
  #steeredAlias(cname: ZoneRRset): Answers {
    const answer = this.#positive(cname);
    return [
      [OTHERWISE, answer],
      [TYPE.CNAME, answer],
    ];
  }

  apex(sets: readonly ZoneRRset[], parentSigner: ZoneSigner | null): Buffer {
    const { parentDs } = this.#view;
    const name = this.#name;
    const soa = findType(sets, TYPE.SOA)!;
    const answers: Answers = [
      [OTHERWISE, negative(name, soa, this.#signer?.isComplete === true ? this.#signer : null)],
    ];
    for (const set of sets) {
      // The DS of a parent zone of ours, not a DS in the zone file, answers for the name.
      if (set.type === TYPE.DS && parentDs !== null) continue;
      answers.push(...answersOf(set, () => (set === soa ? start(name, soa, this.#signer) : this.#positive(set))));
    }
    if (parentDs !== null) answers.push([TYPE.DS, this.#positive(parentDs, parentSigner)]);
    answers.sort(byType);
    return this.#node(NODE_APEX | this.#nameFlags(sets), answers);
  }

  /** The parent side of a zone cut: a referral, and the DS (RFC 4035 3.1.4.1). */
  cut(sets: readonly RRset[]): Buffer {
    const cut = this.#name;
    const answers: Answers = [[OTHERWISE, this.#render({ flags: 0, answer: [], referral: { cut, sets } }, 'suffix')]];
    const ds = findType(sets, TYPE.DS);
    if (ds !== undefined) answers.push([TYPE.DS, this.#positive(ds)]);
    return this.#node(NODE_DELEGATION | NODE_HAS_BELOW, answers);
  }

  /**
   * Encodes a node of at most MAX_NODE bytes. If it is larger, its largest answers become SERVFAIL,
   * since NODATA would claim that the type does not exist.
   */
  #node(flags: number, answers: Answers): Buffer {
    const name = this.#name;
    const { length } = this.#view.apex;
    const hashes = this.#hashes(flags);
    const signedFlags = this.#signer?.denial === undefined ? NODE_SIGNED : NODE_SIGNED | NODE_PRESIGNED;
    const all = hashes === undefined ? flags : flags | signedFlags;
    let node = encodeNode(all, name, length, answers, hashes);
    if (node.length <= MAX_NODE) return node;
    const kept = [...answers];
    const largestFirst = [...kept.keys()].sort((a, b) => bodySize(kept[b][1]) - bodySize(kept[a][1]));
    for (const i of largestFirst) {
      const [type, answer] = kept[i];
      kept[i] = [type, type === OTHERWISE ? FAILURE : failureOf(answer)];
      node = encodeNode(all, name, length, kept, hashes);
      if (node.length <= MAX_NODE) break;
    }
    return node;
  }

  #hashes(flags: number): Uint8Array | undefined {
    const signer = this.#signer;
    const name = this.#name;
    if (signer === null) return undefined;
    if (signer.denial !== undefined) return presignedHashes(signer, name, flags);
    if ((flags & NODE_HAS_BELOW) === 0) return signer.hash(name);
    // A name with no room for a wildcard below has none for other names either.
    const wildcard = name.length + 2 > MAX_NAME ? name : wildcardOf(name);
    return Buffer.concat([signer.hash(name), signer.hash(wildcard)]);
  }

  #nameFlags(sets: readonly RRset[]): number {
    const view = this.#view;
    const name = this.#name;
    let flags = 0;
    if (findType(sets, TYPE.CNAME) !== undefined) flags |= NODE_CNAME;
    if (findType(sets, TYPE.DNAME) !== undefined) flags |= NODE_DNAME | NODE_HAS_BELOW;
    if (!view.hasBelow(name)) return flags;
    flags |= NODE_HAS_BELOW;
    if (name.length + 2 > MAX_NAME) return flags;
    const wildcard = wildcardOf(name);
    return exists(view, wildcard) ? flags | NODE_HAS_WILDCARD : flags;
  }

  /** A positive answer: the RRset and additional records. */
  #positive(set: ZoneRRset, signer = this.#signer): Answer {
    const name = this.#name;
    const plan: Plan = {
      flags: flagsOf(set),
      answer: [{ owner: ASKED, set, source: name }],
      additional: (body) => writeAdditional(this.#view, body, ASKED, name, set),
    };
    const answer = this.#render(plan, this.#form, signer);
    if (answer === FAILURE) return signer !== null ? this.#failure(set, signer) : answer;
    if (set.steering === undefined) return answer;
    const { table, variants } = set.steering;
    return { ...answer, steering: { table, variants: variants.map((variant) => this.#positive(variant, signer)) } };
  }

  /**
   * SERVFAIL for an RRset that does not fit into a message. Its signatures are kept for transfers.
   */
  #failure(set: RRset, signer: ZoneSigner): Answer {
    const body = new Body(this.#name, this.#form);
    const ancount = write(body, ASKED, signer.sign(this.#name, set));
    const { content: signatures, moves } = body;
    return { ...FAILURE, signed: { ...NO_SIGNED_RECORDS, ancount, moves, signatures } };
  }

  #render(plan: Plan, form = this.#form, signer = this.#signer): Answer {
    const answer = this.#plain(plan, form);
    if (signer === null || answer === FAILURE) return answer;
    return { ...answer, signed: this.#signed(plan, form, signer) };
  }

  #plain({ rcode, flags, answer, referral: cut, additional }: Plan, form: QuestionForm): Answer {
    const view = this.#view;
    const body = new Body(this.#name, form);
    const ancount = writeLinks(body, answer);
    const authority = cut === undefined ? NO_AUTHORITY : referral(view, body, cut.cut, cut.sets);
    return finish(body, rcode ?? RCODE.NOERROR, flags, ancount, authority, additional?.(body) ?? NO_ADDITIONAL);
  }

  /**
   * Renders an answer with signatures and proofs (RFC 4035 section 3.1), and without additional
   * records other than glue.
   */
  #signed({ answer, referral: cut, proofs = [] }: Plan, form: QuestionForm, signer: ZoneSigner): SignedPart {
    const body = new Body(this.#name, form);
    const proven = proofs.map((name) => signer.hash(name));
    let ancount = writeLinks(body, answer);
    let kept = body.size;
    let nscount = 0;
    let arcount = 0;
    for (const { owner, set, source } of answer)
      if (source !== null) ancount += write(body, owner, signer.sign(source, set));
    let tailAt = body.size;
    if (cut !== undefined) {
      const ns = findType(cut.sets, TYPE.NS)!;
      const ds = findType(cut.sets, TYPE.DS);
      nscount += write(body, cut.cut, ns);
      if (answer.length === 0) kept = body.size;
      if (ds !== undefined) nscount += write(body, cut.cut, ds) + write(body, cut.cut, signer.sign(cut.cut, ds));
      else proven.push(signer.hash(cut.cut));
      tailAt = body.size;
      arcount = glue(this.#view, body, ns);
    }
    const content = body.content;
    const moves = body.moves.filter((move) => move >= kept).map((move) => move - kept);
    const signatures = content.subarray(kept, tailAt);
    return { kept, ancount, nscount, arcount, moves, proofs: proven, signatures, tail: content.subarray(tailAt) };
  }

  /**
   * The answers at a CNAME: the chain, then the data of its last name, for each type. `nsec`: of a
   * presigned zone, the only other RRset of such a name (RFC 4035 section 2.5).
   */
  #chained(cname: RRset, nsec: RRset | undefined): Answers {
    const view = this.#view;
    const name = this.#name;
    const form = this.#form;
    const chain = follow(view, name, cname);
    const { links, terminal, absent } = chain;
    const own: Answers[number] = [TYPE.CNAME, this.#positive(cname)];
    const ownAnswers: Answers = nsec === undefined ? [own] : [own, [TYPE.NSEC, this.#positive(nsec)]];
    if (chain.dependsOnName) return [[OTHERWISE, null], ...ownAnswers];
    // The query path finds proofs of a presigned zone by name, for each query.
    const isWalked = this.#signer?.denial !== undefined && needsProofs(chain);
    if (isWalked) return [[OTHERWISE, null], ...ownAnswers];
    const answers: Answers = [[OTHERWISE, this.#chainEnd(chain)], ...ownAnswers];
    if (terminal.kind === 'sets') {
      const isApex = equalNames(terminal.owner, view.apex);
      const aliases = links.map(({ owner }) => owner).filter((owner) => owner !== ASKED);
      if (form === 'exact') aliases.push(name);
      for (const set of terminal.sets) {
        if (set.type === TYPE.NSEC) continue;
        if (set.type === TYPE.ALIAS || set.rdatas.length === 0) {
          answers.push(...answersOf(set, () => null));
          continue;
        }
        if (dataSize(set) > ALIAS_ANSWER) {
          answers.push([set.type, null]);
          continue;
        }
        if (set.type === TYPE.SOA && isApex) {
          answers.push([TYPE.SOA, this.#render({ flags: ANSWER_AA | ANSWER_SOA, answer: links, proofs: absent })]);
          continue;
        }
        // If the chain has passed the DNAME of its last name, the answer has that RRset already.
        if (links.some((link) => link.set === set && link.owner !== ASKED && equalNames(link.owner, terminal.owner))) {
          answers.push([set.type, this.#render({ flags: ANSWER_AA, answer: links, proofs: absent })]);
          continue;
        }
        // Clients ask for the name itself, and each gets its own variant.
        if (set.steering !== undefined) {
          const proofs = terminal.source === terminal.owner ? absent : absent.slice(0, -1);
          answers.push([set.type, this.#render({ flags: ANSWER_AA, answer: links, proofs })]);
          continue;
        }
        const { owner, source } = terminal;
        let hasAlias = false;
        const answer = this.#render({
          flags: flagsOf(set),
          answer: [...links, { owner, set, source }],
          additional(body) {
            const additional = writeAdditional(view, body, owner, owner, set, aliases);
            hasAlias = additional.hasAlias;
            return additional;
          },
          proofs: absent,
        });
        // An alias in the additional section may be the queried name itself, which the answer
        // section already has.
        answers.push([set.type, form === 'wildcard' && hasAlias ? null : answer]);
      }
    }
    if (terminal.kind === 'delegation' && equalNames(terminal.owner, terminal.cut)) {
      const { owner } = terminal;
      const set = findType(terminal.sets, TYPE.DS);
      answers.push([
        TYPE.DS,
        set === undefined
          ? this.#render({ flags: ANSWER_AA | ANSWER_NEGATIVE, answer: links, proofs: [...absent, owner] })
          : this.#render({ flags: ANSWER_AA, answer: [...links, { owner, set, source: owner }], proofs: absent }),
      ]);
    }
    answers.sort(byType);
    let kept = 0;
    return answers.map(([type, answer]) => {
      const size = answer === null ? 0 : answer.body.length + (answer.signed?.signatures.length ?? 0);
      if (type === TYPE.CNAME || type === TYPE.NSEC) return [type, answer];
      if (size > ALIAS_ANSWER || kept + size > ALIAS_NODE) return [type, null];
      kept += size;
      return [type, answer];
    });
  }

  /**
   * The answer for types that the last name of the chain does not have. Its response code is that
   * of the last name (RFC 6604).
   */
  #chainEnd({ links: answer, terminal, absent }: Chain): Answer | null {
    const isNegative = ANSWER_AA | ANSWER_NEGATIVE;
    switch (terminal.kind) {
      case 'sets': {
        if (this.#signer?.denial !== undefined) return null;
        const { owner, source } = terminal;
        // RFC 5155 sections 7.2.3 and 7.2.5.
        const proofs = source === owner ? [...absent, source] : [...absent, source, parentName(source)];
        return this.#render({ flags: isNegative, answer, proofs });
      }
      case 'missing': {
        const { owner } = terminal;
        const proofs = this.#signer === null ? absent : [...absent, ...this.#denied(owner)];
        return this.#render({ rcode: RCODE.NXDOMAIN, flags: isNegative, answer, proofs });
      }
      case 'too-long':
        return this.#render({ rcode: RCODE.YXDOMAIN, flags: ANSWER_AA, answer, proofs: absent });
      case 'end':
        return this.#render({ flags: ANSWER_AA, answer, proofs: absent });
      case 'delegation': {
        const { cut, sets } = terminal;
        if (dataSize(findType(sets, TYPE.NS)!) > ALIAS_ANSWER) return null;
        return this.#render({ flags: ANSWER_AA, answer, referral: { cut, sets }, proofs: absent });
      }
      default:
        return terminal satisfies never;
    }
  }

  /**
   * The names that prove that a name does not exist: its closest encloser, the next closer name,
   * and the wildcard (RFC 5155 section 7.2.2).
   */
  #denied(name: Name): Name[] {
    let encloser = parentName(name);
    while (encloser.length > this.#view.apex.length && !exists(this.#view, encloser)) encloser = parentName(encloser);
    const proofs = [encloser, nextCloser(name, encloser)];
    if (encloser.length + 2 <= MAX_NAME) proofs.push(wildcardOf(encloser));
    return proofs;
  }
}

/**
 * The data from which the query path finds proofs of a presigned zone: see store/answers.ts. With
 * NSEC, proofs are found by name.
 */
function presignedHashes(signer: ZoneSigner, name: Name, flags: number): Buffer {
  const denial = signer.denial!;
  const isApex = (flags & NODE_APEX) !== 0;
  if (denial.kind !== 'nsec3') return Buffer.of(denial.kind === 'nsec' ? DENIAL.NSEC : DENIAL.NONE);
  const parts = [Buffer.of(DENIAL.NSEC3), signer.hash(name)];
  if ((flags & NODE_HAS_BELOW) !== 0) parts.push(signer.hash(name.length + 2 > MAX_NAME ? name : wildcardOf(name)));
  if (isApex) {
    const { iterations, salt } = denial.hashing;
    parts.push(Buffer.of(iterations >>> 8, iterations & 0xff, salt.length), salt);
  }
  return Buffer.concat(parts);
}

/** Whether answers of the chain need NSEC or NSEC3 records, for any type. */
function needsProofs({ absent, terminal }: Chain): boolean {
  return absent.length > 0 || terminal.kind === 'missing' || terminal.kind === 'delegation';
}

const byType = (a: Answers[number], b: Answers[number]): number => a[0] - b[0];

/**
 * The answers of an RRset. ALIAS itself is never sent; its addresses are in RRsets of their own.
 * Unknown addresses cause SERVFAIL, since NODATA would claim that there are none.
 */
function answersOf(set: ZoneRRset, answer: () => Answer | null): Answers {
  if (set.type === TYPE.ALIAS) return [];
  return [[set.type, set.rdatas.length === 0 ? FAILURE : answer()]];
}

/** Bytes of the body of an answer, and of those of its variants. */
const bodySize = (answer: Answer | null): number =>
  (answer?.body.length ?? 0) + (answer?.steering?.variants ?? []).reduce((sum, { body }) => sum + body.length, 0);

/** Replaces an answer by SERVFAIL. Only its signatures are kept, for transfers. */
function failureOf(answer: Answer | null): Answer {
  if (answer?.signed === undefined) return FAILURE;
  const { ancount, moves, signatures } = answer.signed;
  return {
    ...FAILURE,
    signed: { ...NO_SIGNED_RECORDS, ancount: ancount - answer.ancount, moves, signatures },
  };
}

const NO_SIGNED_RECORDS: SignedPart = {
  kept: 0,
  ancount: 0,
  nscount: 0,
  arcount: 0,
  moves: [],
  proofs: [],
  signatures: new Uint8Array(0),
  tail: new Uint8Array(0),
};

function flagsOf({ isStale }: ZoneRRset): number {
  return isStale === true ? ANSWER_AA | ANSWER_STALE : ANSWER_AA;
}

function dataSize(set: RRset): number {
  return set.rdatas.reduce((sum, rdata) => sum + rdata.length + 12, 0);
}

/** Writes RRsets. Returns the number of records. */
function writeLinks(body: Body, links: readonly Link[]): number {
  let count = 0;
  for (const { owner, set } of links) count += write(body, owner, set);
  return count;
}

function write(body: Body, owner: Owner, set: RRset): number {
  body.rrset(owner, set);
  return set.rdatas.length;
}
