/** Finds an account to act for, and leads back to the own one. For administrators. */
import { acted, actFor, stopActing } from '../acting.ts';
import { api, settle } from '../api.ts';
import type { Command } from '../palette.ts';
import type { User } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { CommandDialog, type Find, type OpenedDialog } from './command-dialog.tsx';

/** Accounts that one search shows. */
const MAX_ACCOUNTS = 12;

interface AccountSwitcherProps extends OpenedDialog {
  readonly user: User;
}

export function AccountSwitcher({ user, ...opened }: AccountSwitcherProps) {
  const texts = TEXTS.acting;
  const own: Command = {
    id: 'own',
    label: user.username,
    hint: acted.value === null ? `${texts.own} · ${texts.current}` : texts.own,
    icon: 'user',
    run: stopActing,
  };
  const find: Find = async (q, mayContinue, show) => {
    const query = { limit: MAX_ACCOUNTS, sort: 'username' as const, ...(q === '' ? {} : { q }) };
    const result = await settle(api.GET('/api/v1/accounts', { params: { query } }));
    if (!mayContinue() || !result.ok) return;
    const others = result.data.accounts.filter(({ id }) => id !== user.id);
    show(
      others.map(({ id, username, email }) => ({
        id: `account-${id}`,
        label: username,
        hint: [email ?? '', id === acted.peek()?.id ? texts.current : ''].filter(Boolean).join(' · '),
        icon: 'accounts',
        run: () => actFor(id),
      })),
    );
  };
  return (
    <CommandDialog
      title={texts.switcher}
      label={texts.search}
      none={texts.none}
      commands={[own]}
      find={find}
      findsAll
      {...opened}
    />
  );
}
