/** The stop hooks of everything that was started; they run in reverse order. */

/** A part that must be stopped before the service ends. */
type Stoppable = { stop(): unknown } | { close(): unknown };

export class Stops {
  readonly #stops: (() => unknown)[] = [];

  add(stop: () => unknown): void {
    this.#stops.push(stop);
  }

  /** Registers the stop of `part` and returns it. Null: the configuration has no such part. */
  own<Part extends Stoppable | null>(part: Part): Part {
    if (part !== null) this.add(() => ('stop' in part ? part.stop() : part.close()));
    return part;
  }

  /** Runs all hooks in turn, also after one has failed. Rejects with the first failure. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
