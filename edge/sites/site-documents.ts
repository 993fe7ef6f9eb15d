/**
 * The documents of a domain's sites in a thread of the edge. The compiled documents stay the same
 * objects until the documents change.
 */
import type { DocumentKind } from '../../core/site/document-kind.ts';
import { compileErrorPages, ERROR_PAGES, type ErrorPages } from '../../core/site/error-pages/error-pages.ts';
import { LOGS, type LogPlan, logPlan } from '../../core/site/logs/document.ts';
import { ORIGINS, type OriginsDocument } from '../../core/site/pools/document.ts';
import { compileProtection, type SiteProtection } from '../../core/site/protection/compile.ts';
import { PROTECTION } from '../../core/site/protection/document.ts';
import { RULES } from '../../core/site/rules/document.ts';
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
    this.errorPages = compiled(documents, ERROR_PAGES, ({ content }) => compileErrorPages(content));
    this.pools = compiled(documents, ORIGINS, (document) =>
      compilePools(document, owner, tools.pools, before?.pools ?? null),
    );
    this.protection = compiled(documents, PROTECTION, ({ content }) => compileProtection(content));
    this.logs = compiled(documents, LOGS, ({ content }) => logPlan(content));
    this.rules = compiled(documents, RULES, (document) =>
      before?.rules?.revision === document.revision ? before.rules : new SiteRules(document),
    );
  }
}

/** Null: there is no document of that kind. */
function compiled<Content, T>(
  documents: readonly SiteDocument[],
  kind: DocumentKind<Content>,
  compile: (document: SiteDocument<Content>) => T,
): T | null {
  const document = kind.find(documents);
  return document === undefined ? null : compile(document);
}

/** Unchanged pools keep the state of their origins when another document changes. */
function compilePools(
  { content, revision }: SiteDocument<OriginsDocument>,
  { id, name }: DocumentOwner,
  tools: PoolTools,
  before: SitePools | null,
): SitePools | null {
  if (content.origins.length === 0) return null;
  return before?.revision === revision ? before : new SitePools(content, revision, id, name, tools, before);
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
