/**
 * The compiler: one owner name of a zone ─► its node (store/answers.ts). The rules are in docs/internals/answers.md.
 */
import {
  ANSWER_AA,
  ANSWER_NEGATIVE,
  ANSWER_SOA,
  ANSWER_STALE,
  type Answer,
  encodeNode,
  MAX_NODE,
  NODE_APEX,
  NODE_CNAME,
  NODE_DELEGATION,
  NODE_DNAME,
  NODE_HAS_BELOW,
  NODE_HAS_WILDCARD,
  OTHERWISE,
} from '../store/answers.ts';
import { ASKED, Body, type QuestionForm } from '../wire/body.ts';
import { equalNames, isWildcard, MAX_NAME, type Name, wildcardOf } from '../wire/name.ts';
import { RCODE, type RRset, TYPE } from '../wire/types.ts';
import { NO_ADDITIONAL, writeAdditional } from './additional.ts';
import { FAILURE, finish, NO_AUTHORITY, negative, referral, start } from './answer-parts.ts';
import { type Chain, follow } from './chain.ts';
import { exists, findType, type ZoneRRset, type ZoneView } from './view.ts';
import { walk } from './walk.ts';

/** Null: the chain is walked when it is asked for. */
type Answers = [type: number, answer: Answer | null][];

/**
 * Bytes of one answer, and of all, that an alias keeps of the name that it leads to. Each alias has a copy, so without a bound ten
 * thousand of them would multiply one large name by ten thousand; past it the chain is walked when it is asked for.
 */
const ALIAS_ANSWER = 2048;
const ALIAS_NODE = 8192;

/** The node of a name, or null when the name does not exist or is occluded (then its closest encloser answers). */
export function compileNode(view: ZoneView, name: Name): Buffer | null {
  const outcome = walk(view, name);
  switch (outcome.kind) {
    case 'found':
      return equalNames(name, view.apex) ? compileApex(view, outcome.sets) : compileFound(view, name, outcome.sets);
    case 'delegation':
      return equalNames(name, outcome.cut) ? compileCut(view, name, outcome.sets) : null;
    case 'wildcard':
    case 'dname':
    case 'missing':
    case 'outside':
      return null;
    default:
      return outcome satisfies never;
  }
}

function compileFound(view: ZoneView, name: Name, sets: readonly ZoneRRset[]): Buffer {
  const form: QuestionForm = isWildcard(name) ? 'wildcard' : 'exact';
  const cname = findType(sets, TYPE.CNAME);
  const answers =
    cname === undefined
      ? sets.flatMap((set) => answersOf(set, () => positive(view, name, form, set))).sort(byType)
      : chained(view, name, form, cname);
  return sized(nameFlags(view, name, sets), name, view.apex.length, answers);
}

const byType = (a: Answers[number], b: Answers[number]): number => a[0] - b[0];

/** What an RRset answers. ALIAS is never sent itself: the addresses that it stands for are beside it. Of those that are not known, no answer is better than "there are none". */
function answersOf(set: ZoneRRset, answer: () => Answer | null): Answers {
  if (set.type === TYPE.ALIAS) return [];
  return [[set.type, set.rdatas.length === 0 ? FAILURE : answer()]];
}

/**
 * A node of at most MAX_NODE bytes: the largest answers become SERVFAIL. NODATA instead would say
 * that the type does not exist.
 */
function sized(flags: number, name: Name, apexLength: number, answers: Answers): Buffer {
  let node = encodeNode(flags, name, apexLength, answers);
  if (node.length <= MAX_NODE) return node;
  const kept = [...answers];
  const sizeOf = (i: number): number => kept[i][1]?.body.length ?? 0;
  const largestFirst = [...kept.keys()].sort((a, b) => sizeOf(b) - sizeOf(a));
  for (const i of largestFirst) {
    kept[i] = [kept[i][0], FAILURE];
    node = encodeNode(flags, name, apexLength, kept);
    if (node.length <= MAX_NODE) break;
  }
  return node;
}

