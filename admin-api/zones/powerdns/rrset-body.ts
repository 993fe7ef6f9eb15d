/**
 * Reads the changes of RRsets in a PATCH, and the RRsets of a new zone. Contents have the spelling
 * of PowerDNS.
 */
import { InvalidError } from '../../../core/base/errors.ts';
import { isDataType, parseType, typeName } from '../../../core/dns/wire/mnemonics.ts';
import { equalNames, isWithin, type Name } from '../../../core/dns/wire/name.ts';
import { formatRdata, parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Comment } from '../../../core/store/rows.ts';
import { nowSeconds } from '../../http/time.ts';
import { unprocessable, unsupported } from './errors.ts';
import { has, type JsonObject, readBoolean, readInteger, readName, readObjects, readString } from './fields.ts';
import { dotted } from './zone-id.ts';

const CHANGE_TYPES = ['REPLACE', 'DELETE', 'EXTEND', 'PRUNE'] as const;
type ChangeType = (typeof CHANGE_TYPES)[number];

export interface RRsetChange {
  readonly name: Name;
  readonly type: number;
  readonly changeType: ChangeType;
  /** Null: not sent. */
  readonly ttl: number | null;
  /** Rdata; null: unchanged. */
  readonly records: readonly Uint8Array[] | null;
  /** Rdata of disabled records, which are kept and not served. Undefined: they are unchanged. */
  readonly disabled?: readonly Uint8Array[];
  /** Null: unchanged. */
  readonly comments: readonly NewComment[] | null;
}

/** `modifiedAt` null: now, unless the same comment exists already. */
export type NewComment = Omit<Comment, 'modifiedAt'> & { readonly modifiedAt: number | null };

/** Maximum comments of an RRset. */
const MAX_COMMENTS = 100;
/** Maximum characters of a comment, and of the name of its account. */
const MAX_COMMENT = 16_000;
const MAX_COMMENT_ACCOUNT = 255;

/** Types whose content must be written as the service writes it, apart from case. */
const STRICT_TYPES: ReadonlySet<number> = new Set([
  TYPE.A,
  TYPE.CNAME,
  TYPE.NS,
  TYPE.MX,
  TYPE.SRV,
  TYPE.PTR,
  TYPE.DNAME,
  TYPE.ALIAS,
]);

/** Text of an RRset in error messages. */
export const describeRRset = (name: Name, type: number): string => `RRset ${dotted(name)} IN ${typeName(type)}`;

/** The changes of a PATCH. Throws InvalidError. */
export function readChanges(apex: Name, body: JsonObject): RRsetChange[] {
  if (!Array.isArray(body.rrsets)) throw unprocessable('No rrsets given in update request');
  const seen = new Set<string>();
  return (readObjects(body, 'rrsets') ?? []).map((rrset) => {
    const { name, type } = readOwner(rrset);
    const text = readString(rrset, 'changetype').toUpperCase();
    const changeType = CHANGE_TYPES.find((each) => each === text);
    if (changeType === undefined) throw unprocessable('Changetype not understood');
    // There is nothing to delete outside of the zone.
    if (changeType !== 'DELETE') requireInZone(apex, name, type);
    const id = `${type} ${changeType} ${dotted(name)}`;
    // Several EXTEND and PRUNE of one RRset are applied one after another.
    const isWhole = changeType === 'DELETE' || changeType === 'REPLACE';
    if (isWhole && seen.has(id))
      throw unprocessable(`Duplicate ${describeRRset(name, type)} with changetype: ${changeType}`);
    seen.add(id);
    if (changeType === 'DELETE') return { name, type, changeType, ttl: null, records: [], comments: [] };
    const change = { name, type, changeType, ...readContent(apex, name, type, rrset) };
    if (changeType === 'REPLACE') {
      if (change.records === null && change.comments === null)
        throw unprocessable(`No change for ${describeRRset(name, type)}`);
      if (change.records !== null && change.ttl === null)
        throw unprocessable("Key 'ttl' not an Integer or not present");
    } else {
      if (change.comments !== null) throw unprocessable(`Comments cannot be changed with changetype ${changeType}`);
      if (change.records === null || change.records.length + (change.disabled?.length ?? 0) === 0)
        throw unprocessable(`${describeRRset(name, type)} has no records to ${changeType.toLowerCase()}`);
    }
    return change;
  });
}

