/** The app's storage as a topic of the page. */
import type { AppStorage } from '../host/app-storage.ts';
import { PREVIEW, type StorageView } from './protocol.ts';

const MOST_ENTRIES = 500;
/** Minimum interval between two lists, because an app may write often. */
const INTERVAL_MS = 100;

export class StorageWatch {
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly storage: AppStorage,
    private readonly appId: () => string | undefined,
    private readonly onChange: (view: StorageView) => void,
  ) {
    this.#stop = storage.onChange(() => {
      this.#timer ??= setTimeout(() => this.refresh(), INTERVAL_MS);
    });
  }

  refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const appId = this.appId();
    if (appId === undefined) return;
    const { bytes, keys } = this.storage.usage(appId);
    const entries = this.storage.list(appId).slice(0, MOST_ENTRIES);
    this.onChange({
      entries: entries.map(({ key, value }) => ({
        key,
        preview: value.slice(0, PREVIEW),
        bytes: Buffer.byteLength(key) + Buffer.byteLength(value),
      })),
      omitted: keys - entries.length,
      bytes,
      keys,
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stop();
  }
}
