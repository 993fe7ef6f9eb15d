/**
 * A kind of document of a domain's sites, with the type of its content. Rows of the store have JSON
 * of any kind; here it gets its type, its default and its secrets.
 */
import type { Secrets } from '../base/secrets.ts';
import type { Id } from '../store/keys.ts';
import type { Reader } from '../store/reader.ts';
import {
  hasSecrets,
  type SiteDocument,
  type SiteDocumentKind,
  siteDocumentContext,
} from '../store/rows/site-documents.ts';

export class DocumentKind<Content, Kind extends SiteDocumentKind = SiteDocumentKind> {
  constructor(
    readonly kind: Kind,
    /** The content for a domain without the document. */
    readonly empty: Content,
  ) {}

  /** Undefined: the domain has none. */
  row(reader: Pick<Reader, 'siteDocument'>, domainId: Id): SiteDocument<Content> | undefined {
    return reader.siteDocument(domainId, this.kind) as SiteDocument<Content> | undefined;
  }

  /** `empty` if the domain has none. */
  content(reader: Pick<Reader, 'siteDocument'>, domainId: Id): Content {
    return this.row(reader, domainId)?.content ?? this.empty;
  }

  /** The document of this kind. */
  find(documents: readonly SiteDocument[]): SiteDocument<Content> | undefined {
    return documents.find(({ kind }) => kind === this.kind) as SiteDocument<Content> | undefined;
  }

  /** In base64, for a field whose name starts with "sealed". */
  seal(secrets: Pick<Secrets, 'seal'>, domainId: Id, plain: string | Uint8Array): string {
    if (!hasSecrets(this.kind)) throw new Error(`the kind ${this.kind} is declared without secrets`);
    return secrets.seal(Buffer.from(plain), siteDocumentContext(domainId, this.kind)).toString('base64');
  }

  /** Throws WaypostError `unsealable`. */
  unseal(secrets: Pick<Secrets, 'unseal'>, domainId: Id, sealed: string): Buffer {
    return secrets.unseal(Buffer.from(sealed, 'base64'), siteDocumentContext(domainId, this.kind));
  }
}
