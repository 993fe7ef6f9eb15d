/**
 * The documents of a domain's sites in a thread of the edge. The compiled documents stay the same
 * objects until the documents change.
 */
import {
  compileErrorPages,
  type ErrorPages,
  type ErrorPagesDocument,
} from '../../core/site/error-pages/error-pages.ts';
import { type LogPlan, type LogsDocument, logPlan } from '../../core/site/logs/document.ts';
import type { OriginsDocument } from '../../core/site/pools/document.ts';
import { compileProtection, type SiteProtection } from '../../core/site/protection/compile.ts';
import type { ProtectionDocument } from '../../core/site/protection/document.ts';
import type { Reader } from '../../core/store/reader.ts';
import type { Domain, SiteDocument } from '../../core/store/rows.ts';
import { type PoolTools, SitePools } from './site-pools.ts';
import { SiteRules } from './site-rules.ts';

/** Dependencies of the compilation. */
export interface DocumentTools {
  readonly pools: PoolTools;
}

/** The domain of documents, without the last dot. */
interface DocumentOwner {
  readonly id: Domain['id'];
  readonly name: string;
}

export class SiteDocuments {
  /** Kinds with their revisions: the same text is the same content. */
  readonly key: string;
  /** Null: error pages are those of the service. */
  readonly errorPages: ErrorPages | null;
  /** Null: the domain's own origin serves everything. */
  readonly pools: SitePools | null;
  /** Null: there is no such document. */
  readonly protection: SiteProtection | null;
  /** Null: the owner receives no logs. */
  readonly logs: LogPlan | null;
  readonly rules: SiteRules | null;

  constructor(
    documents: readonly SiteDocument[],
    owner: DocumentOwner,
    tools: DocumentTools,
    before: SiteDocuments | null,
  ) {
    this.key = keyOf(documents);
    this.errorPages = compiled(documents, 'error_pages', ({ content }) =>
      compileErrorPages(content as ErrorPagesDocument),
    );
    this.pools = compiled(documents, 'origins', ({ content, revision }) =>
      compilePools(content as OriginsDocument, revision, owner, tools.pools, before?.pools ?? null),
    );
    this.protection = compiled(documents, 'protection', ({ content }) =>
      compileProtection(content as ProtectionDocument),
    );
    this.logs = compiled(documents, 'logs', ({ content }) => logPlan(content as LogsDocument));
    this.rules = compiled(documents, 'rules', (document) =>
      before?.rules?.revision === document.revision ? before.rules : new SiteRules(document),
    );
  }
}

/** Null: there is no document of that kind. */
function compiled<T>(
  documents: readonly SiteDocument[],
  kind: SiteDocument['kind'],
  compile: (document: SiteDocument) => T,
): T | null {
  const document = documents.find((candidate) => candidate.kind === kind);
  return document === undefined ? null : compile(document);
}

/** Unchanged pools keep the state of their origins when another document changes. */
function compilePools(
  document: OriginsDocument,
  revision: number,
  { id, name }: DocumentOwner,
  tools: PoolTools,
  before: SitePools | null,
): SitePools | null {
  if (document.origins.length === 0) return null;
  return before?.revision === revision ? before : new SitePools(document, revision, id, name, tools);
}

const keyOf = (documents: readonly SiteDocument[]): string =>
  documents.map(({ kind, revision }) => `${kind} ${revision}`).join();

/** Null: the domain has none. `before`: the previous documents, returned if nothing has changed. */
export function readDocuments(
  reader: Reader,
  owner: DocumentOwner,
  tools: DocumentTools,
  before: SiteDocuments | null,
): SiteDocuments | null {
  const documents = reader.siteDocumentsOf(owner.id);
  if (documents.length === 0) return null;
  return before?.key === keyOf(documents) ? before : new SiteDocuments(documents, owner, tools, before);
}
