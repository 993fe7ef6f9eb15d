/**
 * Documents of a domain's sites (core/store/rows/site-documents.ts): each kind has a GET and a PUT
 * of the whole document, with its revision as ETag. A kind describes its body, checks it, and says
 * what is shown of it.
 */
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import type { Draft } from '../../core/journal/draft/draft.ts';
import type { Reader } from '../../core/store/reader.ts';
import { type Domain, type SiteDocumentKind, siteDocuments } from '../../core/store/rows.ts';
import { change } from '../change/change.ts';
import { parseId, type Services } from '../change/services.ts';
import { EDIT_FAULTS, editableDomain, etag, ownedDomain, requireRevision } from '../domains/owned.ts';
import type { Caller } from '../http/caller.ts';
import type { BodySchema } from '../http/json-body.ts';
import { type Context, type Route, route } from '../http/route.ts';
import { orNull, readOnly, time } from '../http/schema.ts';
import { formatTime, nowSeconds } from '../http/time.ts';

/** What a check may look at. */
export interface DocumentCheck<Content> {
  readonly services: Services;
  readonly draft: Draft;
  readonly domain: Domain;
  /** Undefined: there is none yet. Sealed secrets that the new one omits are taken from it. */
  readonly before: Content | undefined;
}

export interface DocumentFormat<Body extends TObject, Content> {
  readonly kind: SiteDocumentKind;
  /** The last part of the path, such as `error-pages`. */
  readonly path: string;
  /** As in `getErrorPages`. */
  readonly name: string;
  /** As in "Get the error pages of a domain". */
  readonly title: string;
  /** What the PUT does, in sentences. */
  readonly description: string;
  readonly body: BodySchema<Body>;
  /** Fields of the response next to `revision` and `updated_at`. */
  readonly view: TProperties;
  /** What holds for a domain without the document. */
  readonly empty: Content;
  /** Error codes with status 422 that `check` throws. */
  readonly faults: readonly string[];
  /** Maximum size of the body in bytes; 1 MiB by default. */
  readonly limit?: number;
  /**
   * The content to store. Runs inside the commit, so it runs again if another request changes what
   * it has read. Throws InvalidError, with a pointer to the field.
   */
  check(body: Static<Body>, about: DocumentCheck<Content>): Content | Promise<Content>;
  /** The fields of `view`; no secrets. */
  show(content: Content): Readonly<Record<string, unknown>>;
}

/** For the body of a PUT, which may be what a GET has returned. */
export const DOCUMENT_FIELDS = readOnly('revision', 'updated_at');

/** Undefined: the domain has none. */
export function contentOf<Content>(
  reader: Reader,
  { kind }: Pick<DocumentFormat<TObject, Content>, 'kind'>,
  domain: Domain,
): Content | undefined {
  return reader.siteDocument(domain.id, kind)?.content as Content | undefined;
}

export function documentRoutes<Body extends TObject, Content>(
  services: Services,
  format: DocumentFormat<Body, Content>,
): Route[] {
  const { kind, name, title, description, body, empty, faults, limit } = format;
  const path = `/api/v1/domains/{domain_id}/proxy/${format.path}`;
  const response = Type.Object({
    ...format.view,
    revision: Type.Integer({ description: 'counts the changes of the document; 0: it was never set', minimum: 0 }),
    updated_at: orNull(time('when it was last set'), 'null: it was never set'),
  });
  const reply = (content: Content, revision: number, updatedAt: number | null) =>
    ({ ...format.show(content), revision, updated_at: updatedAt === null ? null : formatTime(updatedAt) }) as Static<
      typeof response
    >;

  const read = ({ caller, params, headers }: Context<Caller>) => {
    const { id } = ownedDomain(services.reader, caller, parseId(params.domain_id));
    const row = services.reader.siteDocument(id, kind);
    headers.ETag = etag(row?.revision ?? 0);
    return reply((row?.content as Content | undefined) ?? empty, row?.revision ?? 0, row?.updatedAt ?? null);
  };

  const write = (context: Context<Caller, Static<Body>>) =>
    change(services, context, async (draft) => {
      const domain = editableDomain(draft, context.caller, parseId(context.params.domain_id));
      const row = draft.siteDocument(domain.id, kind);
      requireRevision(context.header('if-match'), row?.revision ?? 0, 'document');
      const before = row?.content as Content | undefined;
      const content = await format.check(context.body, { services, draft, domain, before });
      const revision = (row?.revision ?? 0) + 1;
      const updatedAt = nowSeconds();
      draft.put(siteDocuments, { domainId: domain.id, kind, revision, updatedAt, content });
      const target = domain.id;
      const createResponse = () => {
        context.headers.ETag = etag(revision);
        return reply(content, revision, updatedAt);
      };
      return { action: `proxy.${kind}`, detail: { revision }, domain, target, createResponse };
    });

  return [
    route({
      operationId: `get${name}`,
      method: 'GET',
      path,
      tag: 'proxy',
      summary: `Get the ${title} of a domain`,
      scope: 'proxy',
      conditional: true,
      response,
      faults: { 404: ['no_such_domain'] },
      run: read,
    }),
    route({
      operationId: `set${name}`,
      method: 'PUT',
      path,
      tag: 'proxy',
      summary: `Replace the ${title} of a domain`,
      description,
      scope: 'proxy',
      conditional: true,
      limit,
      body,
      response,
      faults: { 404: ['no_such_domain'], 409: EDIT_FAULTS, 422: faults },
      run: write,
    }),
  ];
}
