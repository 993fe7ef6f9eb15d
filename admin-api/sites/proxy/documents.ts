/**
 * Documents of a domain's sites (core/store/rows/site-documents.ts): each kind has a GET and a PUT
 * of the whole document, with its revision as ETag. A kind defines the schema of its body, a check,
 * and its view in responses. Kinds without sealed secrets can keep earlier versions for a restore.
 */
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { count, flag, id, list, orNull, readOnly, text, time } from '../../../core/base/schema.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Reader } from '../../../core/store/reader.ts';
import {
  type Domain,
  type SiteDocument,
  type SiteDocumentKind,
  siteDocuments,
  siteDocumentVersions,
} from '../../../core/store/rows.ts';
import { change } from '../../change/change.ts';
import { EDIT_FAULTS, editableDomain, etag, ownedDomain, requireRevision } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodySchema } from '../../http/json-body.ts';
import { type Context, route } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';

/** The context of a check. */
export interface DocumentCheck<Content> {
  readonly services: Services;
  readonly draft: Draft;
  readonly domain: Domain;
  /**
   * The current content, which supplies sealed secrets that the body omits; undefined: none yet.
   */
  readonly before: Content | undefined;
}

export interface DocumentFormat<
  Name extends string,
  Path extends string,
  Body extends TObject,
  View extends TProperties,
  Content,
> {
  readonly kind: SiteDocumentKind;
  /** The last part of the path, such as `error-pages`. */
  readonly path: Path;
  /** As in `getErrorPages`. */
  readonly name: Name;
  /** As in "Get the error pages of a domain". */
  readonly title: string;
  /** Description of the PUT in the OpenAPI document. */
  readonly description: string;
  readonly body: BodySchema<Body>;
  /** Fields of the response next to `revision` and `updated_at`. */
  readonly view: View;
  /** The content for a domain without the document. */
  readonly empty: Content;
  /** Error codes with status 422 that `check` throws. */
  readonly faults: readonly string[];
  /** Maximum size of the body in bytes; 1 MiB by default. */
  readonly limit?: number;
  /**
   * The content to store. Runs inside the commit, so it runs again after a conflict with another
   * request. Throws InvalidError, with a pointer to the field.
   */
  check(body: Static<Body>, about: DocumentCheck<Content>): Content | Promise<Content>;
  /** The fields of `view`; no secrets. */
  show(content: Content): Static<TObject<View>>;
}

/**
 * Maximum number of stored earlier versions of a document, and their maximum size in bytes without
 * the latest.
 */
const MAX_VERSIONS = 20;
const MAX_VERSIONS_BYTES = 512 << 10;

/** Read-only fields, so that a client can PUT the response of a GET. */
export const DOCUMENT_FIELDS = readOnly('revision', 'updated_at');

/** Undefined: the domain has none. */
export function contentOf<Content>(reader: Reader, kind: SiteDocumentKind, domain: Domain): Content | undefined {
  return reader.siteDocument(domain.id, kind)?.content as Content | undefined;
}

/** The fields of a document in responses, besides its own. */
const STATE_FIELDS = {
  revision: Type.Integer({ description: 'counts the changes of the document; 0: it was never set', minimum: 0 }),
  updated_at: orNull(time('when it was last set'), 'null: it was never set'),
};

type DocumentResponse<View extends TProperties> = TObject<View & typeof STATE_FIELDS>;

/** Reads and writes the documents of one kind. */
class Documents<Body extends TObject, View extends TProperties, Content> {
  readonly #services: Services;
  readonly #format: DocumentFormat<string, string, Body, View, Content>;
  readonly #keepsVersions: boolean;

  constructor(services: Services, format: DocumentFormat<string, string, Body, View, Content>, keepsVersions: boolean) {
    this.#services = services;
    this.#format = format;
    this.#keepsVersions = keepsVersions;
  }

