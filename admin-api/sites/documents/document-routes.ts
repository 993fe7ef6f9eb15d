/**
 * The endpoints of a document of a domain's sites: a GET and a PUT of the whole document, with its
 * revision as ETag. Some kinds keep earlier versions, which can be restored.
 * documents.ts lists the documents.
 */
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { count, flag, id, list, orNull, readOnly, text, time } from '../../../core/base/schema.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { DocumentKind } from '../../../core/site/document-kind.ts';
import type { Reader } from '../../../core/store/reader.ts';
import {
  type Domain,
  keepsVersions,
  type SiteDocument,
  type SiteDocumentKind,
  siteDocuments,
  siteDocumentVersions,
  type VersionedKind,
} from '../../../core/store/rows.ts';
import { change } from '../../change/change.ts';
import { EDIT_FAULTS, editableDomain, etag, ownedDomain, requireRevision } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import { bodySchema } from '../../http/json-body.ts';
import { type Context, route } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';

/** The context of a check. */
export interface DocumentCheck<Content> {
  readonly services: Services;
  readonly draft: Draft;
  readonly domain: Domain;
  /** The current content, which supplies secrets that the body omits. */
  readonly before: Content;
  /** Encrypts a secret, for a field whose name starts with "sealed". */
  seal(plain: string | Uint8Array): string;
}

interface DocumentFormat<
  Content,
  Kind extends SiteDocumentKind,
  Name extends string,
  Path extends string,
  Body extends TObject,
  View extends TProperties,
> {
  readonly document: DocumentKind<Content, Kind>;
  /** The last part of the path, such as `error-pages`. */
  readonly path: Path;
  /** As in `getErrorPages`. */
  readonly name: Name;
  /** As in "Get the error pages of a domain". */
  readonly title: string;
  /** Description of the PUT in the OpenAPI document. */
  readonly description: string;
  /** The stored content of a kind with versions is valid as a body. */
  readonly body: Body;
  readonly example: NoInfer<Static<Body>>;
  /** Commands for the document of example.com. */
  readonly commands: {
    readonly get: string;
    readonly set: string;
    readonly versions?: string;
    readonly version?: string;
    readonly restore?: string;
  };
  /** Fields of the response next to `revision` and `updated_at`. */
  readonly view: View;
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
const RESPONSE_FIELDS = readOnly('revision', 'updated_at');

/** The fields of a document in responses, besides its own. */
const STATE_FIELDS = {
  revision: Type.Integer({ description: 'counts the changes of the document; 0: it was never set', minimum: 0 }),
  updated_at: orNull(time('when it was last set'), 'null: it was never set'),
};

type DocumentResponse<View extends TProperties> = TObject<View & typeof STATE_FIELDS>;

/** Reads and writes the documents of one kind. */
class Documents<Content, Body extends TObject, View extends TProperties> {
  constructor(
    private readonly services: Services,
    private readonly format: DocumentFormat<Content, SiteDocumentKind, string, string, Body, View>,
  ) {}

  read({ caller, params, headers }: Context<Caller>) {
    const { document } = this.format;
    const { id: domainId } = ownedDomain(this.services.reader, caller, parseId(params.domain_id));
    const row = document.row(this.services.reader, domainId);
    headers.ETag = etag(row?.revision ?? 0);
    return row === undefined ? this.#view(document.empty, 0, null) : this.#viewRow(row);
  }

  /** `bodyOf` returns the document to write. `restored`: the revision of a restored document. */
  write(context: Context<Caller>, bodyOf: (reader: Reader, domain: Domain) => Static<Body>, restored?: number) {
    const { services } = this;
    const { document, check } = this.format;
    const { kind } = document;
    return change(services, context, async (draft) => {
      const { account, token } = context.caller;
      const domain = editableDomain(draft, context.caller, parseId(context.params.domain_id));
      const row = document.row(draft, domain.id);
      requireRevision(context.header('if-match'), row?.revision ?? 0, 'document');
      const before = row?.content ?? document.empty;
      const seal = (plain: string | Uint8Array) => document.seal(services.secrets, domain.id, plain);
      const content = await check(bodyOf(draft, domain), { services, draft, domain, before, seal });
      const revision = (row?.revision ?? 0) + 1;
      const actor = { accountId: account.id, username: account.username, tokenName: token.name };
      const written = { domainId: domain.id, kind, revision, updatedAt: nowSeconds(), actor, content };
      if (row !== undefined && keepsVersions(kind)) keepVersion(draft, row);
      draft.put(siteDocuments, written);
      const createResponse = () => {
        context.headers.ETag = etag(revision);
        return this.#viewRow(written);
      };
      return { action: `proxy.${kind}`, detail: { revision, restored }, domain, target: domain.id, createResponse };
    });
  }

  listVersions({ caller, params }: Context<Caller>) {
    const domain = ownedDomain(this.services.reader, caller, parseId(params.domain_id));
    return { versions: versionsOf(this.services.reader, domain, this.format.document.kind).map(viewVersion) };
  }

  readVersion({ caller, params }: Context<Caller>) {
    const domain = ownedDomain(this.services.reader, caller, parseId(params.domain_id));
    return this.#viewRow(this.#version(this.services.reader, domain, parseId(params.revision)));
  }

  restoreVersion(context: Context<Caller>) {
    const revision = parseId(context.params.revision);
    const bodyOf = (reader: Reader, domain: Domain) => this.#version(reader, domain, revision).content as Static<Body>;
    return this.write(context, bodyOf, revision);
  }

  #version(reader: Reader, domain: Domain, revision: number): SiteDocument {
    const versions = versionsOf(reader, domain, this.format.document.kind);
    return versions.find((version) => version.revision === revision) ?? noSuchVersion(revision);
  }

  #viewRow({ content, revision, updatedAt }: SiteDocument) {
    return this.#view(content as Content, revision, updatedAt);
  }

  #view(content: Content, revision: number, updatedAt: number | null) {
    const view = { ...this.format.show(content), revision, updated_at: updatedAt && formatTime(updatedAt) };
    return view as unknown as Static<DocumentResponse<View>>;
  }
}

