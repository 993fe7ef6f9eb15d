/** The state of the records page of a domain: stored records and unsaved edits. */
import { batch as batchSignals, computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Domain, RecordView } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { type Failure, wordFaults } from '../failure.ts';
import {
  acceptConflicts,
  addRecord,
  addRecords,
  type Batch,
  countEdits,
  type Edits,
  type Fields,
  type FullContents,
  failedRows,
  faultsOf,
  fullContentsOf,
  hasConflicts,
  NO_EDITS,
  type RowFault,
  rebase,
  type StoredBatch,
  type StoredRecord,
  storeBatch,
  toBatch,
  undoOf,
} from './edits.ts';
import type { Filter } from './filter.ts';

/** Milliseconds without input after which a check starts. */
const TYPING_MS = 250;
/** Maximum edits per check. More edits are checked only when the user saves them. */
const MAX_CHECKED = 500;

/** Records per request, the maximum of the API. */
const PAGE = 1000;
/** The header with the revision of a write. */
const REVISION = 'X-Waypost-Revision';
/** The zone has changed since it was read (RFC 9110 15.5.13). */
const PRECONDITION_FAILED = 412;
/** The API filters larger zones, which are loaded page by page as the user scrolls. */
const MAX_LOADED = 20_000;
/** Maximum requests in a row. A page of a filtered list can be empty although more follow. */
const MAX_PAGES_AT_ONCE = 50;

interface RecordQuery {
  readonly q?: string;
  readonly name?: string;
  readonly type?: string;
  readonly cursor?: string;
}

const nameAndType = ({ name, type }: Fields): string => `${name} ${type}`;

/** A saved batch, which can be undone. */
interface Saved {
  readonly count: number;
  /** The edits that restore the records. */
  readonly undo: Edits;
  /** The zone state that the batch has led to. Empty: not known. */
  readonly etag: string;
  /** Ids of the records to show again: the latest additions first. */
  readonly ids: readonly number[];
}

/** A change of many edits at once, which can be undone. */
interface ManyChanged {
  /** What was done. */
  readonly text: string;
  readonly before: Edits;
}

/**
 * The tag of the older of two states of a zone, so that saving detects any change in between. A tag
 * begins with the revision.
 */
function olderTag(...responses: readonly Response[]): string {
  const revisions = responses.map(({ headers }) => Number(/\d+/.exec(headers.get('etag') ?? '')));
  return `"${Math.min(...revisions)}"`;
}

export class ZoneEditor {
  readonly domain = signal<Domain | null>(null);
  readonly records = signal<readonly RecordView[]>([]);
  readonly isComplete = signal(false);
  readonly failure = signal<Failure | null>(null);
  readonly edits = signal<Edits>(NO_EDITS);
  /** Faults of the edits that the API has reported. */
  readonly faults = signal<readonly RowFault[]>([]);
  /** Of the edits that the API has checked. */
  readonly fullContents = signal<FullContents>(new Map());
  readonly saveFailure = signal<Failure | null>(null);
  readonly isSaving = signal(false);
  /** The last saved batch, until the next edit. */
  readonly saved = signal<Saved | null>(null);
  /** The last change of many edits at once, until the next edit. */
  readonly changed = signal<ManyChanged | null>(null);
  /** Whether the edits undo a saved batch and conflict with changes of other clients. */
  readonly isUndoing = signal(false);
  readonly count: ReadonlySignal<number> = computed(() => countEdits(this.edits.value));
  /** Whether the zone has too many records to load all of them. */
  readonly isLarge: ReadonlySignal<boolean> = computed(() => (this.domain.value?.record_count ?? 0) > MAX_LOADED);
  /** The filter of the user, which the API applies while the zone is large. */
  #filter: Filter = { text: '', type: '' };
  /** Cursor of the next page of a large zone. Null: there is none. */
  #cursor: string | null = null;
  #isLoadingMore = false;
  /** ETag of the zone state that the edits are based on. */
  #etag = '';
  #nextKey = 1;
  /** Number of the latest load. A newer load stops an older one. */
  #load = 0;
  /** Starts the check of the edits. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly domainId: number) {}

  /** Filters a large zone with the API. Other zones are filtered in the browser. */
  async filterLarge(filter: Filter): Promise<void> {
    const isSame = filter.text === this.#filter.text && filter.type === this.#filter.type;
    this.#filter = filter;
    if (!this.isLarge.value || isSame) return;
    this.records.value = [];
    this.isComplete.value = false;
    await this.load();
  }

