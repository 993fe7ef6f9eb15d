/** Settings of the protection against running out of memory, descriptors and disk space. */
import { bytes, flag, GB, integer, MB } from './kinds.ts';
import { availableMemory } from './memory.ts';
import { computed, optional, setting } from './setting.ts';

/** The rest is for the kernel's memory of this process, and for pages of the database. */
const MEMORY_SHARE = 0.9;

export const PROTECTION_SETTINGS = {
  memory: computed(
    bytes(0, 4096 * GB),
    () => Math.floor((availableMemory() * MEMORY_SHARE) / MB) * MB,
    'nine tenths of the memory of the machine or of the control group',
    '"3GB"',
    'Budget of memory, without pages of files. At 80% the cache shrinks, at 90% new connections to the edge are closed, at 95% requests to the edge and large requests to the API get 503. DNS is always served. 0 disables the budget.',
  ),
  descriptors: optional(
    integer(0, 1_073_741_816),
    'the limit of the process (LimitNOFILE)',
    '65536',
    'Budget of open descriptors, with the same levels. 0 disables the budget.',
  ),
  start_delay: setting(
    integer(0, 3600, 'seconds'),
    60,
    'Maximum delay of a start, in seconds, after three starts within ten minutes that ended without a shutdown. The first delay is 2 seconds, and each next one twice as long. 0 disables the delay.',
  ),
  core_dumps: setting(
    flag,
    false,
    'Whether the system may write a core dump of this process, which holds private keys. It also needs "LimitCORE=infinity" in the unit.',
  ),
  disk_reserve: optional(
    bytes(0, 1024 * GB),
    'a twentieth of the file system, at most 1GB',
    '"500MB"',
    'Free space of the data folder below which writes are refused with the code "disk_full". Below twice as much the cache on the disk shrinks; below a quarter nothing is written. DNS and the edge go on. 0 disables the reserve.',
  ),
} as const;
