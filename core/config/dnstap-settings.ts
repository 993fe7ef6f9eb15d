/** Settings of dnstap, which passes DNS messages to another program. */
import { choice, integer, shortText, text } from './kinds.ts';
import { optional, setting } from './setting.ts';

/** Longest identity, in bytes: it is part of every frame. */
const MAX_IDENTITY = 255;

export const DNSTAP_SETTINGS = {
  socket: optional(
    text('the path of a socket'),
    'off',
    '"/run/waypost/dnstap.sock"',
    'Unix socket of a program that reads Frame Streams, such as fstrm_capture or dnstap-ldns. Waypost connects to it, and connects again when it is gone.',
  ),
  identity: optional(
    shortText(MAX_IDENTITY),
    'node_name',
    '"ns1"',
    'Identity of this server in each message. Without it, node_name is used.',
  ),
  messages: setting(
    choice('all', 'queries', 'responses'),
    'all',
    'The messages that are passed on: queries (AUTH_QUERY), responses (AUTH_RESPONSE), or all.',
  ),
  sample: setting(
    integer(1, 1_000_000),
    1,
    'Passes on one query in this number, chosen at random, with its response. 1 passes on every query.',
  ),
} as const;
