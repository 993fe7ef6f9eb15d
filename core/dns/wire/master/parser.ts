/**
 * Master files (RFC 1035 section 5, RFC 2308 section 4, RFC 3597 section 5) to records. A, AAAA,
 * CNAME, NS and PTR lines are parsed without strings and regular expressions. Other types use the
 * rdata table.
 */
import { InvalidError } from '../../../base/errors.ts';
import { isDataType, MNEMONICS, parseType, typeName } from '../mnemonics.ts';
import { formatName, type Name, nameAt } from '../name.ts';
import { shown } from '../rdata/fields.ts';
import { TYPE } from '../types.ts';
import { ofQueryType } from '../zone-content.ts';
import { CurrentEntry, fail, type MasterOptions, type MasterRecord, type MasterResult } from './entry.ts';
import { compileTemplate, countOf, MAX_GENERATED, MAX_GENERATED_TEXT, readRange, type Template } from './generate.ts';
import { ADJACENT, NEVER_CLOSED, QUOTED } from './lexer.ts';
import { OUTSIDE, OwnerReader, Slab } from './owner-reader.ts';
import { RdataReader } from './rdata-reader.ts';
import { RecordTtl } from './record-ttl.ts';

const EXAMPLE = '"$GENERATE 1-10 host-$ A 192.0.2.$"';

/** Fields of a directive before its TTL, class and type. */
const GENERATE_HEADER = 3;

/** Characters of generated entries that are read at once. */
const CHUNK = 16 * 1024;

/** Result of typeOf for class IN. */
const CLASS_MARK = -1;

/** Result of typeOf for a word that is neither a type nor class IN. */
const UNKNOWN_WORD = -2;

const OPEN_BRACKET = 0x5b;

/** Six letters at five bits each fit the 31 bits of a small integer. */
const PACKED_LETTERS = 6;

/** Packs letters of either case into a number; 0: too long, or other characters than letters. */
function pack(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > PACKED_LETTERS) return 0;
  let packed = 0;
  for (let i = start; i < end; i++) {
    const c = bytes[i] | 0x20;
    if (c < 0x61 || c > 0x7a) return 0;
    packed = (packed << 5) | (c & 31);
  }
  return packed;
}

const packWord = (word: string) => pack(Buffer.from(word, 'latin1'), 0, word.length);

const PACKED: ReadonlyMap<number, number> = new Map([
  ...[...MNEMONICS].map(([type, name]) => [packWord(name), type] as const).filter(([packed]) => packed !== 0),
  [packWord('IN'), CLASS_MARK],
]);

/** Stands for the types of Windows for lookups in WINS ([MS-DNSP] 2.2.2.1.1). */
const WINS = -3;

/** Words that exports have in place of a type. */
const EXPORTED_TYPES: ReadonlyMap<string, number> = new Map([
  // OVH: TXT records with a purpose.
  ['DKIM', TYPE.TXT],
  ['DMARC', TYPE.TXT],
  // Technitium, DNS Made Easy and others.
  ['ANAME', TYPE.ALIAS],
  ['WINS', WINS],
  ['WINSR', WINS],
  ['WINS-R', WINS],
  ['NBSTAT', WINS],
]);

const FOREIGN_COMMENT = 'A comment of a zone file starts with ";".';

/** Windows: the time stamp of a record, in hours since 1601. */
const TIME_STAMP = /^\[AG(E|ING):\d{1,20}\]$/i;

/** The nameservers of OVH, whose exports write TXT records of SPF as type SPF. */
const OVH = /\.(ovh\.net|ovh\.ca|anycast\.me)\.$/;

const PACKED_IN = packWord('IN');

const PACKED_A = packWord('A');

/**
 * The words between owner and rdata: types and the class, recognised from bytes.
 *
 * The type that bytes[start, end) name, CLASS_MARK for `IN` and `CLASS1`, UNKNOWN_WORD for anything
 * else.
 */
function typeOf(bytes: Buffer, start: number, end: number): number {
  const packed = pack(bytes, start, end);
  if (packed === PACKED_IN) return CLASS_MARK;
  if (packed === PACKED_A) return 1;
  if (packed !== 0) return PACKED.get(packed) ?? UNKNOWN_WORD;
  if (end - start > 16) return UNKNOWN_WORD;
  const text = bytes.toString('latin1', start, end);
  if (text.toUpperCase() === 'CLASS1') return CLASS_MARK;
  return parseType(text) ?? UNKNOWN_WORD;
}

