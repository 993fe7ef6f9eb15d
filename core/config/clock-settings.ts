/** Settings of the clock, which determines signature times and serials. */
import { integer } from './kinds.ts';
import { setting } from './setting.ts';

export const CLOCK_SETTINGS = {
  max_offset: setting(
    integer(0, 86_400, 'seconds'),
    600,
    'Seconds by which the clock of this node may differ from those of the other nodes and etcd, from the last moment that the data folder knows of, and from its own course. With a larger difference the clock is not trusted: the node refuses writes with 503 "clock_off" and signs nothing, and serves what it has. A difference that a time service confirms (chrony, systemd-timesyncd), or that etcd or other nodes confirm, is accepted at once. 0: every clock is trusted.',
  ),
  settle: setting(
    integer(1, 86_400, 'seconds'),
    300,
    'Seconds after which a clock that is ahead of the last known moment is accepted without other evidence, if it goes on steadily: as of a single node without a time service that was off for long.',
  ),
};
