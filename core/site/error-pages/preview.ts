/** Renders a page with sample values for its placeholders. */
import { STATUS_CODES } from 'node:http';
import { InvalidError } from '../../base/errors.ts';
import { compileErrorPages, MAINTENANCE_CODE } from './error-pages.ts';
import { PAGE_STATUS, type PlaceholderValues, parseTemplate, renderTemplate } from './template.ts';

const EXAMPLES: Readonly<Record<string, number>> = { '4xx': 404, '5xx': 502, [MAINTENANCE_CODE]: 503 };

/**
 * `status`: a status, a class, or `maintenance`. Throws InvalidError `invalid_error_page` and
 * `invalid_status`.
 */
export function renderPreview(html: string, status: string): string {
  if (status !== MAINTENANCE_CODE && !new RegExp(PAGE_STATUS).test(status))
    throw new InvalidError(
      'invalid_status',
      '"status" must be a status from 400 to 599, "4xx", "5xx", or "maintenance".',
      { pointer: '/status' },
    );
  if (status === MAINTENANCE_CODE) compileErrorPages({ pages: [], maintenance: html });
  else compileErrorPages({ pages: [{ status, html }] });
  return renderTemplate(parseTemplate(html), sampleValues(EXAMPLES[status] ?? Number(status)));
}

const sampleValues = (status: number): PlaceholderValues => ({
  status: String(status),
  title: STATUS_CODES[status] ?? 'The site does not respond',
  reason: 'The server behind this site does not respond at the moment. Please try again in a minute.',
  code: 'origin_refused',
  request_id: '5f2b8c0d9e1a-1z',
  host: 'www.example.com',
  time: '2026-11-27 08:00:00',
});
