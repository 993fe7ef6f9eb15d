/** Zone files: what an import would do, and the import. */
import { api, settle } from '../api.ts';
import type { Fields } from './edits.ts';

/** Maximum number of records that are added at once: that of a batch. */
export const MAX_ADDED = 10_000;

const HEADERS = { 'Content-Type': 'text/dns' };

/** `limit`: how many records of each kind are listed. */
export function previewImport(domainId: number, file: string | Blob, limit: number, keepsApex = false) {
  return settle(
    api.PUT('/api/v1/domains/{domain_id}/zonefile', {
      params: {
        path: { domain_id: domainId },
        query: { dry_run: 'true', limit, ...(keepsApex ? { apex: 'keep' as const } : {}) },
      },
      headers: HEADERS,
      body: file,
    }),
  );
}

/** Replaces all records of the domain. `etag`: the state that the preview was made for. */
export function importZone(domainId: number, file: string | Blob, keepsApex: boolean, etag: string) {
  return settle(
    api.PUT('/api/v1/domains/{domain_id}/zonefile', {
      params: {
        path: { domain_id: domainId },
        query: keepsApex ? { apex: 'keep' as const } : {},
        header: { 'If-Match': etag },
      },
      headers: HEADERS,
      body: file,
    }),
  );
}

export const fieldsOf = ({ name, type, content, ttl }: Fields): Fields => ({ name, type, content, ttl });