/**
 * Reads a whole zone file. Faults are added to `errors` in file order, and reading continues with
 * the next entry; `records` is then incomplete. A missing TTL is that of $TTL, else the last
 * explicit one, else the SOA's minimum, else `defaultTtl`. Duplicate records are kept. Time and
 * memory are linear in the input. Never throws.
 */
export function parseMaster(input: Uint8Array, options: MasterOptions): MasterResult {
  return new MasterParser(input, options).run();
}

const NO_TYPES: ReadonlySet<number> = new Set();

class MasterParser {
  readonly #entry: CurrentEntry;
  readonly #owners: OwnerReader;
  readonly #ttls: RecordTtl;
  readonly #rdata: RdataReader;
  readonly #generated: GeneratedEntries;
  readonly #records: MasterRecord[] = [];
  readonly #drops: ReadonlySet<number>;
  readonly #dropped = new Map<number, { line: number; count: number }>();
  /**
   * Owner of entries that start with white space. Undefined: no owner precedes, or the last owner
   * was wrong.
   */
  #owner: Name | undefined;
  #isOvh = false;
  /** TTL, in seconds, and type of the current entry; a TTL of -1: it has none. */
  #entryTtl = -1;
  #entryType = 0;

  constructor(input: Uint8Array, options: MasterOptions) {
    const entry = new CurrentEntry(Buffer.from(input.buffer, input.byteOffset, input.length), options.maxErrors ?? 100);
    const slab = new Slab();
    this.#entry = entry;
    this.#owners = new OwnerReader(entry, options.origin, slab);
    this.#ttls = new RecordTtl(entry, options.defaultTtl ?? -1);
    this.#rdata = new RdataReader(entry, slab);
    this.#generated = new GeneratedEntries(entry, options.maxGenerated ?? Number.POSITIVE_INFINITY);
    this.#drops = options.drops ?? NO_TYPES;
  }

