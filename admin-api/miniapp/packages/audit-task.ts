/** Tasks and results of the audit threads. */

import type { AuditSummary, Listing } from '../../../core/store/rows.ts';
import type { Sdk } from '../sdk/trust.ts';

/** Validated facts from the manifest of a package. */
export interface PackageFacts {
  readonly id: string;
  readonly name: string | null;
  readonly version: string;
  readonly versionCode: number;
  /** For the store; null: the manifest lacks a part. */
  readonly listing: Omit<Listing, 'icon'> | null;
  /** Null: there is none, or it is too large for the store. */
  readonly icon: FoundIcon | null;
}

export interface FoundIcon {
  /** By its first bytes. */
  readonly type: NonNullable<Listing['icon']>['type'];
  readonly bytes: Uint8Array;
}

export interface FoundFault {
  readonly code: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly fix: string;
}

/** Result of identifying a package: its app, or the reasons for a failure. */
export type Identified =
  | { readonly kind: 'identified'; readonly facts: PackageFacts }
  | { readonly kind: 'unreadable'; readonly faults: readonly FoundFault[] };

export type Verdict = 'approved' | 'in_review' | 'rejected';

export interface Audited {
  readonly verdict: Verdict;
  readonly summary: AuditSummary;
  /** In the format of the row: see core/store/rows/packages.ts. */
  readonly findings: Uint8Array;
}

export interface AuditTask {
  /** Path of the package file. */
  readonly path: string;
  /** Maximum size of the package in bytes. */
  readonly maxBytes: number;
  /** All known SDKs. */
  readonly sdks: readonly Sdk[];
}
