/** Settings of the statistics that each node keeps. */
import { bytes, flag, GB, integer, MB } from './kinds.ts';
import { setting } from './setting.ts';

export const STATISTICS_SETTINGS = {
  enabled: setting(
    flag,
    true,
    'Whether this node counts queries and requests by domain. They are kept for 31 days in counts.mdb in the data folder.',
  ),
  sampling: setting(
    integer(1, 65_536),
    64,
    'One DNS query in this number is counted, on average, and counts as so many; 1 counts every query. Requests to sites are always counted exactly.',
  ),
  max_disk: setting(
    bytes(16 * MB, 1024 * GB),
    4 * GB,
    'Disk space of the statistics. When it is used up, the oldest counts are deleted early.',
  ),
} as const;