  /**
   * Loads the domain, then its records page by page. Shown records stay until they are replaced.
   * The edits are rebased onto changes of other clients.
   */
  async load(): Promise<void> {
    const load = ++this.#load;
    this.failure.value = null;
    const params = { path: { domain_id: this.domainId } };
    const query = this.#queryAfter('');
    const [found, first] = await Promise.all([
      settle(api.GET('/api/v1/domains/{domain_id}', { params })),
      this.#readPage(query),
    ]);
    if (load !== this.#load) return;
    if (!found.ok) {
      this.failure.value = found.failure;
      return;
    }
    this.domain.value = found.data.domain;
    const records: RecordView[] = [];
    // For a large zone, a refresh loads at least as many records as are shown.
    const limit = this.isLarge.value ? Math.max(PAGE, this.records.value.length) : MAX_LOADED;
    let cursor: string | null = '';
    let etag = '';
    for (let pages = 0; cursor !== null && records.length < limit && pages < MAX_PAGES_AT_ONCE; pages++) {
      // Whether the API filters depends on the size of the zone.
      const wanted = this.#queryAfter(cursor);
      const isRead = pages === 0 && JSON.stringify(wanted) === JSON.stringify(query);
      const page = isRead ? first : await this.#readPage(wanted);
      if (load !== this.#load) return;
      if (!page.ok) {
        this.failure.value = page.failure;
        return;
      }
      if (pages === 0) etag = olderTag(found.response, page.response);
      for (const record of page.data.records) records.push(record);
      cursor = page.data.next_cursor;
      // The first load shows each page immediately; a refresh shows only the complete result.
      if (!this.isComplete.value) this.records.value = [...records];
    }
    const stored = await this.#readEdited(records);
    if (load !== this.#load || stored === null) return;
    this.#etag = etag;
    this.#cursor = cursor;
    this.edits.value = rebase(this.edits.value, stored);
    this.records.value = records;
    this.isComplete.value = true;
  }

  /** Reads the next records of a large zone. */
  async loadMore(): Promise<void> {
    const load = this.#load;
    if (this.#isLoadingMore || !this.isComplete.value) return;
    this.#isLoadingMore = true;
    const found: RecordView[] = [];
    for (let pages = 0; this.#cursor !== null && found.length === 0 && pages < MAX_PAGES_AT_ONCE; pages++) {
      const page = await this.#readPage(this.#queryAfter(this.#cursor));
      if (load !== this.#load) break;
      if (!page.ok) {
        this.failure.value = page.failure;
        break;
      }
      found.push(...page.data.records);
      this.#cursor = page.data.next_cursor;
    }
    this.#isLoadingMore = false;
    if (load === this.#load && found.length > 0) this.records.value = [...this.records.value, ...found];
  }

  #queryAfter(cursor: string): RecordQuery {
    const { text, type } = this.isLarge.value ? this.#filter : { text: '', type: '' };
    return {
      ...(text === '' ? {} : { q: text }),
      ...(type === '' ? {} : { type }),
      ...(cursor === '' ? {} : { cursor }),
    };
  }

  /** Loads changes of other clients. Keeps the edits and shows no loading state. */
  refresh(): Promise<void> {
    return this.isSaving.value ? Promise.resolve() : this.load();
  }

  /** Returns the key of the new row. */
  add(fields: Fields): number {
    const key = this.#nextKey++;
    this.edit(addRecord(this.edits.value, key, fields));
    return key;
  }

  addAll(fields: readonly Fields[]): void {
    this.edit(addRecords(this.edits.value, this.#nextKey, fields));
    this.#nextKey += fields.length;
  }

  edit(edits: Edits): void {
    this.edits.value = edits;
    this.saved.value = null;
    this.changed.value = null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), TYPING_MS);
  }

  /** Changes many edits at once, or discards them. `text`: what was done. */
  editMany(edits: Edits, text: string): void {
    const before = this.edits.peek();
    if (edits === NO_EDITS) this.discard();
    this.edit(edits);
    this.changed.value = { text, before };
  }

  /**
   * Undoes the last change of many edits. Other clients may have changed the records since, so the
   * edits are rebased onto the current ones.
   */
  async undoMany(): Promise<void> {
    const changed = this.changed.peek();
    if (changed === null) return;
    this.edit(changed.before);
    await this.load();
  }

  /** Checks edits while the user types, with a dry run of the batch that would save them. */
  async #check(): Promise<void> {
    const edits = this.edits.peek();
    const count = countEdits(edits);
    if (count === 0 || count > MAX_CHECKED) {
      this.faults.value = [];
      return;
    }
    const batch = toBatch(edits);
    const path = { domain_id: this.domainId };
    const result = await settle(
      api.POST('/api/v1/domains/{domain_id}/records/batch', {
        params: { path, query: { dry_run: 'true' } },
        body: batch,
      }),
    );
    // Newer edits have their own check. After a failed check, saving reports the faults.
    if (!result.ok || this.edits.peek() !== edits || result.data.preview === undefined) return;
    this.faults.value = faultsOf(batch, edits, wordFaults(result.data.preview.faults));
    this.fullContents.value = fullContentsOf(batch, result.data.preview);
  }

  discard(): void {
    this.edits.value = NO_EDITS;
    this.faults.value = [];
    this.saveFailure.value = null;
    this.isUndoing.value = false;
  }

  /**
   * Saves all edits as one batch. If other clients have changed the zone, rebases the edits first,
   * and saves them only if there are no conflicts.
   */
  async save(): Promise<boolean> {
    if (this.isSaving.value || this.count.value === 0) return false;
    this.isSaving.value = true;
    this.saveFailure.value = null;
    this.edits.value = acceptConflicts(this.edits.value);
    try {
      let failure = await this.#saveOnce();
      if (failure?.status === PRECONDITION_FAILED) {
        await this.load();
        if (this.failure.value !== null) return false;
        if (!hasConflicts(this.edits.value)) failure = this.count.value === 0 ? null : await this.#saveOnce();
      }
      this.saveFailure.value = failure;
      return failure === null;
    } finally {
      this.isSaving.value = false;
    }
  }

  /** Shows the saved records at once. They are loaded again while the user goes on. */
  async #saveOnce(): Promise<Failure | null> {
    const edits = this.edits.value;
    const batch = toBatch(edits);
    const result = await this.#send(batch, this.#etag);
    if (!result.ok) {
      if (result.failure.status !== PRECONDITION_FAILED) this.faults.value = failedRows(batch, edits, result.failure);
      return result.failure;
    }
    const { updated, created } = result.data;
    const undo = undoOf(edits, result.data, this.#nextKey);
    this.#nextKey += undo.additions.length;
    this.#show(result.data, result.response);
    const ids = [...created, ...updated.toReversed()].map(({ id }) => id);
    this.saved.value = this.isUndoing.value ? null : { count: countEdits(edits), undo, etag: this.#etag, ids };
    this.isUndoing.value = false;
    return null;
  }

  /** Shows the result of a batch, and loads the zone in the background. */
  #show(stored: StoredBatch, response: Response): void {
    const domain = this.domain.value;
    const count = (domain?.record_count ?? 0) + stored.created.length - stored.deleted.length;
    batchSignals(() => {
      this.edits.value = NO_EDITS;
      this.faults.value = [];
      this.records.value = storeBatch(this.records.value, stored);
      if (domain !== null) this.domain.value = { ...domain, record_count: count };
    });
    this.#etag = `"${response.headers.get(REVISION)}"`;
    // Fields that the response does not have, such as the addresses of an ALIAS.
    void this.load();
  }

  /**
   * Undoes the last saved batch. Resolves with whether it is undone. If other clients have changed
   * its records since, the undo becomes edits with conflicts, which the user reviews.
   */
  async undo(): Promise<boolean> {
    const saved = this.saved.value;
    if (saved === null || this.isSaving.value) return false;
    this.isSaving.value = true;
    this.saveFailure.value = null;
    this.saved.value = null;
    this.isUndoing.value = true;
    try {
      const result = await this.#send(toBatch(saved.undo), saved.etag);
      if (result.ok) {
        this.#show(result.data, result.response);
        this.isUndoing.value = false;
        return true;
      }
      this.edits.value = saved.undo;
      if (result.failure.status === PRECONDITION_FAILED) {
        await this.load();
        if (this.failure.value !== null || hasConflicts(this.edits.value)) return false;
        const failure = this.count.value === 0 ? null : await this.#saveOnce();
        this.saveFailure.value = failure;
        if (failure === null) this.isUndoing.value = false;
        return failure === null;
      }
      this.saveFailure.value = result.failure;
      return false;
    } finally {
      this.isSaving.value = false;
    }
  }

  /**
   * The stored state of at least the edited records, by id. Null: a request failed. `loaded`: the
   * records just loaded, which are all records unless the zone is large.
   */
  async #readEdited(loaded: readonly RecordView[]): Promise<Map<number, StoredRecord> | null> {
    const stored = new Map<number, StoredRecord>();
    if (this.edits.value.changes.size === 0) return stored;
    for (const record of loaded) stored.set(record.id, record);
    if (!this.isLarge.value) return stored;
    const missing = [...this.edits.value.changes.values()].filter(({ before }) => !stored.has(before.id));
    const sets = new Map(missing.map(({ before }) => [nameAndType(before), before]));
    for (const { name, type } of sets.values()) {
      const page = await this.#readPage({ name, type });
      if (!page.ok) {
        this.failure.value = page.failure;
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

  /** `etag`: the zone state that the batch is for. */
  #send(batch: Batch, etag: string) {
    const path = { domain_id: this.domainId };
    return settle(
      api.POST('/api/v1/domains/{domain_id}/records/batch', {
        params: { path, header: { 'If-Match': etag } },
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

/** Editors without edits hold only records, which can be loaded again. */
function forgetUnedited(): void {
  for (const [id, editor] of editors) if (editor.count.peek() === 0) editors.delete(id);
}

/** Deletes the data of the user who has signed out. */
export const forgetEditors = (): void => editors.clear();

/** Asks for confirmation before the user closes a window with edits. */
export function guardEdits(): void {
  addEventListener('beforeunload', (event) => {
    if ([...editors.values()].some((editor) => editor.count.peek() > 0)) event.preventDefault();
  });
}
