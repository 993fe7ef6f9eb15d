/** Code that is not in a file as it stands, but in a string or an attribute's value: whatever is found in it is found at that place. */
import type { Place } from '../finding.ts';
import { SourceText } from '../source-text.ts';

export class EmbeddedText extends SourceText {
  readonly #place: Place;

  constructor(place: Place & { readonly file: string }, text: string) {
    super(place.file, text);
    this.#place = place;
  }

  override at(): Place {
    return this.#place;
  }
}