function compileApex(view: ZoneView, sets: readonly ZoneRRset[]): Buffer {
  const soa = findType(sets, TYPE.SOA)!;
  const answers: Answers = [[OTHERWISE, negative(view.apex, soa)]];
  for (const set of sets) {
    // The DS of a parent zone of ours, not a DS in the zone file, answers for the name.
    if (set.type === TYPE.DS && view.parentDs !== null) continue;
    answers.push(
      ...answersOf(set, () => (set === soa ? start(view.apex, soa) : positive(view, view.apex, 'exact', set))),
    );
  }
  if (view.parentDs !== null) answers.push([TYPE.DS, positive(view, view.apex, 'exact', view.parentDs)]);
  answers.sort(byType);
  return sized(NODE_APEX | nameFlags(view, view.apex, sets), view.apex, view.apex.length, answers);
}

/** A zone cut seen from above: a referral, and the DS that the parent side owns (RFC 4035 3.1.4.1). */
function compileCut(view: ZoneView, cut: Name, sets: readonly RRset[]): Buffer {
  const body = new Body(cut, 'suffix');
  const answers: Answers = [
    [OTHERWISE, finish(body, RCODE.NOERROR, 0, 0, referral(view, body, cut, sets), NO_ADDITIONAL)],
  ];
  const ds = findType(sets, TYPE.DS);
  if (ds !== undefined) answers.push([TYPE.DS, positive(view, cut, 'exact', ds)]);
  return sized(NODE_DELEGATION | NODE_HAS_BELOW, cut, view.apex.length, answers);
}

function nameFlags(view: ZoneView, name: Name, sets: readonly RRset[]): number {
  let flags = 0;
  if (findType(sets, TYPE.CNAME) !== undefined) flags |= NODE_CNAME;
  if (findType(sets, TYPE.DNAME) !== undefined) flags |= NODE_DNAME | NODE_HAS_BELOW;
  if (!view.hasBelow(name)) return flags;
  flags |= NODE_HAS_BELOW;
  if (name.length + 2 > MAX_NAME) return flags;
  const wildcard = wildcardOf(name);
  return exists(view, wildcard) ? flags | NODE_HAS_WILDCARD : flags;
}

/** The RRset, with what goes with it. */
function positive(view: ZoneView, name: Name, form: QuestionForm, set: ZoneRRset): Answer {
  const body = new Body(name, form);
  body.rrset(ASKED, set);
  const additional = writeAdditional(view, body, ASKED, name, set);
  return finish(body, RCODE.NOERROR, flagsOf(set), set.rdatas.length, NO_AUTHORITY, additional);
}

function flagsOf({ isStale }: ZoneRRset): number {
  return isStale === true ? ANSWER_AA | ANSWER_STALE : ANSWER_AA;
}

