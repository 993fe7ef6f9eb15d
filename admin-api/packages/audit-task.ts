/** What the threads of audits are asked, and what they answer. */
import type { AuditSummary } from '../../core/store/rows.ts';

/** What the manifest of a package says of it, all of it sound. */
export interface PackageFacts {
  readonly id: string;
  readonly name: string | null;
  readonly version: string;
  readonly versionCode: number;
}

export interface FoundFault {
  readonly code: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly fix: string;
}

/** The first look at a package: whose it is, or why it cannot be said. */
export type Identified =
  | { readonly kind: 'identified'; readonly facts: PackageFacts }
  | { readonly kind: 'unreadable'; readonly faults: readonly FoundFault[] };

export type Verdict = 'approved' | 'in_review' | 'rejected';

export interface Audited {
  readonly verdict: Verdict;
  readonly summary: AuditSummary;
  /** As a row keeps it: see core/store/rows/packages.ts. */
  readonly findings: Uint8Array;
}

export interface AuditTask {
  /** Of the package's file. */
  readonly path: string;
  /** Bytes that it may have. */
  readonly maxBytes: number;
  /** The SDKs that were issued. */
  readonly sdks: readonly { readonly version: string; readonly sha256: string }[];
}
