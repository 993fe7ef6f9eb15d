/**
 * Cuts a master file into entries and fields (RFC 1035 section 5.1): offsets into the bytes, no
 * strings. Every byte is read once: after a fault the lexer does not move back, but skips the rest
 * of the entry.
 */
import { MAX_RDATA } from '../rdata/rdata-writer.ts';

/** Bits of EntryLexer.flags. */
export const QUOTED = 1;
export const ESCAPED = 2;
/** No white space before the field. */
export const ADJACENT = 4;

/**
 * Maximum fields of an entry: owner, TTL, class, type, and TXT with nothing but empty strings of
 * one length byte each.
 */
const MAX_FIELDS = MAX_RDATA + 4;
/**
 * Maximum bytes of an entry's fields: the longest rdata with every byte as `\DDD`, and as much
 * again for escaped names.
 */
const MAX_TEXT = 4 * (MAX_RDATA + 1024);

/** The fault of an entry that takes in the rest of the file. */
export const NEVER_CLOSED = '"(" is never closed';

const ORDINARY = 0;
const SPACE = 1;
const NEWLINE = 2;
const COMMENT = 3;
const OPEN = 4;
const CLOSE = 5;
const QUOTE = 6;
const ESCAPE = 7;
const CONTROL = 8;

/**
 * The class of each byte outside of quotes. Bytes above 127 are ordinary: text may contain UTF-8,
 * and names reject them later.
 */
const KIND = new Uint8Array(256);
KIND.fill(CONTROL, 0, 0x20);
KIND[0x7f] = CONTROL;
for (const c of ' \t\r\v\f') KIND[c.charCodeAt(0)] = SPACE;
KIND[0x0a] = NEWLINE;
KIND[0x3b] = COMMENT;
KIND[0x28] = OPEN;
KIND[0x29] = CLOSE;
KIND[0x22] = QUOTE;
KIND[0x5c] = ESCAPE;

const LF = 0x0a;
const CR = 0x0d;

export class EntryLexer {
  /** Fields of the current entry. */
  count = 0;
  /** Offsets of each field's first byte and of the byte after its last; quotes are outside. */
  start = new Int32Array(64);
  end = new Int32Array(64);
  flags = new Uint8Array(64);
  /** Line, from 1, on which the current entry starts. */
  line = 1;
  /** Offset of the first byte of the line on which the current entry starts. */
  begin = 0;
  /** Whether the entry begins with white space, so that it inherits the last owner. */
  blankOwner = false;
  /** The fault in the entry's syntax; empty: none. The fields before the fault are kept. */
  fault = '';
  faultLine = 0;

