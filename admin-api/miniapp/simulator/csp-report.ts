/** Reads reports about violations of the Content-Security-Policy (CSP 3, 5.3: report-uri). */
import { LONGEST_DETAIL, type ViolationNotice } from './notices.ts';

export const REPORT_TYPE = 'application/csp-report';
/** Browsers send a few hundred bytes, and the URL of the page. */
export const REPORT_BYTES = 16_384;

/** Undefined: it is no report. */
export function readReport(text: string, origin: string): ViolationNotice | undefined {
  let report: unknown;
  try {
    report = JSON.parse(text)?.['csp-report'];
  } catch {
    return;
  }
  if (typeof report !== 'object' || report === null) return;
  const fields = report as Record<string, unknown>;
  const directive = textOf(fields['effective-directive']) || textOf(fields['violated-directive']);
  if (directive === '') return;
  const file = withoutOrigin(textOf(fields['source-file']), origin);
  const line = fields['line-number'];
  const source = file !== '' && Number.isSafeInteger(line) ? `${file}:${line}` : file;
  return { kind: 'violation', directive, blocked: withoutOrigin(textOf(fields['blocked-uri']), origin), source };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, LONGEST_DETAIL) : '');

const withoutOrigin = (url: string, origin: string): string =>
  url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
