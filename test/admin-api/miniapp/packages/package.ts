/** Packages for the programs of these tests, and forms that contain them. */
import type { AuditPrograms } from '../../../../admin-api/miniapp/packages/index.ts';
import type { CallOptions } from '../../call-options.ts';

/** Programs that replace the audit: the package contains the result. */
export const PROGRAMS: AuditPrograms = {
  identify: new URL('./programs/identify.js', import.meta.url),
  audit: new URL('./programs/unruly.js', import.meta.url),
};

/** The result or the behaviour of the audit. */
export type Order =
  | 'approve'
  | 'reject'
  | 'review'
  | 'throw'
  | 'exit'
  | 'reject_later'
  | 'hang'
  | 'wait'
  | 'memory'
  | 'slow';

export const packageText = (id: string, code: number, order: Order = 'approve'): string =>
  `package ${id} ${code} do:${order}\n`;

export interface Part {
  readonly name: string;
  /** Undefined: the part is a field. */
  readonly filename?: string;
  readonly content: string | Buffer;
}

export const BOUNDARY = '----waypost-test';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

export function formBytes(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ name, filename, content }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`,
    filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: application/octet-stream`,
    '\r\n\r\n',
    content,
    '\r\n',
  ]);
  return Buffer.concat([...pieces, `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece)));
}

export const form = (parts: readonly Part[], headers: Record<string, string> = {}): CallOptions => ({
  body: formBytes(parts),
  headers: { 'content-type': FORM_TYPE, ...headers },
});

/** A form with a package and notes. */
export const packageForm = (content: string | Buffer, notes?: string, headers?: Record<string, string>): CallOptions =>
  form(
    [
      { name: 'package', filename: 'app.pkg', content },
      ...(notes === undefined ? [] : [{ name: 'notes', content: notes }]),
    ],
    headers,
  );

export const UPLOAD = '/api/dev/apps/upload';
