/** Settings of secondary zones, which are transferred from the primaries of customers. */
import { exemptions } from './address-kinds.ts';
import { bytes, GB, integer, MB } from './kinds.ts';
import { setting } from './setting.ts';

const seconds = (minimum: number) => integer(minimum, 2 ** 31 - 1, 'seconds');

export const SECONDARY_SETTINGS = {
  allow_private_primaries: setting(
    exemptions,
    false,
    'Private, loopback or reserved addresses that are accepted as primaries: a list of address prefixes. "true" accepts every address, which lets customers reach the network of this machine.',
  ),
  max_concurrent: setting(
    integer(1, 10_000),
    64,
    'Maximum number of zones that this node refreshes or transfers at the same time. Accounts take turns, and one account alone has at most half.',
  ),
  max_zone_size: setting(
    bytes(MB, 4 * GB),
    256 * MB,
    'Maximum bytes of a transfer. A larger zone is not accepted. All transfers together use the memory of two such zones at most.',
  ),
  max_nsec3_iterations: setting(
    integer(0, 100),
    50,
    'Maximum additional iterations of NSEC3 in zones that their primaries sign (RFC 9276 section 3.2). Transfers of zones with more are refused. A salt of more than 35 bytes counts as further iterations: with 255 bytes each one costs as much as five.',
  ),
  min_refresh: setting(seconds(1), 30, 'The refresh and retry timers of a zone are not shorter than this, in seconds.'),
  max_refresh: setting(
    seconds(60),
    86_400,
    'The refresh and retry timers of a zone are not longer than this, in seconds.',
  ),
} as const;
