/**
 * The entry that is being read, shared by the readers of its parts, and the faults and warnings of
 * the file.
 */
import { InvalidError } from '../../../base/errors.ts';
import type { Name } from '../name.ts';
import { shown } from '../rdata/fields.ts';
import type { ResourceRecord } from '../types.ts';
import { EntryLexer } from './lexer.ts';

export class CurrentEntry {
  bytes: Buffer;
  lexer: EntryLexer;
  /** Line of the `$GENERATE` whose entries are being read; 0: none. */
  generateLine = 0;
  readonly errors: MasterError[] = [];
  readonly warnings: MasterWarning[] = [];
  readonly maxErrors: number;

  constructor(bytes: Buffer, maxErrors: number) {
    this.bytes = bytes;
    this.lexer = new EntryLexer(bytes);
    this.maxErrors = maxErrors;
  }

  /** Line of the entry, from 1. */
  get line(): number {
    return this.generateLine > 0 ? this.generateLine : this.lexer.line;
  }

  /** The bytes of field `i`. */
  text(i: number): string {
    return this.bytes.toString('latin1', this.lexer.start[i], this.lexer.end[i]);
  }

  /** Field `i` for a message. */
  shown(i: number): string {
    return shown(this.text(i));
  }

  warn(code: string, message: string): void {
    if (this.warnings.length < this.maxErrors) this.warnings.push({ line: this.line, code, message });
  }

  /** Reads `text` as entries of its own; `read` is called for each. */
  readGenerated(text: string, read: () => void): void {
    const { bytes, lexer } = this;
    this.bytes = Buffer.from(text, 'latin1');
    this.lexer = new EntryLexer(this.bytes);
    try {
      while (this.lexer.next()) {
        if (this.lexer.fault !== '') fail(`$GENERATE makes an entry with an error: ${this.lexer.fault}.`);
        read();
      }
    } finally {
      this.bytes = bytes;
      this.lexer = lexer;
    }
  }
}

export function fail(message: string): never {
  throw new InvalidError('invalid_zonefile', message);
}

/** A record and the line, from 1, on which its entry starts. */
export type MasterRecord = ResourceRecord & { readonly line: number };

export interface MasterError {
  readonly line: number;
  readonly message: string;
  /** Set where the lines after it cannot be read without it. */
  readonly isDecisive?: boolean;
}

/** A fault that does not prevent reading the file. */
export interface MasterWarning extends MasterError {
  /** Stable, in snake case. */
  readonly code: string;
}

/** The number of dropped records of a type, and the line of the first. */
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
  /** Spellings of owners with capitals below the apex, by nameId. The first spelling is kept. */
  readonly spellings: ReadonlyMap<string, Name>;
  /**
   * The number of records of all `$GENERATE`, if it exceeds `maxGenerated`. They are not generated.
   */
  readonly excess: number | null;
}

export interface MasterOptions {
  /** The zone's apex: the first $ORIGIN, and the limit for owners. */
  readonly origin: Name;
  /** Seconds, for records before any TTL and any SOA. */
  readonly defaultTtl?: number;
  /** Types whose records are counted and dropped. Their rdata is not parsed. */
  readonly drops?: ReadonlySet<number>;
  /** Maximum number of faults before reading ends. Default 100. */
  readonly maxErrors?: number;
  /** The maximum number of records of all `$GENERATE`. Reading ends before any more. */
  readonly maxGenerated?: number;
}
