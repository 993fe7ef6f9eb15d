/** Settings of webhooks. */
import { exemptions, resolvers } from './address-kinds.ts';
import { integer } from './kinds.ts';
import { setting } from './setting.ts';

export const WEBHOOK_SETTINGS = {
  max_per_account: setting(integer(0, 10_000), 20, 'Maximum number of webhooks of an account; 0 allows none.'),
  first_retry: setting(
    integer(1, 3600, 'seconds'),
    5,
    'Delay before the first retry of a failed delivery, in seconds. Each further delay is four times as long, up to 12 hours.',
  ),
  retry_for: setting(
    integer(1, 2_592_000, 'seconds'),
    259_200,
    'How long a delivery is retried, in seconds. A webhook without a successful delivery for this long is disabled.',
  ),
  keep_days: setting(
    integer(1, 365, 'days'),
    7,
    'How long deliveries are kept for the list and for replays, in days: the last 1,000 of each webhook.',
  ),
  resolvers: setting(
    resolvers,
    [],
    'Recursive resolvers for the host names of webhooks. Empty: the resolvers of the system.',
  ),
  allow_private_receivers: setting(
    exemptions,
    false,
    'For test setups: private, loopback or reserved addresses that webhooks may be delivered to; URLs with "http" are accepted too. "true" allows every address, which lets customers send requests into private networks.',
  ),
};