  read({ caller, params, headers }: Context<Caller>) {
    const { reader } = this.#services;
    const { id: domainId } = ownedDomain(reader, caller, parseId(params.domain_id));
    const row = reader.siteDocument(domainId, this.#format.kind);
    headers.ETag = etag(row?.revision ?? 0);
    return row === undefined ? this.#view(this.#format.empty, 0, null) : this.#viewRow(row);
  }

  /** `bodyOf` returns the document to write. `restored`: the revision of a restored document. */
  write(context: Context<Caller>, bodyOf: (reader: Reader, domain: Domain) => Static<Body>, restored?: number) {
    const { kind, check } = this.#format;
    const services = this.#services;
    return change(services, context, async (draft) => {
      const { account, token } = context.caller;
      const domain = editableDomain(draft, context.caller, parseId(context.params.domain_id));
      const row = draft.siteDocument(domain.id, kind);
      requireRevision(context.header('if-match'), row?.revision ?? 0, 'document');
      const before = row?.content as Content | undefined;
      const content = await check(bodyOf(draft, domain), { services, draft, domain, before });
      const revision = (row?.revision ?? 0) + 1;
      const actor = { accountId: account.id, username: account.username, tokenName: token.name };
      const written = { domainId: domain.id, kind, revision, updatedAt: nowSeconds(), actor, content };
      if (row !== undefined && this.#keepsVersions) keepVersion(draft, row);
      draft.put(siteDocuments, written);
      const createResponse = () => {
        context.headers.ETag = etag(revision);
        return this.#viewRow(written);
      };
      return { action: `proxy.${kind}`, detail: { revision, restored }, domain, target: domain.id, createResponse };
    });
  }

  listVersions({ caller, params }: Context<Caller>) {
    const domain = ownedDomain(this.#services.reader, caller, parseId(params.domain_id));
    return { versions: versionsOf(this.#services.reader, domain, this.#format.kind).map(viewVersion) };
  }

  readVersion({ caller, params }: Context<Caller>) {
    const domain = ownedDomain(this.#services.reader, caller, parseId(params.domain_id));
    return this.#viewRow(this.#version(this.#services.reader, domain, parseId(params.revision)));
  }

  restoreVersion(context: Context<Caller>) {
    const revision = parseId(context.params.revision);
    const bodyOf = (reader: Reader, domain: Domain) => this.#version(reader, domain, revision).content as Static<Body>;
    return this.write(context, bodyOf, revision);
  }

  #version(reader: Reader, domain: Domain, revision: number): SiteDocument {
    const versions = versionsOf(reader, domain, this.#format.kind);
    return versions.find((version) => version.revision === revision) ?? noSuchVersion(revision);
  }

  #viewRow({ content, revision, updatedAt }: SiteDocument) {
    return this.#view(content as Content, revision, updatedAt);
  }

  #view(content: Content, revision: number, updatedAt: number | null) {
    const view = { ...this.#format.show(content), revision, updated_at: updatedAt && formatTime(updatedAt) };
    return view as unknown as Static<DocumentResponse<View>>;
  }
}

const COMMON = { tag: 'proxy', scope: 'proxy' } as const;

const pathOf = <const Path extends string>({ path }: { readonly path: Path }) =>
  `/api/v1/domains/{domain_id}/proxy/${path}` as const;

/** The endpoints of a document without versions. */
export function documentRoutes<
  const Name extends string,
  const Path extends string,
  Body extends TObject,
  View extends TProperties,
  Content,
>(services: Services, format: DocumentFormat<Name, Path, Body, View, Content>, keepsVersions = false) {
  const { name, title, description, body, faults, limit } = format;
  const documents = new Documents(services, format, keepsVersions);
  const path = pathOf(format);
  const response = Type.Object({ ...format.view, ...STATE_FIELDS }) as unknown as DocumentResponse<View>;
  return [
    route({
      ...COMMON,
      operationId: `get${name}` as const,
      method: 'GET',
      path,
      summary: `Get the ${title} of a domain`,
      conditional: true,
      response,
      faults: { 404: ['no_such_domain'] },
      run: (context) => documents.read(context),
    }),
    route({
      ...COMMON,
      operationId: `set${name}` as const,
      method: 'PUT',
      path,
      summary: `Replace the ${title} of a domain`,
      description,
      conditional: true,
      limit,
      body,
      response,
      faults: { 404: ['no_such_domain'], 409: EDIT_FAULTS, 422: faults },
      run: (context) => documents.write(context, () => context.body),
    }),
  ];
}

/**
 * The endpoints of a document whose earlier versions are kept. Only for kinds whose content `check`
 * accepts as a body.
 */
export function versionedDocumentRoutes<
  const Name extends string,
  const Path extends string,
  Body extends TObject,
  View extends TProperties,
  Content,
>(services: Services, format: DocumentFormat<Name, Path, Body, View, Content>) {
  const { name, title, faults } = format;
  const documents = new Documents(services, format, true);
  const versions = `${pathOf(format)}/versions` as const;
  const response = Type.Object({ ...format.view, ...STATE_FIELDS }) as unknown as DocumentResponse<View>;
  return [
    ...documentRoutes(services, format, true),
    route({
      ...COMMON,
      operationId: `list${name}Versions` as const,
      method: 'GET',
      path: versions,
      summary: `List the versions of the ${title} of a domain, newest first`,
      description: `The current version, and of the earlier ones the last ${MAX_VERSIONS}; fewer if they are larger than ${MAX_VERSIONS_BYTES >> 10} KiB together. The previous version is always there.`,
      response: versionsResponse,
      faults: { 404: ['no_such_domain'] },
      run: (context) => documents.listVersions(context),
    }),
    route({
      ...COMMON,
      operationId: `get${name}Version` as const,
      method: 'GET',
      path: `${versions}/{revision}` as const,
      summary: `Get a version of the ${title} of a domain`,
      response,
      faults: { 404: ['no_such_domain', 'no_such_version'] },
      run: (context) => documents.readVersion(context),
    }),
    route({
      ...COMMON,
      operationId: `restore${name}` as const,
      method: 'POST',
      path: `${versions}/{revision}/restore` as const,
      summary: `Restore a version of the ${title} of a domain`,
      description: 'The version is checked and written as a new one, so that a restore can be undone.',
      conditional: true,
      response,
      faults: { 404: ['no_such_domain', 'no_such_version'], 409: EDIT_FAULTS, 422: faults },
      run: (context) => documents.restoreVersion(context),
    }),
  ];
}

const versionsResponse = Type.Object({
  versions: list(
    Type.Object(
      {
        revision: count('the number of the version'),
        is_current: flag('whether it is the current version'),
        updated_at: time('when it was set'),
        actor: orNull(
          Type.Object({
            id: id('the account that set it'),
            username: Type.String(),
            token_name: orNull(text('the label of the token'), 'null: it has none'),
          }),
          'who set it; null: this is not known',
        ),
      },
      { title: 'DocumentVersion' },
    ),
    'the versions, newest first',
  ),
});

/** The current document and its earlier versions, newest first. */
function versionsOf(reader: Reader, { id: domainId }: Domain, kind: SiteDocumentKind): SiteDocument[] {
  const current = reader.siteDocument(domainId, kind);
  return current === undefined ? [] : [current, ...reader.siteDocumentVersions(domainId, kind).reverse()];
}

const viewVersion = ({ revision, updatedAt, actor }: SiteDocument, index: number) => ({
  revision,
  is_current: index === 0,
  updated_at: formatTime(updatedAt),
  actor: actor === undefined ? null : { id: actor.accountId, username: actor.username, token_name: actor.tokenName },
});

function noSuchVersion(revision: number): never {
  throw new HttpError(
    404,
    'no_such_version',
    `There is no version ${revision} of this document; list the versions that are kept.`,
  );
}

/** Stores the replaced row as a version, and deletes the versions above the limits. */
function keepVersion(draft: Draft, row: SiteDocument): void {
  let bytes = 0;
  const earlier = draft.siteDocumentVersions(row.domainId, row.kind).reverse();
  for (const [i, version] of earlier.entries()) {
    bytes += siteDocumentVersions.encode(version).length;
    if (i >= MAX_VERSIONS - 1 || bytes > MAX_VERSIONS_BYTES) draft.delete(siteDocumentVersions, version);
  }
  draft.put(siteDocumentVersions, row);
}
