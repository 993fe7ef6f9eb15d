/** Detects texts that may form a name that the policy does not cover: RTCPeerConnection. */

/** Wherever the name is split in two, one part matches this. */
const PART = /rtc_?p|peer_?c(?:on|\b)/i;
/** The two parts if the name is split between its words. */
const FIRST = /["'`}](?:webkit|moz)?rtc["'`$]/i;
const SECOND = /["'`}]peer/i;
/** Escaped letters of the name: only obfuscated code escapes letters. */
const ESCAPED = /\\(?:x|u00|u\{0*)(?:52|54|43|50|65|72|6f|6e|63|74|69)/i;

const ANY = /rtc|peer/i;

export const mayNameUncovered = (text: string): boolean =>
  (ANY.test(text) && (PART.test(text) || (FIRST.test(text) && SECOND.test(text)))) || ESCAPED.test(text);
