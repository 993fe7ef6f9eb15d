/** Selects the latest of several responses to the same request, which may arrive out of order. */
export class LatestResponse {
  #begun = 0;
  #shown = 0;

  /** Returns the number of a new request. */
  begin(): number {
    return ++this.#begun;
  }

  /** Whether no later request has begun. */
  isLatest(request: number): boolean {
    return request === this.#begun;
  }

  /** Whether to show a response: false if a later response has been shown. */
  mayShow(request: number): boolean {
    if (request < this.#shown) return false;
    this.#shown = request;
    return true;
  }
}
