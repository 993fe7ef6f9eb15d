/**
 * Master files (RFC 1035 section 5, RFC 2308 section 4, RFC 3597 section 5) to records. The path of A, AAAA, CNAME, NS and PTR
 * lines makes no strings and runs no regular expressions; what is rarer goes through the rdata table.
 */
import { InvalidError } from '../../base/errors.ts';
import { isDataType, typeName } from '../mnemonics.ts';
import { equalNames, isWithin, type Name, nameId } from '../name.ts';
import { readIPv4, readIPv6 } from '../rdata/address.ts';
import { type Field, parseNameBytes, shown } from '../rdata/fields.ts';
import { GENERIC_MARK } from '../rdata/generic.ts';
import { parseRdataFields } from '../rdata/rdata.ts';
import { MAX_TTL, readTtl } from '../ttl.ts';
import { type ResourceRecord, TYPE } from '../types.ts';
import { hasCapital, putCapitals } from './capitals.ts';
import { compileTemplate, countOf, MAX_GENERATED, MAX_GENERATED_TEXT, readRange, type Template } from './generate.ts';
import { ADJACENT, EntryLexer, ESCAPED, QUOTED } from './lexer.ts';
import { splitLongText } from './long-text.ts';
import { readPlainName } from './plain-name.ts';
import { Slab } from './slab.ts';
import { CLASS_MARK, typeOf } from './words.ts';

/** A record and the line, from 1, on which its entry starts. */
export type MasterRecord = ResourceRecord & { readonly line: number };

export interface MasterError {
  readonly line: number;
  readonly message: string;
}

/** What is doubtful about a file that can be read all the same. */
export interface MasterWarning extends MasterError {
  /** Stable, in snake case. */
  readonly code: string;
}

/** How many records of a type were left out, and the line of the first. */
export interface Dropped {
  readonly line: number;
  readonly count: number;
}

export interface MasterResult {
  readonly records: MasterRecord[];
  readonly errors: MasterError[];
  readonly warnings: MasterWarning[];
  /** By type, those of `drops`. */
  readonly dropped: ReadonlyMap<number, Dropped>;
  /** Owners that have capitals below the zone's own name, as they are written first, by their nameId. */
  readonly spellings: ReadonlyMap<string, Name>;
}

export interface MasterOptions {
  /** The zone's apex: the first $ORIGIN, and the limit for owners. */
  readonly origin: Name;
  /** Seconds, for records before any TTL and any SOA. */
  readonly defaultTtl?: number;
  /** Types whose records are counted and left out. Their rdata is not read. */
  readonly drops?: ReadonlySet<number>;
  /** Reading ends after so many faults. Default 100. */
  readonly maxErrors?: number;
}

/**
 * Reads a whole zone file. Bad entries are named in `errors`, in the order of the file, and reading goes on with the next one; what stands in
 * `records` then is not the whole zone. A missing TTL is that of $TTL, else the last explicit one, else the SOA's minimum, else
 * `defaultTtl`. Records that come twice are given twice. Time and memory are linear in the input. Throws nothing.
 */
export function parseMaster(input: Uint8Array, options: MasterOptions): MasterResult {
  return new MasterParser(input, options).run();
}

const NO_TYPES: ReadonlySet<number> = new Set();
/** Stands for every owner outside of the zone, whose records are ignored. */
const OUTSIDE: Name = new Uint8Array(0);
const GENERATE_EXAMPLE = '"$GENERATE 1-10 host-$ A 192.0.2.$"';
/** TXT, and SPF (RFC 4408 3.1.1), which has the same content. */
const TEXTS: ReadonlySet<number> = new Set([TYPE.TXT, 99]);
const NOT_ASCII = /[\x80-\xff]/;
/** Types without a text, whose fields NSD accepts in quotes. */
const UNQUOTED: ReadonlySet<number> = new Set([
  TYPE.A,
  TYPE.AAAA,
  TYPE.NS,
  TYPE.CNAME,
  TYPE.PTR,
  TYPE.DNAME,
  TYPE.MX,
  TYPE.SRV,
]);
/** Largest number of 32 bits. */
const MAX_UNSIGNED = 0xffffffff;
/** Characters of generated entries that are read at once. */
const GENERATED_CHUNK = 16 * 1024;
const TTL_RULE = `a TTL is 0 to ${MAX_TTL} seconds, or has units as in 1h30m`;