  run(): MasterResult {
    const { lexer, errors, warnings, maxErrors } = this.#entry;
    while (errors.length < maxErrors && this.#generated.excess === null && lexer.next()) {
      try {
        if (lexer.fault !== '') this.#faulty();
        else if (this.#isDirective()) this.#directive();
        else this.#record();
      } catch (error) {
        if (!(error instanceof InvalidError)) throw error;
        const message = this.#isForeignComment() ? FOREIGN_COMMENT : error.message;
        errors.push({ line: lexer.line, message, ...(this.#isDecisive() && { isDecisive: true }) });
      }
    }
    const { spellings } = this.#owners;
    return {
      records: this.#isOvh ? this.#withoutSpf() : this.#records,
      errors,
      warnings,
      dropped: this.#dropped,
      spellings,
      excess: this.#generated.excess,
    };
  }

  /**
   * Stores the owner of a malformed entry. Otherwise later entries without an owner would get the
   * owner before it.
   */
  #faulty(): void {
    const { lexer, errors } = this.#entry;
    const { blankOwner, count, fault, faultLine } = lexer;
    const isDecisive = this.#isDecisive() || fault === NEVER_CLOSED;
    errors.push({ line: faultLine, message: `${capital(fault)}.`, ...(isDecisive && { isDecisive }) });
    if (blankOwner || (count > 0 && this.#isDirective())) return;
    this.#owner = undefined;
    try {
      if (count > 0) this.#owner = this.#owners.read();
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
    }
  }

  #record(): void {
    const entry = this.#entry;
    let i = 0;
    if (!entry.lexer.blankOwner) {
      this.#owner = undefined;
      this.#owner = this.#owners.read();
      i = 1;
    }
    const owner = this.#owner;
    if (owner === undefined) fail('The entry starts with a space, but no entry before it has a valid owner name.');
    const rdataAt = this.#readHeader(i);
    const type = this.#entryType;
    if (owner === OUTSIDE || this.#drops.has(type) || !isDataType(type)) {
      this.#ttls.note(this.#entryTtl);
      if (owner === OUTSIDE) this.#owners.warnOfOutside();
      else if (isDataType(type)) this.#drop(type);
      else if (type === WINS) entry.warn('wins', 'This record has a meaning for Windows only; the record is ignored.');
      else this.#warnOfQueryType(type);
      return;
    }
    if (type === TYPE.A && this.#isParked(rdataAt)) {
      this.#ttls.note(this.#entryTtl);
      return;
    }
    const rdata = this.#rdata.read(type, rdataAt, this.#owners.origin);
    if (type === TYPE.SOA) {
      this.#ttls.noteSoa(rdata);
      this.#isOvh ||= OVH.test(formatName(nameAt(rdata, 0)));
    }
    const ttl = this.#ttls.resolve(this.#entryTtl);
    this.#records.push({ name: owner, type, ttl, rdata, line: entry.line });
  }

  /**
   * Reads TTL, class and type from field `i` on. Returns the index of the first field of the rdata.
   */
  #readHeader(from: number): number {
    const entry = this.#entry;
    const { bytes } = entry;
    const { count, flags, start, end } = entry.lexer;
    let ttl = -1;
    let classSeen = false;
    for (let i = from; ; i++) {
      if (i >= count) fail('The entry has no type.');
      if (flags[i] & QUOTED) fail(`${entry.shown(i)} is in the position of a TTL, a class or a type.`);
      const first = bytes[start[i]];
      if (first >= 0x30 && first <= 0x39 && ttl < 0) {
        ttl = this.#ttls.read(i);
        continue;
      }
      const type = typeOf(bytes, start[i], end[i]);
      if (type >= 0) {
        if (!isDataType(type) && !/^TYPE\d/i.test(entry.text(i)))
          fail(`${typeName(type)} is a query type and not allowed in a zone.`);
        this.#entryTtl = ttl;
        this.#entryType = type;
        return i + 1;
      }
      if (type === CLASS_MARK && !classSeen) classSeen = true;
      else if (first !== OPEN_BRACKET || !TIME_STAMP.test(entry.text(i))) {
        this.#entryTtl = ttl;
        this.#entryType = EXPORTED_TYPES.get(entry.text(i).toUpperCase()) ?? this.#refuseWord(i);
        this.#isOvh ||= this.#entryType === TYPE.TXT;
        return i + 1;
      }
    }
  }

  /** GoDaddy writes this in place of the address of its page. */
  #isParked(at: number): boolean {
    const entry = this.#entry;
    if (entry.lexer.count !== at + 1 || !/^parked$/i.test(entry.text(at))) return false;
    entry.warn('parked', 'The name had the page for parked domains of GoDaddy; the record is ignored.');
    return true;
  }

  /** The records of an export of OVH, with TXT in place of SPF. */
  #withoutSpf(): MasterRecord[] {
    const { warnings } = this.#entry;
    return this.#records.map((record) => {
      if (record.type !== TYPE.SPF) return record;
      const message = 'OVH answers this SPF record as TXT, so it becomes a TXT record.';
      warnings.push({ line: record.line, code: 'spf_as_txt', message });
      return { ...record, type: TYPE.TXT };
    });
  }

  #warnOfQueryType(type: number): void {
    const { code, message } = ofQueryType(type);
    this.#entry.warn(code, message);
  }

  #drop(type: number): void {
    const dropped = this.#dropped.get(type);
    if (dropped === undefined) this.#dropped.set(type, { line: this.#entry.lexer.line, count: 1 });
    else dropped.count++;
  }

  /** Whether the entry changes the meaning of those after it, as `$ORIGIN` does. */
  #isDecisive(): boolean {
    const entry = this.#entry;
    return entry.lexer.count > 0 && this.#isDirective() && /^\$(ORIGIN|INCLUDE)$/i.test(entry.text(0));
  }

  #isForeignComment(): boolean {
    const entry = this.#entry;
    return entry.lexer.count > 0 && !entry.lexer.blankOwner && /^(#|\/\/|\/\*)/.test(entry.text(0));
  }

  #isDirective(): boolean {
    const { bytes, lexer } = this.#entry;
    return !lexer.blankOwner && bytes[lexer.start[0]] === 0x24 && (lexer.flags[0] & QUOTED) === 0;
  }

  #directive(): void {
    const entry = this.#entry;
    const { count } = entry.lexer;
    const word = entry.text(0).slice(0, 16).toUpperCase();
    if (word === '$ORIGIN') {
      if (count !== 2) fail('$ORIGIN requires exactly one name.');
      this.#owners.setOrigin(1, !this.#records.some(({ type }) => type === TYPE.SOA));
    } else if (word === '$TTL') {
      if (count !== 2) fail('$TTL requires exactly one time.');
      this.#ttls.setDirective(1);
    } else if (word === '$INCLUDE') {
      fail(
        '$INCLUDE is not supported: a zone must be a single file. "waypost zone import" inserts the included files.',
      );
    } else if (word === '$GENERATE') this.#generate();
    // BIND writes the date of a dump, which affects no record.
    else if (word !== '$DATE')
      fail(
        `${entry.shown(0)} is not a directive; use $ORIGIN, $TTL or $GENERATE. Write a name that starts with $ as \\$.`,
      );
  }

  #generate(): void {
    const entry = this.#entry;
    const owner = this.#owner;
    try {
      for (const text of this.#generated.expand((from) => this.#readHeader(from))) {
        entry.generateLine = entry.lexer.line;
        entry.readGenerated(text, () => this.#record());
      }
    } finally {
      this.#owner = owner;
      entry.generateLine = 0;
    }
  }

  #refuseWord(i: number): never {
    const entry = this.#entry;
    const word = entry.text(i).slice(0, 16).toUpperCase();
    if (/^(CH|CHAOS|HS|HESIOD|CS|NONE|CLASS\d+)$/.test(word)) fail(`Class ${word} is not supported; use class IN.`);
    return fail(
      `${entry.shown(i)} is not a type, class or TTL${/^[0-9]/.test(word) ? ' (the TTL is already set)' : ''}.`,
    );
  }
}

