/** The two errors for a refused origin host. */
import { InvalidError } from '../../base/errors.ts';

const POINTER = '/origin';
const SHOWN = 80;

/** Formats text for messages: shortened, with invisible and formatting characters escaped. */
export const quote = (text: string): string =>
  JSON.stringify(text.slice(0, SHOWN)).replace(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|\p{Default_Ignorable_Code_Point}/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );

/**
 * The text is not a valid host: code `invalid_origin`. `why` continues the sentence after the text.
 */
export function invalidOrigin(text: string, why: string): never {
  throw new InvalidError('invalid_origin', `${quote(text)} ${why}.`, { pointer: POINTER });
}

/**
 * An address or a name that cannot be public: code `private_origin`. `subject` is printed as it is.
 */
export function privateOrigin(subject: string, why: string): never {
  throw new InvalidError('private_origin', `${subject} ${why}. An origin must be reachable on the public Internet.`, {
    pointer: POINTER,
  });
}
