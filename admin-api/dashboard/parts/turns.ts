/** Which of several responses to the same request is the latest: they may arrive in any order. */
export class Turns {
  #begun = 0;
  #shown = 0;

  /** Of a request that is about to be sent. */
  begin(): number {
    return ++this.#begun;
  }

  /** Whether to show the response of a turn: no later one has been shown. */
  mayShow(turn: number): boolean {
    if (turn < this.#shown) return false;
    this.#shown = turn;
    return true;
  }
}