/** The RRsets of a new zone. Throws InvalidError. */
export function readRRsets(apex: Name, body: JsonObject): RRsetChange[] {
  const seen = new Set<string>();
  return (readObjects(body, 'rrsets') ?? []).map((rrset) => {
    const { name, type } = readOwner(rrset);
    requireInZone(apex, name, type);
    const id = `${type} ${dotted(name)}`;
    if (seen.has(id)) throw unprocessable(`Duplicate ${describeRRset(name, type)}`);
    seen.add(id);
    const content = readContent(apex, name, type, rrset);
    if (content.records !== null && content.ttl === null)
      throw unprocessable("Key 'ttl' not an Integer or not present");
    return { name, type, changeType: 'REPLACE', ...content };
  });
}

/**
 * The changes that give a zone these RRsets alone. `present`: its stored RRsets. Throws
 * InvalidError.
 */
export function readReplacement(
  apex: Name,
  body: JsonObject,
  present: Iterable<Pick<RRsetChange, 'name' | 'type'>>,
): RRsetChange[] {
  const wanted = readRRsets(apex, body).map(
    (change): RRsetChange => ({ ...change, records: change.records ?? [], comments: change.comments ?? [] }),
  );
  if (!wanted.some(({ name, type }) => type === TYPE.SOA && equalNames(name, apex)))
    throw unprocessable('Must give SOA record for zone when replacing all RR sets');
  const idOf = ({ name, type }: Pick<RRsetChange, 'name' | 'type'>): string => `${type} ${dotted(name)}`;
  const kept = new Set(wanted.map(idOf));
  const leaving = new Map([...present].filter((set) => !kept.has(idOf(set))).map((set) => [idOf(set), set]));
  return [
    ...[...leaving.values()].map(
      ({ name, type }): RRsetChange => ({ name, type, changeType: 'DELETE', ttl: null, records: [], comments: [] }),
    ),
    ...wanted,
  ];
}

function readOwner(rrset: JsonObject): Pick<RRsetChange, 'name' | 'type'> {
  const name = readName(readString(rrset, 'name'));
  const text = readString(rrset, 'type');
  const type = parseType(text);
  if (type === undefined || !isDataType(type))
    throw unprocessable(`RRset ${dotted(name)} IN ${text.slice(0, 40)}: unknown type given`);
  return { name, type };
}

function requireInZone(apex: Name, name: Name, type: number): void {
  if (!isWithin(name, apex)) throw unprocessable(`${describeRRset(name, type)}: Name is out of zone`);
}

function readContent(
  apex: Name,
  name: Name,
  type: number,
  rrset: JsonObject,
): Pick<RRsetChange, 'ttl' | 'records' | 'disabled' | 'comments'> {
  const records = readObjects(rrset, 'records');
  const comments = readObjects(rrset, 'comments');
  if (comments !== null && comments.length > MAX_COMMENTS)
    throw unprocessable(`${describeRRset(name, type)} has more than ${MAX_COMMENTS} comments`);
  return {
    ttl: has(rrset, 'ttl') ? readTtl(rrset) : null,
    ...(records === null ? { records } : readRecords(apex, name, type, records)),
    comments: comments === null ? null : comments.map(readComment),
  };
}

/** RFC 2181 section 8. The bounds of the service are checked with the records. */
const MAX_TTL = 2 ** 31 - 1;

function readTtl(rrset: JsonObject): number {
  const ttl = readInteger(rrset, 'ttl');
  if (ttl >= 0 && ttl <= MAX_TTL) return ttl;
  throw unprocessable(`Value for key 'ttl' is out of range: it must be 0 to ${MAX_TTL}`);
}

function readRecords(
  apex: Name,
  name: Name,
  type: number,
  records: readonly JsonObject[],
): { records: Uint8Array[]; disabled: Uint8Array[] } {
  const seen = new Set<string>();
  const enabled: Uint8Array[] = [];
  const disabled: Uint8Array[] = [];
  for (const record of records) {
    const content = readString(record, 'content').trim();
    if (readBoolean(record, 'set-ptr'))
      throw unsupported(`${describeRRset(name, type)}: "set-ptr" is not supported; write the PTR record to its zone.`);
    const rdata = parseStrictly(apex, name, type, content);
    const text = formatRdata(type, rdata);
    if (seen.has(text))
      throw unprocessable(`Duplicate record in ${describeRRset(name, type)} with content "${content.slice(0, 300)}"`);
    seen.add(text);
    (readBoolean(record, 'disabled') ? disabled : enabled).push(rdata);
  }
  return { records: enabled, disabled };
}

