/** Previews and runs imports of zone files. */
import { api, settle } from '../api.ts';
import type { Fields } from './edits.ts';

/** Maximum number of records to add at once, which is the maximum of a batch. */
export const MAX_ADDED = 10_000;

const HEADERS = { 'Content-Type': 'text/dns' };

/** `limit`: maximum number of listed records of each kind. */
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

/** Replaces all records of the domain. `etag`: the zone state of the preview. */
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
