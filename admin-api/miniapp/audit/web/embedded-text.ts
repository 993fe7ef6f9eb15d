/**
 * Code in a string or an attribute's value. All its offsets map to the position of that string or
 * attribute.
 */
import type { Place } from '../finding.ts';
import { SourceText } from '../source-text.ts';

export class EmbeddedText extends SourceText {
  readonly #place: Place;

  /** `isPartial`: placeholders stand for unknown parts of the text. */
  constructor(origin: Place & { readonly file: string }, text: string, isPartial = false) {
    super(origin.file, text, isPartial);
    this.#place = origin;
  }

  override at(): Place {
    return this.#place;
  }
}
