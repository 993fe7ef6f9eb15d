/** The two ways in which an origin's host is refused. */
import { InvalidError } from '../../base/errors.ts';

const POINTER = '/origin';
const SHOWN = 80;

/**
 * For messages: shortened, and with everything escaped that shows nothing or steers how text is
 * shown.
 */
export const quote = (text: string): string =>
  JSON.stringify(text.slice(0, SHOWN)).replace(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|\p{Default_Ignorable_Code_Point}/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );

/**
 * Not a host at all, or not written as one: code `invalid_origin`. `why` goes on after the text.
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
