/**
 * The rest of a handler's work, as a promise that is no object of V8's. An observer learns the end
 * without a reaction, a second promise and a turn of microtasks, which together cost a fortieth of
 * a proxied request. For all other code it is a promise.
 */

/** Neither method may throw. */
export interface PendingObserver {
  onDone(): void;
  onFailed(error: unknown): void;
}

const STATE = { OPEN: 0, DONE: 1, FAILED: 2 } as const;

export class Pending implements Promise<void>, PendingObserver {
  readonly [Symbol.toStringTag] = 'Pending';
  #state: number = STATE.OPEN;
  #error: unknown = undefined;
  #observer: PendingObserver | null = null;

  /** Once: `observer` learns the end, within this call if that has come. */
  observe(observer: PendingObserver): void {
    if (this.#state === STATE.DONE) observer.onDone();
    else if (this.#state === STATE.FAILED) observer.onFailed(this.#error);
    else this.#observer = observer;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<Result = void, Failure = never>(
    // biome-ignore lint/suspicious/noConfusingVoidType: as of Promise<void>
    onDone?: ((value: void) => Result | PromiseLike<Result>) | null,
    onFailed?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return new Promise<void>((resolve, reject) => {
      this.observe({ onDone: resolve, onFailed: reject });
    }).then(onDone, onFailed);
  }

  catch<Failure = never>(
    onFailed?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
    // biome-ignore lint/suspicious/noConfusingVoidType: as of Promise<void>
  ): Promise<void | Failure> {
    return this.then(undefined, onFailed);
  }

  finally(onEnd?: (() => void) | null): Promise<void> {
    return this.then().finally(onEnd);
  }

  /** It ends as `work` does; without any, now. To be called once, like the other ways to end. */
  protected endWith(work: void | Promise<void>): void {
    if (work === undefined) this.onDone();
    else if (work instanceof Pending) work.observe(this);
    else
      work.then(
        () => this.onDone(),
        (error: unknown) => this.onFailed(error),
      );
  }

  onDone(): void {
    this.#end(STATE.DONE, undefined);
  }

  onFailed(error: unknown): void {
    this.#end(STATE.FAILED, error);
  }

  #end(state: number, error: unknown): void {
    const observer = this.#observer;
    this.#state = state;
    this.#error = error;
    this.#observer = null;
    if (observer === null) return;
    if (state === STATE.DONE) observer.onDone();
    else observer.onFailed(error);
  }
}
