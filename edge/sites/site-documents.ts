/**
 * The documents of a domain's sites as a thread of the edge uses them. What is compiled of them
 * stays the same object until the domain's documents change.
 */
import { compileErrorPages, type ErrorPages, type ErrorPagesDocument } from '../../core/error-pages/error-pages.ts';
import type { Reader } from '../../core/store/reader.ts';
import type { Domain, SiteDocument } from '../../core/store/rows.ts';

export class SiteDocuments {
  /** Kinds with their revisions: the same text is the same content. */
  readonly key: string;
  /** Null: error pages are those of the service. */
  readonly errorPages: ErrorPages | null;

  constructor(documents: readonly SiteDocument[]) {
    this.key = keyOf(documents);
    this.errorPages = compiled(documents, 'error_pages', (content) => compileErrorPages(content as ErrorPagesDocument));
  }
}

/** Null: there is no document of that kind. */
function compiled<T>(
  documents: readonly SiteDocument[],
  kind: SiteDocument['kind'],
  compile: (content: unknown) => T,
): T | null {
  const document = documents.find((candidate) => candidate.kind === kind);
  return document === undefined ? null : compile(document.content);
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