class MasterParser {
  #bytes: Buffer;
  #lexer: EntryLexer;
  readonly #zone: Name;
  readonly #maxErrors: number;
  readonly #records: MasterRecord[] = [];
  readonly #errors: MasterError[] = [];
  readonly #warnings: MasterWarning[] = [];
  readonly #drops: ReadonlySet<number>;
  readonly #dropped = new Map<number, { line: number; count: number }>();
  readonly #scratch = new Uint8Array(512);
  readonly #slab = new Slab();
  readonly #spellings = new Map<string, Name>();
  #origin: Name;
  /** The same with its capitals; null: it has none. */
  #spelledOrigin: Name | null = null;
  #originInZone = true;
  /** Owner for entries that begin blank. Undefined: there is none, or the last one was wrong. */
  #owner: Name | undefined;
  /** The last owner outside of the zone, for messages. */
  #outside = '';
  /** TTLs in seconds; -1: not said yet. */
  #directiveTtl = -1;
  #lastTtl = -1;
  readonly #defaultTtl: number;
  #soaMinimum = -1;
  #warnedOfTtl = false;
  /** TTL, in seconds, and type of the current entry; a TTL of -1: it has none. */
  #entryTtl = -1;
  #entryType = 0;
  /** Line of the `$GENERATE` whose entries are being read; 0: none. */
  #generateLine = 0;
  #generated = 0;
  #generatedText = 0;

  constructor(input: Uint8Array, options: MasterOptions) {
    this.#bytes = Buffer.from(input.buffer, input.byteOffset, input.length);
    this.#lexer = new EntryLexer(this.#bytes);
    this.#zone = options.origin;
    this.#origin = options.origin;
    this.#maxErrors = options.maxErrors ?? 100;
    this.#defaultTtl = options.defaultTtl ?? -1;
    this.#drops = options.drops ?? NO_TYPES;
  }

  run(): MasterResult {
    const lexer = this.#lexer;
    while (this.#errors.length < this.#maxErrors && lexer.next()) {
      try {
        if (lexer.fault !== '') this.#faulty();
        else if (this.#isDirective()) this.#directive();
        else this.#record();
      } catch (error) {
        if (!(error instanceof InvalidError)) throw error;
        this.#errors.push({ line: lexer.line, message: error.message });
      }
    }
    return {
      records: this.#records,
      errors: this.#errors,
      warnings: this.#warnings,
      dropped: this.#dropped,
      spellings: this.#spellings,
    };
  }

  /** Keeps the owner of an entry with a broken form, so that blank owners after it do not go to the record before. */
  #faulty(): void {
    const { blankOwner, count, fault, faultLine } = this.#lexer;
    this.#errors.push({ line: faultLine, message: `${capital(fault)}.` });
    if (blankOwner || (count > 0 && this.#isDirective())) return;
    this.#owner = undefined;
    try {
      if (count > 0) this.#owner = this.#readOwner();
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
    }
  }

  #record(): void {
    const lexer = this.#lexer;
    let i = 0;
    if (!lexer.blankOwner) {
      this.#owner = undefined;
      this.#owner = this.#readOwner();
      i = 1;
    }
    const owner = this.#owner;
    if (owner === undefined) fail('The entry starts with a space, but no entry before it has a valid owner name.');
    const rdataAt = this.#readHeader(i);
    const type = this.#entryType;
    let ttl = this.#entryTtl;
    if (owner === OUTSIDE || this.#drops.has(type) || !isDataType(type)) {
      // The next record without a TTL takes this one's all the same.
      if (ttl >= 0) this.#lastTtl = ttl;
      if (owner === OUTSIDE) this.#warnOfOutside();
      else if (isDataType(type)) this.#drop(type);
      else this.#warnOfQueryType(type);
      return;
    }
    const rdata = this.#rdata(type, rdataAt);
    if (type === TYPE.SOA && this.#soaMinimum < 0)
      this.#soaMinimum = Math.min(Buffer.from(rdata).readUInt32BE(rdata.length - 4), MAX_TTL);
    if (ttl >= 0) this.#lastTtl = ttl;
    else ttl = this.#missingTtl();
    this.#records.push({ name: owner, type, ttl, rdata, line: this.#line });
  }

  /** Line of the current entry. */
  get #line(): number {
    return this.#generateLine > 0 ? this.#generateLine : this.#lexer.line;
  }

  /** Reads TTL, class and type from field `i` on. Returns the index of the first field of the rdata. */
  #readHeader(from: number): number {
    const { count, flags, start, end } = this.#lexer;
    const bytes = this.#bytes;
    let ttl = -1;
    let classSeen = false;
    for (let i = from; ; i++) {
      if (i >= count) fail('The entry has no type.');
      if (flags[i] & QUOTED) fail(`${this.#shown(i)} is in the position of a TTL, a class or a type.`);
      const first = bytes[start[i]];
      if (first >= 0x30 && first <= 0x39 && ttl < 0) {
        ttl = this.#readTtl(i);
        continue;
      }
      const type = typeOf(bytes, start[i], end[i]);
      if (type >= 0) {
        if (!isDataType(type) && !this.#isGenericType(i))
          fail(`${typeName(type)} is a query type and not allowed in a zone.`);
        this.#entryTtl = ttl;
        this.#entryType = type;
        return i + 1;
      }
      if (type === CLASS_MARK && !classSeen) classSeen = true;
      else this.#refuseWord(i);
    }
  }

  /** In seconds. */
  #readTtl(i: number): number {
    const ttl = readTtl(this.#bytes, this.#lexer.start[i], this.#lexer.end[i]);
    if (ttl >= 0) return ttl;
    const text = this.#text(i).slice(0, 16);
    if (!/^\d{10}$/.test(text) || Number(text) > MAX_UNSIGNED) fail(`${this.#shown(i)} is not a TTL: ${TTL_RULE}.`);
    this.#warn('ttl_overflow', `The TTL ${text} is above ${MAX_TTL}, so it means 0 (RFC 2181 section 8).`);
    return 0;
  }

  #warn(code: string, message: string): void {
    if (this.#warnings.length < this.#maxErrors) this.#warnings.push({ line: this.#line, code, message });
  }

  /** Knot and BIND ignore such records with a warning. */
  #warnOfOutside(): void {
    this.#warn('name_outside', `The owner name ${this.#outside} is outside the zone; the record is ignored.`);
  }

