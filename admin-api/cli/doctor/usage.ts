/** Storage used by accounts and zones, compared with their quotas. */
import { planQuota } from '../../../core/config/index.ts';
import { findLargest, type LargeAccount, type LargeZone } from '../../../core/store/largest.ts';
import { type AnyCheck, check, NotChecked, ok, type Verdict, warning } from './check.ts';
import type { Context } from './context.ts';
import { quoted, size } from './machine.ts';

interface UsageReading {
  readonly accounts: readonly (LargeAccount & { readonly username: string; readonly isOver: boolean })[];
  readonly zones: readonly LargeZone[];
}

const SHOWN = 5;

async function readUsage(context: Context): Promise<UsageReading> {
  const { reader } = await context.store();
  if (reader === null) throw new NotChecked('the store has another format');
  if (!reader.hasCounts()) throw new NotChecked('the daemon of this version has not started yet');
  const { accounts, zones } = await findLargest(reader, SHOWN);
  return {
    zones,
    accounts: accounts.map((account) => {
      const row = reader.account(account.accountId);
      const { records, size: bytes } = planQuota(context.config, row?.plan ?? 'free');
      const isOver = (records > 0 && account.records > records) || (bytes > 0 && account.bytes > bytes);
      return { ...account, username: row?.username ?? String(account.accountId), isOver };
    }),
  };
}

const listed = (name: string, { records, bytes }: { readonly records: number; readonly bytes: number }): string =>
  `${name} (${size(bytes)}, ${records} records)`;

export const usage = check<UsageReading>({
  id: 'store.usage',
  why: 'One account that stores very much makes the disk full for all.',
  read: readUsage,
  judge({ accounts, zones }) {
    if (accounts.length === 0) return ok('nothing is stored for an account');
    const verdicts: Verdict[] = accounts
      .filter(({ isOver }) => isOver)
      .map((account) =>
        warning(
          `${listed(account.username, account)} is above the limits of its plan, and can only delete`,
          `waypost account set ${quoted(account.username)} --plan unlimited`,
          account.username,
        ),
      );
    if (verdicts.length > 0) return verdicts;
    const largest = accounts.map((account) => listed(account.username, account)).join(', ');
    const zoneList = zones.map((zone) => listed(zone.domain, zone)).join(', ');
    return ok(`the largest accounts: ${largest}; the largest zones: ${zoneList || 'none'}`);
  },
});

export const USAGE_CHECKS: readonly AnyCheck[] = [usage];
