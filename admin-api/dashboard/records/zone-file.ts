/** Previews and runs imports of zone files, also of pasted lines. */

import { useEffect } from 'preact/hooks';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import type { Fields } from './edits.ts';
import type { ZoneEditor } from './zone-editor.ts';

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

export interface Pasted {
  readonly added: number;
  /** Records that already exist in the domain. */
  readonly existing: number;
  /** Lines that are not records. */
  readonly errors: readonly { readonly line: number; readonly message: string }[];
}

type PasteResult = { readonly ok: true; readonly pasted: Pasted } | { readonly ok: false; readonly failure: Failure };

/**
 * Turns zone file lines that the user pastes into the table into new records. The API parses the
 * lines, as in an import.
 */
export async function pasteLines(editor: ZoneEditor, text: string): Promise<PasteResult> {
  const result = await previewImport(editor.domainId, text, MAX_ADDED);
  if (!result.ok) return result;
  const { preview } = result.data;
  if (preview === undefined) return { ok: true, pasted: { added: 0, existing: 0, errors: [] } };
  const { created, changed, unchanged, errors } = preview;
  if (created.records.length > 0) editor.addAll(created.records.map(fieldsOf));
  return { ok: true, pasted: { added: created.records.length, existing: changed.count + unchanged, errors } };
}

const hasSeveralLines = (text: string): boolean => /\S[^\n]*\n\s*\S/.test(text);

/** Calls `run` with text pasted outside of inputs, or with several lines pasted into the table. */
export function usePastedLines(run: (text: string) => void): void {
  useEffect(() => {
    const listen = (event: ClipboardEvent): void => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      const { target } = event;
      const input = target instanceof Element ? target.closest('input, textarea, dialog[open]') : null;
      const isInTable = input?.closest('table') != null && input.closest('dialog') === null;
      const isForTable = input === null ? /\S\s+\S/.test(text) : isInTable && hasSeveralLines(text);
      if (!isForTable) return;
      event.preventDefault();
      run(text);
    };
    document.addEventListener('paste', listen);
    return () => document.removeEventListener('paste', listen);
  });
}
