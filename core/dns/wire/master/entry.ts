/**
 * The entry that is being read, shared by the readers of its parts, and the faults and warnings of
 * the file.
 */
import { InvalidError } from '../../../base/errors.ts';
import { shown } from '../rdata/fields.ts';
import { EntryLexer } from './lexer.ts';
import type { MasterError, MasterWarning } from './result.ts';

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