  readonly #bytes: Uint8Array;
  #position = 0;
  #currentLine = 1;
  #textLength = 0;
  #lastEnd = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    // A byte order mark, which some editors leave.
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#position = 3;
  }

  /** Offset of the byte after the current entry and its line feed. */
  get position(): number {
    return this.#position;
  }

  /** Advances to the next entry that has a field or a fault. False at the end of the input. */
  next(): boolean {
    const bytes = this.#bytes;
    const length = bytes.length;
    let p = this.#position;
    let depth = 0;
    let openLine = 0;
    this.count = 0;
    this.fault = '';
    this.#textLength = 0;
    this.#lastEnd = -1;
    this.line = this.#currentLine;
    this.begin = p;
    this.blankOwner = p < length && KIND[bytes[p]] === SPACE;
    while (p < length) {
      const kind = KIND[bytes[p]];
      if (kind === SPACE) p++;
      else if (kind === ORDINARY || kind === ESCAPE) p = this.#word(p);
      else if (kind === NEWLINE) {
        p++;
        this.#currentLine++;
        if (depth > 0) continue;
        if (this.count > 0 || this.fault !== '') {
          this.#position = p;
          return true;
        }
        this.line = this.#currentLine;
        this.begin = p;
        this.blankOwner = p < length && KIND[bytes[p]] === SPACE;
      } else if (kind === COMMENT) {
        while (p < length && bytes[p] !== LF) p++;
      } else if (kind === OPEN) {
        if (depth++ === 0) openLine = this.#currentLine;
        p++;
      } else if (kind === CLOSE) {
        if (depth > 0) depth--;
        else this.#fail('")" without "(" before it');
        p++;
      } else if (kind === QUOTE) p = this.#quoted(p, depth > 0);
      else {
        this.#fail(`control character ${bytes[p]}; write it as \\${String(bytes[p]).padStart(3, '0')}`);
        p++;
      }
    }
    this.#position = p;
    if (depth > 0) this.#fail(NEVER_CLOSED, openLine);
    return this.count > 0 || this.fault !== '';
  }

  /** A field without quotes, from `p`. Returns where it ends. */
  #word(from: number): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    let p = from;
    let flags = 0;
    while (p < length) {
      const kind = KIND[bytes[p]];
      if (kind === ORDINARY) p++;
      else if (kind === ESCAPE) {
        flags = ESCAPED;
        p = this.#escape(p);
      } else break;
    }
    this.#add(from, p, flags, from);
    return p;
  }

  /**
   * A quoted string whose opening quote is at `open`. Returns the offset after the closing one. It
   * spans lines only in parentheses, as for Knot.
   */
  #quoted(open: number, maySpan: boolean): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    let isSpanning = false;
    let p = open + 1;
    let flags = QUOTED;
    while (p < length) {
      const c = bytes[p];
      if (c === 0x22) {
        this.#add(open + 1, p, flags, open);
        this.#lastEnd = p + 1;
        return p + 1;
      }
      if (c === LF) {
        if (!maySpan || (!isSpanning && !this.#closesLater(p))) break;
        isSpanning = true;
        this.#currentLine++;
      }
      if (c === 0x5c) {
        flags |= ESCAPED;
        // BIND and NSD read an escaped line feed as part of the string.
        if (bytes[p + 1] === LF && this.#closesLater(p + 2)) {
          this.#currentLine++;
          p += 2;
        } else p = this.#escape(p);
      } else p++;
    }
    this.#fail('a quoted string is not closed on its line');
    return p;
  }

  /**
   * Whether the next quote after `from` closes a string, because no text follows it at once. If one
   * is missing, the next quote mostly opens a string, and the fault is found on its own line.
   */
  #closesLater(from: number): boolean {
    const bytes = this.#bytes;
    let p = from;
    while (p < bytes.length && bytes[p] !== 0x22) p += bytes[p] === 0x5c ? 2 : 1;
    if (p >= bytes.length) return false;
    const next = p + 1 < bytes.length ? KIND[bytes[p + 1]] : NEWLINE;
    return next === SPACE || next === NEWLINE || next === CLOSE || next === COMMENT;
  }

  /** Skips a backslash and the byte that it escapes, but never the end of the line. */
  #escape(p: number): number {
    const next = this.#bytes[p + 1];
    if (next !== undefined && next !== LF && next !== CR) return p + 2;
    this.#fail('a backslash at the end of the line');
    return p + 1;
  }

  #add(start: number, end: number, flags: number, from: number): void {
    if (this.fault !== '') return;
    const i = this.count;
    this.#textLength += end - start;
    if (i === MAX_FIELDS || this.#textLength > MAX_TEXT) {
      this.#fail(`the entry is longer than any record can be`);
      return;
    }
    if (i === this.start.length) this.#grow();
    this.start[i] = start;
    this.end[i] = end;
    this.flags[i] = from === this.#lastEnd ? flags | ADJACENT : flags;
    this.#lastEnd = end;
    this.count = i + 1;
  }

  #grow(): void {
    const size = this.start.length * 2;
    const start = new Int32Array(size);
    const end = new Int32Array(size);
    const flags = new Uint8Array(size);
    start.set(this.start);
    end.set(this.end);
    flags.set(this.flags);
    this.start = start;
    this.end = end;
    this.flags = flags;
  }

  #fail(message: string, line = this.#currentLine): void {
    if (this.fault !== '') return;
    this.fault = message;
    this.faultLine = line;
  }
}
