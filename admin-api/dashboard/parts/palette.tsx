/** The command palette: pages, actions, domains, and records by name, content or comment. */
import type { ApiResponse } from '../../routes/routes.ts';
import { chooseTheme, THEMES } from '../../ui/theme.ts';
import { addressOf, type PageMatch, type PageName, REFERENCE } from '../addresses.ts';
import { api, type Result, settle } from '../api.ts';
import { toUnicode } from '../names.ts';
import { domainGroups, groupsFor, isDomainPage } from '../navigation.ts';
import type { Command } from '../palette.ts';
import { openAddress } from '../router.ts';
import { isReader, type User } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { CommandDialog, type OpenedDialog } from './command-dialog.tsx';
import { THEME_ICONS } from './theme-switch.tsx';

interface PaletteProps extends OpenedDialog {
  readonly user: User;
  readonly match: PageMatch | null;
  readonly onSignOut: () => void;
}

/** Domains and records that one search shows, and the requests for which it looks for records. */
const MAX_DOMAINS = 8;
const MAX_RECORDS = 12;
const MAX_REQUESTS = 20;

export function Palette({ takeTyped, onClose, ...of }: PaletteProps) {
  const { title, label, none } = TEXTS.palette;
  const commands = commandsOf(of);
  return <CommandDialog {...{ title, label, none, commands, find, takeTyped, onClose }} />;
}

/** Pages and actions that the user may open, those of the shown domain first. */
function commandsOf({ user, match, onSignOut }: Omit<PaletteProps, keyof OpenedDialog>): Command[] {
  const texts = TEXTS.palette;
  const open = (page: PageName, params?: PageMatch['params']) => () => openAddress(addressOf(page, params));
  const commands: Command[] = [];
  if (match !== null && isDomainPage(match.page))
    for (const { title, entries } of domainGroups)
      for (const { page, icon } of entries)
        commands.push({ id: page, label: TEXTS.tabs[page], hint: title, icon, run: open(page, match.params) });
  for (const { title, entries } of groupsFor(user))
    for (const { page, icon } of entries)
      commands.push({ id: page, label: TEXTS.navigation[page], hint: title, icon, run: open(page) });
  commands.push({
    id: 'ownAccount',
    label: TEXTS.ownAccount.title,
    hint: texts.page,
    icon: 'user',
    run: open('ownAccount'),
  });
  commands.push({
    id: 'reference',
    label: TEXTS.reference,
    hint: texts.page,
    icon: 'file',
    run: () => window.location.assign(REFERENCE),
  });
  if (!isReader.value)
    commands.push(
      { id: 'addDomain', label: TEXTS.help.addDomain, hint: texts.action, icon: 'plus', run: open('addDomain') },
      { id: 'addKey', label: TEXTS.help.addKey, hint: texts.action, icon: 'plus', run: open('addKey') },
      { id: 'addTsigKey', label: TEXTS.help.addTsigKey, hint: texts.action, icon: 'plus', run: open('addTsigKey') },
      { id: 'addWebhook', label: TEXTS.help.addWebhook, hint: texts.action, icon: 'plus', run: open('addWebhook') },
    );
  for (const name of THEMES)
    commands.push({
      id: `theme-${name}`,
      label: TEXTS.theme[name],
      hint: TEXTS.theme.label,
      icon: THEME_ICONS[name],
      run: () => chooseTheme(name),
    });
  commands.push({ id: 'signOut', label: TEXTS.signOut, hint: texts.action, icon: 'signOut', run: onSignOut });
  return commands;
}

/** Domains, and records by name, content or comment. `show` gets what was found so far. */
async function find(q: string, mayContinue: () => boolean, show: (found: readonly Command[]) => void): Promise<void> {
  const domains: Command[] = [];
  const records: Command[] = [];
  let after: string | null = null;
  for (let requests = 0; requests < MAX_REQUESTS && records.length < MAX_RECORDS; requests++) {
    const result = await readFound(q, after);
    if (!mayContinue() || !result.ok) return;
    domains.push(...result.data.domains.slice(0, MAX_DOMAINS).map(domainCommand));
    records.push(...result.data.records.map(recordCommand));
    show([...domains, ...records.slice(0, MAX_RECORDS)]);
    after = result.data.next;
    if (after === null) return;
  }
}

const readFound = (q: string, after: string | null): Promise<Result<Found>> => {
  const query = { q, limit: MAX_RECORDS, ...(after === null ? {} : { after }) };
  return settle(api.GET('/api/v1/search', { params: { query } }));
};

type Found = ApiResponse<'searchAccount'>;

const domainCommand = ({ id, domain }: Found['domains'][number]): Command => ({
  id: `domain-${id}`,
  label: toUnicode(domain),
  hint: TEXTS.palette.domain,
  icon: 'globe',
  run: () => openAddress(addressOf('records', { domain_id: id })),
});

/** Opens the records of the domain, of which only those with this name are shown. */
function recordCommand({ id, domain_id: domainId, domain, name, type, content, comment }: Found['records'][number]) {
  const full = name === '@' ? domain : `${name}.${domain}`;
  return {
    id: `record-${id}`,
    label: `${toUnicode(full)} ${type}`,
    hint: comment === null ? content : `${content} · ${comment}`,
    icon: 'table',
    run: () => openAddress(addressOf('records', { domain_id: domainId }, { q: name })),
  } as const satisfies Command;
}
