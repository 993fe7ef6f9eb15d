/** What reading a master file gives, and what it needs. */
import type { Name } from '../name.ts';
import type { ResourceRecord } from '../types.ts';

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
  /**
   * Owners that have capitals below the zone's own name, as they are written first, by their
   * nameId.
   */
  readonly spellings: ReadonlyMap<string, Name>;
  /** The records of all `$GENERATE`, if they are more than `maxGenerated`; they are not made. */
  readonly excess: number | null;
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
  /** The maximum number of records of all `$GENERATE`. Reading ends before any more. */
  readonly maxGenerated?: number;
}