const COMMON = { tag: 'proxy', scope: 'proxy' } as const;

const pathOf = <const Path extends string>({ path }: { readonly path: Path }) =>
  `/api/v1/domains/{domain_id}/proxy/${path}` as const;

type CurrentRoute<
  Name extends string,
  Path extends string,
  Body extends TObject,
  View extends TProperties,
> = ReturnType<typeof currentRoutes<Name, Path, Body, View>>[number];
type VersionRoute<Name extends string, Path extends string, View extends TProperties> = ReturnType<
  typeof versionRoutes<Name, Path, View>
>[number];

/** The endpoints of a document. */
export function documentRoutes<
  Content,
  Kind extends SiteDocumentKind,
  const Name extends string,
  const Path extends string,
  Body extends TObject,
  View extends TProperties,
>(services: Services, format: DocumentFormat<Content, Kind, Name, Path, Body, View>) {
  type Routes =
    | CurrentRoute<Name, Path, Body, View>
    | (Kind extends VersionedKind ? VersionRoute<Name, Path, View> : never);
  const documents = new Documents(services, format);
  const response = Type.Object({ ...format.view, ...STATE_FIELDS }) as unknown as DocumentResponse<View>;
  const current: readonly unknown[] = currentRoutes(format, documents, response);
  const versions = keepsVersions(format.document.kind) ? versionRoutes(format, documents, response) : [];
  return [...current, ...versions] as readonly Routes[];
}

type Texts<Name extends string, Path extends string> = Pick<
  DocumentFormat<unknown, SiteDocumentKind, Name, Path, TObject, TProperties>,
  'name' | 'path' | 'title' | 'faults' | 'commands'
>;

function currentRoutes<
  const Name extends string,
  const Path extends string,
  Body extends TObject,
  View extends TProperties,
>(
  format: Texts<Name, Path> & {
    readonly description: string;
    readonly body: Body;
    readonly example: Static<Body>;
    readonly limit?: number;
  },
  documents: Documents<unknown, Body, View>,
  response: DocumentResponse<View>,
) {
  const { name, title, description, faults, limit, example, commands } = format;
  const path = pathOf(format);
  // Its type is that of the format: it omits the fields that are ignored.
  const body = bodySchema(Type.Object({ ...format.body.properties, ...RESPONSE_FIELDS }) as TObject as Body);
  return [
    route({
      ...COMMON,
      operationId: `get${name}` as const,
      method: 'GET',
      path,
      summary: `Get the ${title} of a domain`,
      description: 'A document that was never set has the revision 0. The ETag is for If-Match of a PUT.',
      example: { command: commands.get },
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
      example: { body: example, command: commands.set },
      conditional: true,
      limit,
      body,
      response,
      faults: { 404: ['no_such_domain'], 409: EDIT_FAULTS, 422: faults },
      run: (context) => documents.write(context, () => context.body),
    }),
  ];
}

function versionRoutes<const Name extends string, const Path extends string, View extends TProperties>(
  format: Texts<Name, Path>,
  documents: Documents<unknown, TObject, View>,
  response: DocumentResponse<View>,
) {
  const { name, title, faults, commands } = format;
  const versions = `${pathOf(format)}/versions` as const;
  return [
    route({
      ...COMMON,
      operationId: `list${name}Versions` as const,
      method: 'GET',
      path: versions,
      summary: `List the versions of the ${title} of a domain, newest first`,
      description: `The current version, and of the earlier ones the last ${MAX_VERSIONS}; fewer if they are larger than ${MAX_VERSIONS_BYTES >> 10} KiB together. The previous version is always there.`,
      example: { command: commands.versions },
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
      description: 'As it was set. It can be sent in a PUT, or restored.',
      example: { command: commands.version },
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
      example: { command: commands.restore },
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
            username: Type.String({ examples: ['alice'] }),
            token_name: orNull(text('the label of the token', { examples: ['laptop'] }), 'null: it has none'),
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
