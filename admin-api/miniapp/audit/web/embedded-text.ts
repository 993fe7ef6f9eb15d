/**
 * Code that is not in a file as it stands, but in a string or an attribute's value: whatever is
 * found in it is found at that place.
 */
import type { Place } from '../finding.ts';
import { SourceText } from '../source-text.ts';

export class EmbeddedText extends SourceText {
  readonly #place: Place;

  /** `isPartial`: parts of it are not known, and something stands for them. */
  constructor(origin: Place & { readonly file: string }, text: string, isPartial = false) {
    super(origin.file, text, isPartial);
    this.#place = origin;
  }

  override at(): Place {
    return this.#place;
  }
}