/** Rejects names without a last dot in a content, which would be read as relative names. */
function parseStrictly(apex: Name, name: Name, type: number, content: string): Uint8Array {
  const where = `Record ${dotted(name)}/${typeName(type)} '${content.slice(0, 300)}'`;
  let rdata: Uint8Array;
  try {
    rdata = parseRdata(type, type === TYPE.TXT ? splitLongStrings(content) : content, apex);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw unprocessable(`${where}: ${error.message}`);
  }
  const text = formatRdata(type, rdata);
  const isSame = type === TYPE.TXT ? content.startsWith('"') : text.toLowerCase() === content.toLowerCase();
  if (!isSame && (type === TYPE.TXT || STRICT_TYPES.has(type)))
    throw unprocessable(`${where}: Not in expected format (parsed as '${text.slice(0, 300)}')`);
  return rdata;
}

function readComment(comment: JsonObject): NewComment {
  const content = readString(comment, 'content');
  const account = readString(comment, 'account');
  if (content.length > MAX_COMMENT || account.length > MAX_COMMENT_ACCOUNT)
    throw unprocessable(
      `A comment has at most ${MAX_COMMENT} characters, and its account at most ${MAX_COMMENT_ACCOUNT}`,
    );
  const modifiedAt = has(comment, 'modified_at') ? readInteger(comment, 'modified_at') : null;
  if (modifiedAt !== null && (modifiedAt < 0 || modifiedAt > MAX_TIME))
    throw unprocessable("Value for key 'modified_at' is out of range");
  return { content, account, modifiedAt };
}

/** PowerDNS has 32 bits. */
const MAX_TIME = 2 ** 32 - 1;

/** Sets the times of comments to store. Without a new time, an existing comment keeps its time. */
export function datedComments(comments: readonly NewComment[], before: readonly Comment[]): Comment[] {
  return comments.map(({ content, account, modifiedAt }) => {
    const same = before.find((each) => each.content === content && each.account === account);
    return { content, account, modifiedAt: modifiedAt ?? same?.modifiedAt ?? nowSeconds() };
  });
}

/** A quoted parameter that needs no quotes. */
const QUOTED = /="([^"\\\s]+)"/g;

/** Contents of records in the spelling of PowerDNS, which some clients compare as text. */
export function formatContent(type: number, rdata: Uint8Array): string {
  const text = formatRdata(type, rdata);
  return type === TYPE.HTTPS || type === TYPE.SVCB ? text.replace(QUOTED, '=$1') : text;
}

/** Bytes of a string in a TXT record. */
const MAX_STRING = 255;
/** Longer contents are rejected later. */
const MAX_SPLIT = 300_000;
const QUOTED_STRING = /"((?:[^"\\]|\\.)*)"/gs;
/** A byte or a character of a quoted string. */
const UNIT = /\\\d{3}|\\.|[^\\]/gsu;
const ESCAPE = /^\\(\d{3}|[\0-\x7f])$/;

/**
 * Splits long quoted strings of a TXT content. PowerDNS accepts them, for example DKIM keys, and
 * splits them when it answers.
 */
function splitLongStrings(content: string): string {
  if (content.length > MAX_SPLIT) return content;
  return content.replace(QUOTED_STRING, (whole: string, body: string) => {
    // Each UTF-16 code unit has at most 3 bytes in UTF-8.
    if (body.length * 3 <= MAX_STRING) return whole;
    const parts: string[] = [];
    let part = '';
    let bytes = 0;
    for (const [unit] of body.matchAll(UNIT)) {
      const size = ESCAPE.test(unit) ? 1 : Buffer.byteLength(unit);
      if (bytes + size > MAX_STRING) {
        parts.push(`"${part}"`);
        part = '';
        bytes = 0;
      }
      part += unit;
      bytes += size;
    }
    return [...parts, `"${part}"`].join(' ');
  });
}
