/** Which of several responses to the same request is the latest: they may arrive in any order. */
export class LatestResponse {
  #begun = 0;
  #shown = 0;

  /** The number of a request that is about to be sent. */
  begin(): number {
    return ++this.#begun;
  }

  /** Whether to show the response of a request: no later one has been shown. */
  mayShow(request: number): boolean {
    if (request < this.#shown) return false;
    this.#shown = request;
    return true;
  }
}
