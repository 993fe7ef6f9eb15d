/** The result and the options of parsing a master file. */
import type { Name } from '../name.ts';
import type { ResourceRecord } from '../types.ts';

/** A record and the line, from 1, on which its entry starts. */
export type MasterRecord = ResourceRecord & { readonly line: number };

export interface MasterError {
  readonly line: number;
  readonly message: string;
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
