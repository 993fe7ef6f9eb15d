/**
 * What the sandbox policy blocks: rules with the directive that blocks each, and texts it covers.
 */
import type { RuleCode } from '../rules.ts';

/** Wherever the name is split in two, one part matches this. */
const PART = /rtc_?p|peer_?c(?:on|\b)/i;
/** The two parts if the name is split between its words. */
const FIRST = /["'`}](?:webkit|moz)?rtc["'`$]/i;
const SECOND = /["'`}]peer/i;
/** Escaped letters of the name: only obfuscated code escapes letters. */
const ESCAPED = /\\(?:x|u00|u\{0*)(?:52|54|43|50|65|72|6f|6e|63|74|69)/i;

const ANY = /rtc|peer/i;

interface Covered {
  /** Completes "The sandbox stops it: …". */
  readonly by: string;
  /**
   * Type of the finding if the app reaches the code. `error`: rejects the package. `review`: cannot
   * be determined, so a person reviews it. `notice`: cannot be determined, but has no effect.
   */
  readonly reached: 'error' | 'review' | 'warning' | 'notice';
}

const NO_TEXT = "script-src has no 'unsafe-eval'";
const OWN_SCRIPTS = "script-src is 'self'";

const all = (reached: Covered['reached'], by: string, codes: readonly RuleCode[]): [RuleCode, Covered][] =>
  codes.map((code) => [code, { by, reached }]);

export const COVERED: ReadonlyMap<RuleCode, Covered> = new Map([
  ...all('error', NO_TEXT, ['eval', 'function_constructor', 'string_timer', 'webassembly']),
  ...all('error', OWN_SCRIPTS, ['import_scripts', 'dynamic_import', 'remote_script', 'markup_with_code']),
  ...all('error', OWN_SCRIPTS, ['javascript_url', 'handler_attribute_set']),
  ...all('error', "worker-src is 'self'", ['worker_from_code']),
  ...all('error', "frame-src and object-src are 'none'", ['frame_element']),
  ...all('error', "connect-src is 'none'", ['direct_network']),
  ...all('error', 'the origin is opaque', ['direct_storage', 'service_worker']),
  ...all('error', 'the Permissions-Policy denies the features of the device', ['direct_device']),
  ...all('review', NO_TEXT, ['timer_undeterminable', 'constructor_called', 'function_constructor_escapes']),
  ...all('review', 'the policy holds for all that the global object has', ['global_of_unknown']),
  ...all('warning', 'the sandbox has no allow-popups', ['window_opened']),
  ...all('notice', OWN_SCRIPTS, ['script_element', 'script_unstarted']),
  ...all('notice', "worker-src is 'self'", ['worker_undeterminable']),
  ...all('notice', 'an app navigates to pages of its package alone', ['navigation_undeterminable']),
  ...all('notice', "script-src has no 'unsafe-inline'", ['inline_handler']),
  ...all('notice', 'the policy holds for all that the global object has', ['computed_global', 'window_escapes']),
  ...all('notice', OWN_SCRIPTS, ['attribute_undeterminable', 'markup_undeterminable', 'element_undeterminable']),
]);

/** Global paths that no part of the policy blocks, whatever their rule. */
export const UNCOVERED_PATHS: ReadonlySet<string> = new Set([
  ...['RTCPeerConnection', 'webkitRTCPeerConnection', 'mozRTCPeerConnection', 'RTCDataChannel'],
]);

/** Detects texts that may form a name that the policy does not cover: RTCPeerConnection. */
export const mayNameUncovered = (text: string): boolean =>
  (ANY.test(text) && (PART.test(text) || (FIRST.test(text) && SECOND.test(text)))) || ESCAPED.test(text);
