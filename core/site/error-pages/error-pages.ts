/** The error pages of a domain: the document of the owner, and the compiled form for the edge. */
import type { Static, TObject } from '@sinclair/typebox';
import { InvalidError } from '../../base/errors.ts';
import { DocumentKind } from '../document-kind.ts';
import type { errorPagesBody } from './schema.ts';
import { MAX_PAGE_BYTES, parseTemplate, type Template, TemplateFault } from './template.ts';

/** The code of the page that a rule shows while a site is in maintenance. */
export const MAINTENANCE_CODE = 'maintenance';

type ErrorPagesDocument = Static<TObject<typeof errorPagesBody>>;

export const ERROR_PAGES = new DocumentKind<ErrorPagesDocument, 'error_pages'>('error_pages', {
  pages: [],
  maintenance: null,
});

/** Plain data, comparable by value. */
export interface ErrorPages {
  /** By status or class. */
  readonly byStatus: ReadonlyMap<string, Template>;
  readonly maintenance: Template | null;
}

/** Throws InvalidError `invalid_error_page`. */
export function compileErrorPages({ pages, maintenance = null }: ErrorPagesDocument): ErrorPages {
  const byStatus = new Map<string, Template>();
  for (const [i, { status, html }] of pages.entries()) {
    if (byStatus.has(status))
      throw invalid(`There are two pages for ${status}; keep one of them.`, `/pages/${i}/status`);
    byStatus.set(status, readPage(html, `page for ${status}`, `/pages/${i}/html`));
  }
  return {
    byStatus,
    maintenance: maintenance === null ? null : readPage(maintenance, 'maintenance page', '/maintenance'),
  };
}

/**
 * The page of a status takes precedence over the page of its class. Undefined: the default page of
 * the service.
 */
export function templateFor({ byStatus, maintenance }: ErrorPages, status: number, code: string): Template | undefined {
  if (code === MAINTENANCE_CODE && maintenance !== null) return maintenance;
  return byStatus.get(String(status)) ?? byStatus.get(`${Math.floor(status / 100)}xx`);
}

function readPage(html: string, name: string, pointer: string): Template {
  const bytes = Buffer.byteLength(html);
  if (bytes > MAX_PAGE_BYTES)
    throw invalid(`The ${name} has ${bytes} bytes; the limit is ${MAX_PAGE_BYTES}. Load its pictures by URL.`, pointer);
  if (html.trim() === '') throw invalid(`The ${name} is empty; leave it out for the page of the service.`, pointer);
  if (html.includes('\0')) throw invalid(`The ${name} contains a NUL character; remove it.`, pointer);
  try {
    return parseTemplate(html);
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    throw invalid(`The ${name} cannot be used: ${error.message}.`, pointer);
  }
}

const invalid = (message: string, pointer: string): InvalidError =>
  new InvalidError('invalid_error_page', message, { pointer });
