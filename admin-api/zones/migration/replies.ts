/** Compares the replies of two servers to the same question. */
import { InvalidError } from '../../../core/base/errors.ts';
import { AA, HEADER_LENGTH } from '../../../core/dns/wire/header.ts';
import { MessageReader } from '../../../core/dns/wire/message-reader.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { equalNames, formatName, isWithin, type Name, nameAt } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { CLASS_IN, RCODE, type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import type { Question, Reason } from './questions.ts';

export interface Reply {
  readonly rcode: number;
  readonly authoritative: boolean;
  readonly answer: readonly ResourceRecord[];
  readonly authority: readonly ResourceRecord[];
}

/** `status`: an answer, none, a referral or an error. */
type Part = 'rcode' | 'aa' | 'status' | 'answer' | 'referral' | 'ttl';

export interface Difference {
  readonly parts: readonly Part[];
  /** Why both may be right; undefined: one is wrong. */
  readonly reason?: Reason;
}

interface CompareOptions {
  readonly apex: Name;
  /** Whether TTLs of answers are compared. */
  readonly ttl: boolean;
}

const UNSIGNED = (record: ResourceRecord): boolean => record.type !== TYPE.RRSIG && record.type !== TYPE.NSEC;

/** Throws InvalidError `malformed_message`. */
export function parseReply(message: Buffer): Reply {
  if (message.length < HEADER_LENGTH) throw new InvalidError('malformed_message', 'The message has no header.');
  const reader = new MessageReader(message, HEADER_LENGTH);
  for (let i = message.readUInt16BE(4); i > 0; i--) {
    reader.name();
    reader.u32();
  }
  const section = (offset: number): ResourceRecord[] => {
    const records: ResourceRecord[] = [];
    for (let i = message.readUInt16BE(offset); i > 0; i--) {
      const record = reader.record();
      if (record.class === CLASS_IN) records.push(record);
    }
    return records;
  };
  const [answer, authority] = [section(6), section(8)];
  return { rcode: message[3] & 15, authoritative: (message[2] & AA) !== 0, answer, authority };
}

type Status = 'answer' | 'none' | 'referral' | 'error';

function statusOf({ rcode, answer, authority }: Reply): Status {
  if (rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN) return 'error';
  if (answer.length > 0) return 'answer';
  const types = new Set(authority.map(({ type }) => type));
  return types.has(TYPE.NS) && !types.has(TYPE.SOA) ? 'referral' : 'none';
}

/** Undefined: the replies are alike. Sections are sets; only answers and referrals are compared. */
export function compareReplies(
  question: Question,
  before: Reply,
  after: Reply,
  { apex, ttl }: CompareOptions,
): Difference | undefined {
  const parts: Part[] = [];
  const [old, current] = [statusOf(before), statusOf(after)];
  if (before.rcode !== after.rcode) parts.push('rcode');
  if (before.authoritative !== after.authoritative) parts.push('aa');
  if (old !== current) parts.push('status');
  const [oldSet, newSet] = [textsOf(before.answer, false), textsOf(after.answer, false)];
  if (!equalSets(oldSet, newSet)) parts.push('answer');
  else if (ttl && !equalSets(textsOf(before.answer, true), textsOf(after.answer, true))) parts.push('ttl');
  const nameservers = ({ authority }: Reply): Set<string> =>
    textsOf(
      authority.filter(({ type }) => type === TYPE.NS),
      false,
    );
  if (old === 'referral' && current === 'referral' && !equalSets(nameservers(before), nameservers(after)))
    parts.push('referral');
  if (parts.length === 0) return undefined;
  if (isChain(apex, before, after) && parts.every((part) => part !== 'aa' && part !== 'referral'))
    return { parts, reason: 'chain' };
  return { parts, reason: explains(question.mayDiffer, parts) ? question.mayDiffer : undefined };
}

/** Only the content of an answer may differ, not whether there is one. */
function explains(reason: Reason | undefined, parts: readonly Part[]): boolean {
  if (reason === undefined) return false;
  if (reason === 'soa' || reason === 'apex_ns') return parts.every((part) => part === 'answer' || part === 'ttl');
  // A record such as the NSEC of a delegation is answered with AA, and a referral is not.
  if (reason === 'dnssec') return true;
  return parts.every((part) => part !== 'aa' && part !== 'referral');
}

/** CNAMEs of a chain that servers may cut off, as endless ones are. */
const LONG_CHAIN = 5;

/**
 * Whether one server follows a CNAME into another zone, which the other does not, or cuts off a
 * long chain. The first records are the same.
 */
function isChain(apex: Name, before: Reply, after: Reply): boolean {
  const [short, long] = before.answer.length <= after.answer.length ? [before, after] : [after, before];
  const texts = textsOf(long.answer, false);
  if (short.answer.length === 0 || ![...textsOf(short.answer, false)].every((text) => texts.has(text))) return false;
  const targets = short.answer.flatMap(({ type, rdata }) => (type === TYPE.CNAME ? [nameAt(rdata, 0)] : []));
  const isLoop = targets.some((target) => short.answer.some(({ name }) => equalNames(name, target)));
  if (targets.length >= LONG_CHAIN || (isLoop && targets.length === short.answer.length)) return true;
  return targets.some((target) => !isWithin(target, apex) || isReferred(long) || isReferred(short));
}

const isReferred = ({ authority }: Reply): boolean => authority.some(({ type }) => type === TYPE.NS);

function textsOf(records: readonly ResourceRecord[], withTtl: boolean): Set<string> {
  return new Set(records.filter(UNSIGNED).map((record) => recordText(record, withTtl)));
}

export function recordText({ name, type, ttl, rdata }: ResourceRecord, withTtl = true): string {
  let content: string;
  try {
    content = formatRdata(type, rdata);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    content = `\\# ${rdata.length} ${Buffer.from(rdata).toString('hex')}`;
  }
  return `${formatName(name)}${withTtl ? ` ${ttl}` : ''} ${typeName(type)} ${content}`;
}

function equalSets(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((text) => b.has(text));
}
