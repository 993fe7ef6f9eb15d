/** Texts of which a name can be made that the policy does not cover: RTCPeerConnection. */

/** Where it is cut in two, one of the parts has one of these. */
const PART = /rtc_?p|peer_?c(?:on|\b)/i;
/** Where it is cut at its words. */
const FIRST = /["'`}](?:webkit|moz)?rtc["'`$]/i;
const SECOND = /["'`}]peer/i;
/** Its letters, as nobody writes them who does not hide them. */
const ESCAPED = /\\(?:x|u00|u\{0*)(?:52|54|43|50|65|72|6f|6e|63|74|69)/i;

const ANY = /rtc|peer/i;

export const mayNameUncovered = (text: string): boolean =>
  (ANY.test(text) && (PART.test(text) || (FIRST.test(text) && SECOND.test(text)))) || ESCAPED.test(text);
