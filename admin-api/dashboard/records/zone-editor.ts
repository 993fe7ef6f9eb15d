/** The state of the records page of a domain: what is stored, and what is edited. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Domain, RecordView } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import {
  addRecord,
  type Batch,
  countEdits,
  type Edits,
  type Fields,
  faultsOf,
  hasConflicts,
  NO_EDITS,
  type RowFault,
  rebase,
  type StoredRecord,
  toBatch,
  toInverse,
} from './edits.ts';
import type { Filter } from './filter.ts';

/** The maximum of the API. */
const PAGE = 1000;
/** The zone has changed since it was read (RFC 9110 15.5.13). */
const PRECONDITION_FAILED = 412;
/** Larger zones are filtered by the API, which finds complete names, and are loaded in part. */
export const MAX_LOADED = 20_000;

interface RecordQuery {
  readonly name?: string;
  readonly type?: string;
  readonly cursor?: string;
}

const nameAndType = ({ name, type }: Fields): string => `${name} ${type}`;

export type Saved = { readonly count: number; readonly inverse: Batch | null };

export class ZoneEditor {
  readonly domainId: number;
  readonly domain = signal<Domain | null>(null);
  readonly records = signal<readonly RecordView[]>([]);
  readonly isComplete = signal(false);
  readonly failure = signal<Failure | null>(null);
  readonly edits = signal<Edits>(NO_EDITS);
  readonly faults = signal<readonly RowFault[]>([]);
  readonly saveFailure = signal<Failure | null>(null);
  readonly isSaving = signal(false);
  readonly saved = signal<Saved | null>(null);
  readonly count: ReadonlySignal<number> = computed(() => countEdits(this.edits.value));
  /** Whether the zone has too many records to load all of them. */
  readonly isLarge: ReadonlySignal<boolean> = computed(() => (this.domain.value?.record_count ?? 0) > MAX_LOADED);
  /** What the API filters, while the zone is large. */
  #filter: Filter = { text: '', type: '' };
  /** Names the state of the zone that the edits are based on. */
  #etag = '';
  #nextKey = 1;
  /** Counts loads: an older one ends when a newer one has begun. */
  #load = 0;

  constructor(domainId: number) {
    this.domainId = domainId;
  }

  /** Filters a large zone by a complete name. Other zones are filtered as they are shown. */
  async filterLarge(filter: Filter): Promise<void> {
    this.#filter = filter;
    if (this.isLarge.value) await this.load();
  }