  /** Knot and NSD load such records, but no query can ask for them (RFC 6895 section 3.1). */
  #warnOfQueryType(type: number): void {
    this.#warn('query_type', `${typeName(type)} is a query type, so no record can have it; the record is ignored.`);
  }

  /** Whether a type has the form TYPEn of RFC 3597. */
  #isGenericType(i: number): boolean {
    return /^TYPE\d/i.test(this.#text(i));
  }

  #drop(type: number): void {
    const dropped = this.#dropped.get(type);
    if (dropped === undefined) this.#dropped.set(type, { line: this.#lexer.line, count: 1 });
    else dropped.count++;
  }

  /** As BIND reads files without $TTL (RFC 2308 section 4, RFC 1035 section 5.1). */
  #missingTtl(): number {
    if (this.#directiveTtl >= 0) return this.#directiveTtl;
    if (this.#lastTtl >= 0) return this.#lastTtl;
    if (this.#soaMinimum >= 0) {
      this.#warnOfTtl(`the SOA minimum of ${this.#soaMinimum} seconds`);
      // BIND goes on as if $TTL had said so: an explicit TTL after this is that of its record alone.
      this.#directiveTtl = this.#soaMinimum;
      return this.#soaMinimum;
    }
    if (this.#defaultTtl >= 0) {
      this.#warnOfTtl(`the default of ${this.#defaultTtl} seconds`);
      return this.#defaultTtl;
    }
    return fail('The record has no TTL, and no TTL is set before it; put a line such as "$TTL 300" at the start.');
  }

  /** Once a file. */
  #warnOfTtl(instead: string): void {
    if (this.#warnedOfTtl) return;
    this.#warnedOfTtl = true;
    this.#warn(
      'no_ttl',
      `The record has no TTL, and no TTL is set before it; it gets ${instead}. Put a line such as "$TTL 300" at the start.`,
    );
  }

  #readOwner(): Name {
    const start = this.#lexer.start[0];
    const end = this.#lexer.end[0];
    const name = this.#parseOwner(start, end);
    if (name === OUTSIDE) return name;
    if (this.#spelledOrigin !== null || hasCapital(this.#bytes, start, end)) this.#noteSpelling(name, start, end);
    return name;
  }

  #noteSpelling(name: Name, start: number, end: number): void {
    const id = nameId(name);
    if (this.#spellings.has(id)) return;
    const spelled = this.#spell(name, start, end);
    spelled.set(this.#zone, spelled.length - this.#zone.length);
    if (!equalNames(spelled, name)) this.#spellings.set(id, spelled);
  }

  /** A name with the capitals that its text and the origin have. */
  #spell(name: Name, start: number, end: number): Name {
    const spelled = Uint8Array.from(name);
    const isAbsolute = putCapitals(this.#bytes, start, end, spelled);
    const origin = this.#spelledOrigin;
    if (!isAbsolute && origin !== null) spelled.set(origin, spelled.length - origin.length);
    return spelled;
  }

  #parseOwner(start: number, end: number): Name {
    const scratch = this.#scratch;
    let name: Name;
    const length = readPlainName(this.#bytes, start, end, this.#origin, scratch);
    if (length > 0) {
      name = this.#slab.copy(scratch, length);
      // A relative name needs no look at the zone: its end is the origin's.
      if (this.#originInZone && this.#bytes[end - 1] !== 0x2e) return name;
    } else {
      const text = this.#text(0);
      name = parseNameBytes(text, this.#origin);
      if (NOT_ASCII.test(text))
        this.#warn(
          'not_ascii',
          `The bytes of the owner name ${this.#shown(0)} are kept, but clients query its "xn--" form.`,
        );
    }
    if (isWithin(name, this.#zone)) return name;
    this.#outside = this.#shown(0);
    return OUTSIDE;
  }

  #rdata(type: number, from: number): Uint8Array {
    const lexer = this.#lexer;
    if (from + 1 === lexer.count && (lexer.flags[from] & (QUOTED | ESCAPED)) === 0) {
      const start = lexer.start[from];
      const end = lexer.end[from];
      const scratch = this.#scratch;
      let length = 0;
      switch (type) {
        case TYPE.A:
          length = readIPv4(this.#bytes, start, end, scratch) ? 4 : 0;
          break;
        case TYPE.AAAA:
          length = readIPv6(this.#bytes, start, end, scratch) ? 16 : 0;
          break;
        case TYPE.NS:
        case TYPE.CNAME:
        case TYPE.PTR:
          length = readPlainName(this.#bytes, start, end, this.#origin, scratch);
          break;
      }
      if (length > 0) return this.#slab.copy(scratch, length);
    }
    const fields: Field[] = [];
    for (let i = from; i < lexer.count; i++) {
      const flags = lexer.flags[i];
      const quoted = (flags & QUOTED) !== 0 && !UNQUOTED.has(type);
      fields.push({ text: this.#text(i), quoted, adjacent: (flags & ADJACENT) !== 0 });
    }
    return parseRdataFields(type, TEXTS.has(type) ? this.#texts(fields) : fields, this.#origin);
  }

  /** Knot and PowerDNS split a text of more than 255 bytes; BIND and NSD reject it. */
  #texts(fields: readonly Field[]): readonly Field[] {
    // Without a length after it, the mark of RFC 3597 is a text, as for BIND and NSD.
    if (fields[0]?.text === GENERIC_MARK && !/^\d+$/.test(fields[1]?.text ?? '0'))
      return [{ ...fields[0], quoted: true }, ...fields.slice(1)];
    const split = fields.flatMap(splitLongText);
    if (split.length > fields.length)
      this.#warn('long_text', 'A text of more than 255 bytes was split into several strings.');
    return split;
  }

  #isDirective(): boolean {
    const lexer = this.#lexer;
    return !lexer.blankOwner && this.#bytes[lexer.start[0]] === 0x24 && (lexer.flags[0] & QUOTED) === 0;
  }

  #directive(): void {
    const { count, start, end } = this.#lexer;
    const word = this.#text(0).slice(0, 16).toUpperCase();
    if (word === '$ORIGIN') {
      if (count !== 2) fail('$ORIGIN requires exactly one name.');
      const origin = parseNameBytes(this.#text(1), this.#origin);
      const spelled = this.#spell(origin, start[1], end[1]);
      this.#spelledOrigin = equalNames(spelled, origin) ? null : spelled;
      this.#origin = origin;
      this.#originInZone = isWithin(this.#origin, this.#zone);
    } else if (word === '$TTL') {
      if (count !== 2) fail('$TTL requires exactly one time.');
      this.#directiveTtl = this.#readTtl(1);
    } else if (word === '$INCLUDE') {
      fail(
        '$INCLUDE is not supported: a zone must be a single file. "waypost zone import" inserts the included files.',
      );
    } else if (word === '$GENERATE') this.#generate();
    // BIND writes the date of a dump, which changes no record.
    else if (word !== '$DATE')
      fail(
        `${this.#shown(0)} is not a directive; use $ORIGIN, $TTL or $GENERATE. Write a name that starts with $ as \\$.`,
      );
  }

  /** `$GENERATE range owner [ttl] [class] type content`: one entry for each number of the range. */
  #generate(): void {
    const { count } = this.#lexer;
    if (count < 5) fail(`$GENERATE requires a range, an owner, a type and content, as in ${GENERATE_EXAMPLE}.`);
    const range =
      readRange(this.#text(1)) ??
      fail(`${this.#shown(1)} is not a range; write start-stop or start-stop/step, as in ${GENERATE_EXAMPLE}.`);
    this.#generated += countOf(range);
    if (this.#generated > MAX_GENERATED)
      fail(`The $GENERATE directives of the file make more than ${MAX_GENERATED} records, the limit.`);
    const contentAt = this.#readHeader(3);
    let header = '';
    for (let i = 3; i < contentAt; i++) header += ` ${this.#text(i)}`;
    const owner = this.#template(this.#text(2));
    const content = this.#template(this.#generatedContent(contentAt));
    const outer = { bytes: this.#bytes, lexer: this.#lexer, owner: this.#owner };
    const { start, stop, step } = range;
    this.#generateLine = outer.lexer.line;
    try {
      let entries = '';
      for (let value = start; value <= stop; value += step) {
        entries += `${owner(value)}${header} ${content(value)}\n`;
        if (entries.length < GENERATED_CHUNK && value + step <= stop) continue;
        this.#readGenerated(entries);
        entries = '';
      }
    } finally {
      this.#bytes = outer.bytes;
      this.#lexer = outer.lexer;
      this.#owner = outer.owner;
      this.#generateLine = 0;
    }
  }

  #template(text: string): Template {
    return compileTemplate(text) ?? fail(`${shown(text)} has a wrong \${…}; write \${offset,width,base}.`);
  }

  /** Content of several fields is one quoted text for BIND, and several words for PowerDNS. */
  #generatedContent(from: number): string {
    const { count, flags } = this.#lexer;
    if (count === from + 1 && flags[from] & QUOTED) return this.#text(from).replaceAll('\\"', '"');
    let content = '';
    for (let i = from; i < count; i++) {
      const space = flags[i] & ADJACENT ? '' : ' ';
      content += flags[i] & QUOTED ? `${space}"${this.#text(i)}"` : `${space}${this.#text(i)}`;
    }
    return content;
  }

  #readGenerated(entries: string): void {
    this.#generatedText += entries.length;
    if (this.#generatedText > MAX_GENERATED_TEXT)
      fail(`The $GENERATE directives of the file make more than ${MAX_GENERATED_TEXT} bytes of text, the limit.`);
    this.#bytes = Buffer.from(entries, 'latin1');
    this.#lexer = new EntryLexer(this.#bytes);
    while (this.#lexer.next()) {
      if (this.#lexer.fault !== '') fail(`$GENERATE makes an entry with an error: ${this.#lexer.fault}.`);
      this.#record();
    }
  }

  #refuseWord(i: number): never {
    const word = this.#text(i).slice(0, 16).toUpperCase();
    if (/^(CH|CHAOS|HS|HESIOD|CS|NONE|CLASS\d+)$/.test(word)) fail(`Class ${word} is not supported; use class IN.`);
    return fail(
      `${this.#shown(i)} is not a type, class or TTL${/^[0-9]/.test(word) ? ' (the TTL is already set)' : ''}.`,
    );
  }

  #text(i: number): string {
    return this.#bytes.toString('latin1', this.#lexer.start[i], this.#lexer.end[i]);
  }

  #shown(i: number): string {
    return shown(this.#text(i));
  }
}

function fail(message: string): never {
  throw new InvalidError('invalid_zonefile', message);
}

function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}
