/** Records what the journal does to an index, to do it again, or step by step. */
import type { IndexWriter } from '../../../../core/store/index/writer.ts';

export interface IndexChange {
  readonly method: string;
  readonly run: () => void;
}

export class RecordedIndex {
  readonly changes: IndexChange[] = [];
  /** Changes are recorded only, and the index stays as it is. */
  isHeld = false;
  readonly #index: IndexWriter;

  constructor(index: IndexWriter) {
    this.#index = index;
  }

  /** For use instead of the index. */
  get writer(): IndexWriter {
    const index = this.#index;
    const record = (method: string, run: () => void): void => {
      this.changes.push({ method, run });
      if (!this.isHeld) run();
    };
    const denial: Pick<IndexWriter['denial'], 'put' | 'remove' | 'replaceAll'> = {
      put: (...args) => record('denial.put', () => index.denial.put(...args)),
      remove: (...args) => record('denial.remove', () => index.denial.remove(...args)),
      replaceAll: (...args) => record('denial.replaceAll', () => index.denial.replaceAll(...args)),
    };
    const writer = {
      get held() {
        return index.held;
      },
      beginCommit: () => index.beginCommit(),
      cancelCommit: () => index.cancelCommit(),
      markChanging: (apex: Uint8Array) => record('markChanging', () => index.markChanging(apex)),
      put: (node: Uint8Array, wasStored: boolean) => record('put', () => index.put(node, wasStored)),
      remove: (name: Uint8Array) => record('remove', () => index.remove(name)),
      isAmbiguous: (name: Uint8Array) => index.isAmbiguous(name),
      publish: () => record('publish', () => index.publish()),
      denial,
    };
    return writer as unknown as IndexWriter;
  }
}