/** What each type answers at a CNAME: the chain, then the last name's data of that type. */
function chained(view: ZoneView, name: Name, form: QuestionForm, cname: RRset): Answers {
  const chain = follow(view, name, cname);
  const { terminal } = chain;
  const own: Answers[number] = [TYPE.CNAME, positive(view, name, form, cname)];
  if (chain.dependsOnName) return [[OTHERWISE, null], own];
  const answers: Answers = [[OTHERWISE, chainEnd(view, name, form, chain)], own];
  if (terminal.kind === 'sets') {
    const isApex = equalNames(terminal.owner, view.apex);
    const aliases = chain.links.map(({ owner }) => owner).filter((owner) => owner !== ASKED);
    if (form === 'exact') aliases.push(name);
    for (const set of terminal.sets) {
      if (set.type === TYPE.ALIAS || set.rdatas.length === 0) {
        answers.push(...answersOf(set, () => null));
        continue;
      }
      if (dataSize(set) > ALIAS_ANSWER) {
        answers.push([set.type, null]);
        continue;
      }
      const body = new Body(name, form);
      const ancount = links(body, chain);
      if (set.type === TYPE.SOA && isApex) {
        answers.push([
          TYPE.SOA,
          finish(body, RCODE.NOERROR, ANSWER_AA | ANSWER_SOA, ancount, NO_AUTHORITY, NO_ADDITIONAL),
        ]);
        continue;
      }
      // The last name may own a DNAME that the chain went through: each RRset stands in an answer once.
      if (
        chain.links.some((link) => link.set === set && link.owner !== ASKED && equalNames(link.owner, terminal.owner))
      ) {
        answers.push([set.type, finish(body, RCODE.NOERROR, ANSWER_AA, ancount, NO_AUTHORITY, NO_ADDITIONAL)]);
        continue;
      }
      body.rrset(terminal.owner, set);
      const additional = writeAdditional(view, body, terminal.owner, terminal.owner, set, aliases);
      // One of them may be that of the name asked, for which the wildcard stood: then it is in the answer.
      if (form === 'wildcard' && additional.hasAlias) {
        answers.push([set.type, null]);
        continue;
      }
      answers.push([
        set.type,
        finish(body, RCODE.NOERROR, flagsOf(set), ancount + set.rdatas.length, NO_AUTHORITY, additional),
      ]);
    }
  }
  if (terminal.kind === 'delegation' && equalNames(terminal.owner, terminal.cut)) {
    const ds = findType(terminal.sets, TYPE.DS);
    if (ds !== undefined) answers.push([TYPE.DS, chainedSet(name, form, chain, terminal.owner, ds)]);
    else answers.push([TYPE.DS, chainOnly(name, form, chain, RCODE.NOERROR, ANSWER_NEGATIVE)]);
  }
  answers.sort(byType);
  let kept = 0;
  return answers.map(([type, answer]) => {
    const size = answer?.body.length ?? 0;
    if (type === TYPE.CNAME) return [type, answer];
    if (size > ALIAS_ANSWER || kept + size > ALIAS_NODE) return [type, null];
    kept += size;
    return [type, answer];
  });
}

function dataSize(set: RRset): number {
  return set.rdatas.reduce((sum, rdata) => sum + rdata.length + 12, 0);
}

function chainedSet(name: Name, form: QuestionForm, chain: Chain, owner: Name, set: RRset): Answer {
  const body = new Body(name, form);
  const ancount = links(body, chain);
  body.rrset(owner, set);
  return finish(body, RCODE.NOERROR, ANSWER_AA, ancount + set.rdatas.length, NO_AUTHORITY, NO_ADDITIONAL);
}

function chainOnly(name: Name, form: QuestionForm, chain: Chain, rcode: number, flags: number): Answer {
  const body = new Body(name, form);
  return finish(body, rcode, ANSWER_AA | flags, links(body, chain), NO_AUTHORITY, NO_ADDITIONAL);
}

/** The answer when the last name has no data of the type asked. Its code is that name's (RFC 6604). */
function chainEnd(view: ZoneView, name: Name, form: QuestionForm, chain: Chain): Answer | null {
  const { terminal } = chain;
  switch (terminal.kind) {
    case 'sets':
      return chainOnly(name, form, chain, RCODE.NOERROR, ANSWER_NEGATIVE);
    case 'missing':
      return chainOnly(name, form, chain, RCODE.NXDOMAIN, ANSWER_NEGATIVE);
    case 'too-long':
      return chainOnly(name, form, chain, RCODE.YXDOMAIN, 0);
    case 'end':
      return chainOnly(name, form, chain, RCODE.NOERROR, 0);
    case 'delegation': {
      if (dataSize(findType(terminal.sets, TYPE.NS)!) > ALIAS_ANSWER) return null;
      const body = new Body(name, form);
      const ancount = links(body, chain);
      return finish(
        body,
        RCODE.NOERROR,
        ANSWER_AA,
        ancount,
        referral(view, body, terminal.cut, terminal.sets),
        NO_ADDITIONAL,
      );
    }
    default:
      return terminal satisfies never;
  }
}

/** Writes the chain's records; returns how many. */
function links(body: Body, chain: Chain): number {
  let count = 0;
  for (const { owner, set } of chain.links) {
    body.rrset(owner, set);
    count += set.rdatas.length;
  }
  return count;
}
