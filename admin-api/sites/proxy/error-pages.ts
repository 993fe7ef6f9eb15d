/** The endpoints of the error pages of a domain. */
import { Type } from '@sinclair/typebox';
import { compileErrorPages, type ErrorPagesDocument } from '../../../core/site/error-pages/error-pages.ts';
import { errorPagesBody, errorPagesView, MAX_PAGES } from '../../../core/site/error-pages/schema.ts';
import { MAX_PAGE_BYTES, PLACEHOLDERS } from '../../../core/site/error-pages/template.ts';
import type { Services } from '../../change/services.ts';
import { bodySchema } from '../../http/json-body.ts';
import { DOCUMENT_FIELDS, versionedDocumentRoutes } from './documents.ts';

const names = Object.keys(PLACEHOLDERS)
  .map((name) => `\`{{${name}}}\``)
  .join(', ');

/** Bytes: in JSON, a character of HTML may take two. */
const BODY_LIMIT = 2 * (MAX_PAGES + 1) * MAX_PAGE_BYTES;

export const errorPagesRoutes = (services: Services) =>
  versionedDocumentRoutes(services, {
    kind: 'error_pages',
    path: 'error-pages',
    name: 'ErrorPages',
    title: 'error pages',
    description: `Pages that visitors see instead of those of the edge, when the edge itself responds with a status from 400 to 599. Responses of the origin are not replaced, and programs that prefer JSON or text get these. Placeholders are ${names}; their values are escaped. A page runs no scripts, sends no forms and loads nothing from other hosts.`,
    body: bodySchema(Type.Object({ ...errorPagesBody, ...DOCUMENT_FIELDS })),
    view: errorPagesView,
    empty: { pages: [], maintenance: null } satisfies ErrorPagesDocument as ErrorPagesDocument,
    faults: ['invalid_error_page'],
    limit: BODY_LIMIT,
    check(body) {
      const document: ErrorPagesDocument = {
        pages: body.pages.map((page) => ({ status: page.status, html: page.html })),
        maintenance: body.maintenance ?? null,
      };
      compileErrorPages(document);
      return document;
    },
    show: ({ pages, maintenance = null }) => ({ pages, maintenance }),
  });