  /**
   * Reads the domain, then its records page by page. Shown records stay until they are replaced.
   */
  async load(): Promise<void> {
    const load = ++this.#load;
    this.failure.value = null;
    const params = { path: { domain_id: this.domainId } };
    const found = await settle(api.GET('/api/v1/domains/{domain_id}', { params }));
    if (load !== this.#load) return;
    if (!found.ok) {
      this.failure.value = found.failure;
      return;
    }
    this.domain.value = found.data.domain;
    // Read before the records: a change in between is found when the edits are saved.
    const etag = found.response.headers.get('etag') ?? '';
    const { text, type } = this.#filter;
    const query: RecordQuery = this.isLarge.value
      ? { ...(text === '' ? {} : { name: text }), ...(type === '' ? {} : { type }) }
      : {};
    const records: RecordView[] = [];
    let cursor: string | null = '';
    while (cursor !== null && records.length < MAX_LOADED) {
      const page = await this.#readPage(cursor === '' ? query : { ...query, cursor });
      if (load !== this.#load) return;
      if (!page.ok) {
        this.failure.value = page.failure;
        return;
      }
      for (const record of page.data.records) records.push(record);
      cursor = page.data.next_cursor;
      // The first page is shown at once, unless an earlier state is.
      if (!this.isComplete.value) this.records.value = [...records];
    }
    this.#etag = etag;
    this.records.value = records;
    this.isComplete.value = true;
  }

  /** Reads what other clients have changed. Nothing is shown as loading, and no edit is lost. */
  async refresh(): Promise<void> {
    if (this.isSaving.value) return;
    await this.load();
    const stored = await this.#readEdited();
    if (stored !== null) this.edits.value = rebase(this.edits.value, stored);
  }

  /** Returns the key of the new row. */
  add(fields: Fields): number {
    const key = this.#nextKey++;
    this.edit(addRecord(this.edits.value, key, fields));
    return key;
  }

  edit(edits: Edits): void {
    this.edits.value = edits;
    this.saved.value = null;
  }

  discard(): void {
    this.edits.value = NO_EDITS;
    this.faults.value = [];
    this.saveFailure.value = null;
  }

  /**
   * Saves all edits as one batch. If other clients have changed the zone, the edits are put on top
   * of their changes, and saved only if no record was changed by both.
   */
  async save(): Promise<boolean> {
    if (this.isSaving.value || this.count.value === 0) return false;
    this.isSaving.value = true;
    this.faults.value = [];
    this.saveFailure.value = null;
    try {
      let failure = await this.#saveOnce();
      if (failure?.status === PRECONDITION_FAILED) {
        await this.load();
        if (this.failure.value !== null) return false;
        const stored = await this.#readEdited();
        if (stored === null) return false;
        this.edits.value = rebase(this.edits.value, stored);
        if (!hasConflicts(this.edits.value)) failure = this.count.value === 0 ? null : await this.#saveOnce();
      }
      this.saveFailure.value = failure;
      return failure === null;
    } finally {
      this.isSaving.value = false;
    }
  }

  async #saveOnce(): Promise<Failure | null> {
    const edits = this.edits.value;
    const batch = toBatch(edits);
    const result = await this.#send(batch);
    if (!result.ok) {
      this.faults.value = faultsOf(batch, edits, result.failure);
      return result.failure;
    }
    const created = result.data.created.map(({ id }) => id);
    this.saved.value = { count: countEdits(edits), inverse: toInverse(edits, created) };
    this.edits.value = NO_EDITS;
    // The service sets one TTL for all records of a name and type, and writes values its own way.
    await this.load();
    return null;
  }

  /** Undoes the last saved batch. */
  async undo(): Promise<void> {
    const saved = this.saved.value;
    if (saved?.inverse == null || this.isSaving.value) return;
    this.isSaving.value = true;
    const result = await this.#send(saved.inverse);
    this.isSaving.value = false;
    if (!result.ok) this.failure.value = result.failure;
    else {
      this.saved.value = null;
      await this.load();
    }
  }

  /** The current state of at least the edited records, by id. Null: it could not be read. */
  async #readEdited(): Promise<Map<number, StoredRecord> | null> {
    if (!this.isLarge.value) return new Map(this.records.value.map((record) => [record.id, record]));
    const stored = new Map<number, StoredRecord>();
    const sets = new Map([...this.edits.value.changes.values()].map(({ before }) => [nameAndType(before), before]));
    for (const { name, type } of sets.values()) {
      const page = await this.#readPage({ name, type });
      if (!page.ok) {
        this.saveFailure.value = page.failure;
        return null;
      }
      for (const record of page.data.records) stored.set(record.id, record);
    }
    return stored;
  }

  #readPage(query: RecordQuery) {
    const path = { domain_id: this.domainId };
    return settle(
      api.GET('/api/v1/domains/{domain_id}/records', { params: { path, query: { limit: PAGE, ...query } } }),
    );
  }

  #send(batch: Batch) {
    const path = { domain_id: this.domainId };
    return settle(
      api.POST('/api/v1/domains/{domain_id}/records/batch', {
        params: { path, header: { 'If-Match': this.#etag } },
        body: batch,
      }),
    );
  }
}

const editors = new Map<number, ZoneEditor>();

/** The editor of a domain keeps its edits while other pages are shown. */
export function editorOf(domainId: number): ZoneEditor {
  let editor = editors.get(domainId);
  if (editor === undefined) {
    forgetUnedited();
    editor = new ZoneEditor(domainId);
    editors.set(domainId, editor);
  }
  return editor;
}

/** Only edits are worth their memory; records can be read again. */
function forgetUnedited(): void {
  for (const [id, editor] of editors) if (editor.count.peek() === 0) editors.delete(id);
}

/** Deletes what the user who signed out has left. */
export const forgetEditors = (): void => editors.clear();

/** Asks before a window with edits is closed. */
export function guardEdits(): void {
  addEventListener('beforeunload', (event) => {
    if ([...editors.values()].some((editor) => editor.count.peek() > 0)) event.preventDefault();
  });
}
