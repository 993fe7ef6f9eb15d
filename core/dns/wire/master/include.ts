/**
 * Inserts included files (`$INCLUDE`, RFC 1035 5.1) into a master file. The result has no
 * `$INCLUDE`, and means the same as the files do for BIND.
 */
import { InvalidError } from '../../../base/errors.ts';
import { formatName, type Name } from '../name.ts';
import { parseNameBytes } from '../rdata/fields.ts';
import { EntryLexer, QUOTED } from './lexer.ts';

export interface MasterFile {
  /** Path for messages and for relative includes. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

export interface MasterLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

export interface Inlined {
  readonly bytes: Uint8Array;
  /** Finds the file and line that a line of `bytes` comes from. */
  locate(line: number): MasterLine;
}

const MAX_DEPTH = 10;
const MAX_FILES = 1000;
/** Maximum bytes of all files together. */
const MAX_INLINED = 256 << 20;

const DIRECTIVE = /^\$include[\s"]/im;

/** Whether the text may have a `$INCLUDE`. May be true for one in a comment or a text. */
export function mayInclude(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // A dollar sign is rare, and a search for a byte is fast.
  return buffer.includes(0x24) && DIRECTIVE.test(buffer.toString('latin1'));
}

/**
 * `read` reads the file of a `$INCLUDE` that is in `from`. Throws InvalidError `invalid_zonefile`
 * for an incomplete directive and for too many files, and what `read` throws.
 */
export function inlineIncludes(
  main: MasterFile,
  origin: Name,
  read: (path: string, from: MasterLine) => MasterFile,
): Inlined {
  const inliner = new Inliner(read);
  inliner.add(main, origin, 0);
  return inliner;
}

interface Mapped extends MasterLine {
  /** First line of the result that comes from this line. */
  readonly first: number;
}

class Inliner implements Inlined {
  readonly #read: (path: string, from: MasterLine) => MasterFile;
  readonly #pieces: Uint8Array[] = [];
  readonly #mapped: Mapped[] = [];
  #length = 0;
  #nextLine = 1;
  #files = 0;
  /** Owner that the next entry inherits if it has none. */
  #owner: Name | undefined;

  constructor(read: (path: string, from: MasterLine) => MasterFile) {
    this.#read = read;
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }

  locate(line: number): MasterLine {
    let low = 0;
    let high = this.#mapped.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#mapped[middle].first <= line) low = middle;
      else high = middle - 1;
    }
    const mapped = this.#mapped[low];
    return { file: mapped.file, line: mapped.line + Math.max(0, line - mapped.first) };
  }

  add({ file, bytes: text }: MasterFile, start: Name, depth: number): void {
    const bytes = text.length > 0 && text[text.length - 1] !== LINE_FEED ? Buffer.concat([text, LINE_END]) : text;
    const lexer = new EntryLexer(bytes);
    let origin = start;
    let copied = 0;
    let copiedLine = 1;
    // After an include, the owner is again that of the entry before it.
    let isOwnerLost = false;
    const copyTo = (end: number, line: number) => {
      this.#append(bytes.subarray(copied, end), { file, line: copiedLine });
      copied = end;
      copiedLine = line;
    };
    const field = (i: number) => Buffer.from(bytes.subarray(lexer.start[i], lexer.end[i])).toString('latin1');
    while (lexer.next()) {
      if (lexer.count === 0) continue;
      const isPlain = !lexer.blankOwner && !(lexer.flags[0] & QUOTED);
      const directive = isPlain && bytes[lexer.start[0]] === 0x24 ? field(0).slice(0, 16).toUpperCase() : '';
      if (directive === '$ORIGIN' && lexer.count === 2) origin = readName(field(1), origin) ?? origin;
      if (directive === '$INCLUDE') {
        const at = { file, line: lexer.line };
        if (lexer.count < 2 || lexer.count > 3 || lexer.fault !== '')
          throw failure(at, '$INCLUDE requires a file, and may have a name after it');
        const inner = lexer.count === 3 ? readName(field(2), origin) : origin;
        if (inner === undefined) throw failure(at, 'the name after the file is not a domain name');
        if (depth === MAX_DEPTH) throw failure(at, `files include each other more than ${MAX_DEPTH} deep`);
        if (++this.#files > MAX_FILES) throw failure(at, `the file includes more than ${MAX_FILES} files`);
        copyTo(lexer.begin, lexer.line);
        const outerOwner = this.#owner;
        this.#append(originLine(inner), at);
        this.add(this.#read(field(1), at), inner, depth + 1);
        this.#append(originLine(origin), at);
        this.#owner = outerOwner;
        isOwnerLost = true;
        copied = lexer.position;
        copiedLine = lexer.line + countLines(bytes.subarray(lexer.begin, lexer.position));
      }
      if (directive !== '') continue;
      if (!lexer.blankOwner) {
        this.#owner = readName(field(0), origin);
        isOwnerLost = false;
      } else if (isOwnerLost && this.#owner !== undefined) {
        copyTo(lexer.begin, lexer.line);
        this.#append(Buffer.from(formatName(this.#owner), 'latin1'), { file, line: lexer.line });
        isOwnerLost = false;
      }
    }
    copyTo(bytes.length, copiedLine);
  }

  #append(piece: Uint8Array, from: MasterLine): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > MAX_INLINED) throw failure(from, `the files have more than ${MAX_INLINED} bytes together`);
    this.#pieces.push(piece);
    if (this.#mapped.at(-1)?.first !== this.#nextLine) this.#mapped.push({ ...from, first: this.#nextLine });
    this.#nextLine += countLines(piece);
  }
}

const LINE_FEED = 0x0a;
const LINE_END = Uint8Array.of(LINE_FEED);

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

const originLine = (origin: Name): Uint8Array => Buffer.from(`$ORIGIN ${formatName(origin)}\n`, 'latin1');

function readName(text: string, origin: Name): Name | undefined {
  try {
    return parseNameBytes(text, origin);
  } catch (error) {
    if (error instanceof InvalidError) return undefined;
    throw error;
  }
}

const failure = ({ file, line }: MasterLine, message: string): InvalidError =>
  new InvalidError('invalid_zonefile', `${file}:${line}: ${message}.`);
