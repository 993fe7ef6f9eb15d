/**
 * The documents of a domain's sites as a thread of the edge uses them. What is compiled of them
 * stays the same object until the domain's documents change.
 */
import type { Reader } from '../../core/store/reader.ts';
import type { Domain, SiteDocument } from '../../core/store/rows.ts';

export class SiteDocuments {
  /** Kinds with their revisions: the same text is the same content. */
  readonly key: string;

  constructor(documents: readonly SiteDocument[]) {
    this.key = keyOf(documents);
  }
}

const keyOf = (documents: readonly SiteDocument[]): string =>
  documents.map(({ kind, revision }) => `${kind} ${revision}`).join();

/** Null: the domain has none. `before`: what was read last; it is returned if it still holds. */
export function readDocuments(
  reader: Reader,
  domainId: Domain['id'],
  before: SiteDocuments | null,
): SiteDocuments | null {
  const documents = reader.siteDocumentsOf(domainId);
  if (documents.length === 0) return null;
  return before?.key === keyOf(documents) ? before : new SiteDocuments(documents);
}
