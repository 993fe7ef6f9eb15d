/**
 * SIGHUP, which asks for a reload, for as long as the process lives: by itself it would end one
 * that starts or stops.
 */
export class HangUp {
  #reload: (() => unknown) | null = null;
  /** It came when nothing was there to be reloaded. */
  #isDue = false;

  constructor() {
    process.on('SIGHUP', () => {
      this.#isDue = this.#reload === null;
      this.#reload?.();
    });
  }

  /**
   * Who reloads from now on, at once if that was asked for before; null: nobody does for now. Must
   * not throw.
   */
  follow(reload: (() => unknown) | null): void {
    this.#reload = reload;
    if (reload === null || !this.#isDue) return;
    this.#isDue = false;
    reload();
  }
}
