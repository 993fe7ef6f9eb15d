export interface Row {
  readonly text: string;
  /** `private` and `invalid` are the codes `private_origin` and `invalid_origin`. */
  readonly verdict: 'public' | 'private' | 'invalid';
  /**
   * Parts of the message, with `…` between them; for `public` the canonical form, empty when that
   * is the text.
   */
  readonly reason: string;
}