function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}

/**
 * `$GENERATE range owner [ttl] [class] type content`: one entry for each number of the range.
 */
class GeneratedEntries {
  readonly #entry: CurrentEntry;
  readonly #maxCount: number;
  /** Of all directives of the file. */
  #count = 0;
  #textLength = 0;

  /** `maxCount`: maximum number of records. */
  constructor(entry: CurrentEntry, maxCount: number) {
    this.#entry = entry;
    this.#maxCount = Math.min(maxCount, MAX_GENERATED);
  }

  /** The number of records if it is above the maximum; they are not made. */
  get excess(): number | null {
    return this.#count > this.#maxCount ? this.#count : null;
  }

  /**
   * The text of the entries that the current directive makes, in pieces. `readHeader` reads TTL,
   * class and type, and returns the index of the first field of the content. Throws InvalidError.
   */
  *expand(readHeader: (from: number) => number): Generator<string> {
    const entry = this.#entry;
    if (entry.lexer.count < GENERATE_HEADER + 2)
      fail(`$GENERATE requires a range, an owner, a type and content, as in ${EXAMPLE}.`);
    const range =
      readRange(entry.text(1)) ??
      fail(`${entry.shown(1)} is not a range; write start-stop or start-stop/step, as in ${EXAMPLE}.`);
    this.#count += countOf(range);
    if (this.excess !== null)
      fail(`The $GENERATE directives of the file make more than ${this.#maxCount} records, the limit.`);
    const contentAt = readHeader(GENERATE_HEADER);
    let header = '';
    for (let i = GENERATE_HEADER; i < contentAt; i++) header += ` ${entry.text(i)}`;
    const owner = compile(entry.text(2));
    const content = compile(this.#contentFrom(contentAt));
    const { start, stop, step } = range;
    let entries = '';
    for (let value = start; value <= stop; value += step) {
      entries += `${owner(value)}${header} ${content(value)}\n`;
      if (entries.length < CHUNK && value + step <= stop) continue;
      this.#textLength += entries.length;
      if (this.#textLength > MAX_GENERATED_TEXT)
        fail(`The $GENERATE directives of the file make more than ${MAX_GENERATED_TEXT} bytes of text, the limit.`);
      yield entries;
      entries = '';
    }
  }

  /** Content of several fields is one quoted text for BIND, and several words for PowerDNS. */
  #contentFrom(from: number): string {
    const entry = this.#entry;
    const { count, flags } = entry.lexer;
    if (count === from + 1 && flags[from] & QUOTED) return entry.text(from).replaceAll('\\"', '"');
    let content = '';
    for (let i = from; i < count; i++) {
      const space = flags[i] & ADJACENT ? '' : ' ';
      content += flags[i] & QUOTED ? `${space}"${entry.text(i)}"` : `${space}${entry.text(i)}`;
    }
    return content;
  }
}

function compile(text: string): Template {
  return compileTemplate(text) ?? fail(`${shown(text)} has a wrong \${…}; write \${offset,width,base}.`);
}
