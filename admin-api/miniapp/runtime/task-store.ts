/** Tasks in memory and on disk. A change takes effect once it is on disk. */
import type { TaskStorage } from './task-file.ts';
import { TaskList } from './tasks.ts';

interface Change {
  readonly apply: (tasks: TaskList) => TaskList;
  readonly resolve: (tasks: TaskList) => void;
  readonly reject: (error: unknown) => void;
}

export class TaskStore {
  #tasks: TaskList;
  #changes: Change[] = [];
  #writing: Promise<void> | undefined;

  static async open(storage: TaskStorage): Promise<TaskStore> {
    return new TaskStore(storage, TaskList.of(await storage.read()));
  }

  private constructor(
    private readonly storage: TaskStorage,
    tasks: TaskList,
  ) {
    this.#tasks = tasks;
  }

  get tasks(): TaskList {
    return this.#tasks;
  }

  /**
   * Resolves to the tasks with this change, once they are on disk. Rejects with what `apply`
   * throws, or if the file cannot be written; then nothing has changed. Changes during a write
   * are batched into the next write.
   */
  change(apply: Change['apply']): Promise<TaskList> {
    return new Promise((resolve, reject) => {
      this.#changes.push({ apply, resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  /** Resolves once no write is in progress. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // All changes in this turn of the event loop share one write.
    await Promise.resolve();
    while (this.#changes.length > 0) {
      const group = this.#changes;
      this.#changes = [];
      let tasks = this.#tasks;
      const applied: Change[] = [];
      for (const change of group) {
        try {
          tasks = change.apply(tasks);
          applied.push(change);
        } catch (error) {
          change.reject(error);
        }
      }
      try {
        if (applied.length > 0) await this.storage.write(tasks.all());
        this.#tasks = tasks;
        for (const { resolve } of applied) resolve(tasks);
      } catch (error) {
        for (const { reject } of applied) reject(error);
      }
    }
    this.#writing = undefined;
  }
}
