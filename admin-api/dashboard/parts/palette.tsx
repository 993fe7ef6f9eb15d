/** The command palette: pages, actions, domains, and records by name, content or comment. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { ApiResponse } from '../../routes/routes.ts';
import { Icon } from '../../ui/parts/icon.tsx';
import { chooseTheme, THEMES } from '../../ui/theme.ts';
import { addressOf, type PageMatch, type PageName, REFERENCE } from '../addresses.ts';
import { api, type Result, settle } from '../api.ts';
import { toUnicode } from '../names.ts';
import { domainGroups, groupsFor, isDomainPage } from '../navigation.ts';
import { type Command, matchCommands } from '../palette.ts';
import { openAddress } from '../router.ts';
import { isReader, type User } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { LatestResponse } from './latest-response.ts';
import { THEME_ICONS } from './theme-switch.tsx';

interface PaletteProps {
  readonly user: User;
  readonly match: PageMatch | null;
  readonly onSignOut: () => void;
  /** Returns what was typed before the palette was shown. Called once. */
  readonly takeTyped: () => string;
  readonly onClose: () => void;
}

/** Domains and records that one search shows, and the requests for which it looks for records. */
const MAX_DOMAINS = 8;
const MAX_RECORDS = 12;
const MAX_REQUESTS = 20;
/** Milliseconds without input after which a search starts. */
const TYPING_MS = 120;

export function Palette({ takeTyped, onClose, ...of }: PaletteProps) {
  const texts = TEXTS.palette;
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const text = useSignal('');
  const found = useSignal<readonly Command[]>([]);
  const chosen = useSignal(0);
  const isSearching = useSignal(false);
  const responses = useRef(new LatestResponse()).current;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const search = async (query: string): Promise<void> => {
    const request = responses.begin();
    if (query === '') {
      if (responses.mayShow(request)) found.value = [];
      isSearching.value = false;
      return;
    }
    await find(
      query,
      () => responses.isLatest(request),
      (results) => {
        if (responses.mayShow(request)) found.value = results;
      },
    );
    if (responses.isLatest(request)) isSearching.value = false;
  };
  const type = (value: string): void => {
    text.value = value;
    chosen.value = 0;
    isSearching.value = true;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void search(value.trim()), TYPING_MS);
  };
  // Before the next key, which belongs to the field.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    const typed = takeTyped();
    if (typed !== '') type(typed);
  }, []);
  const commands = [...matchCommands(commandsOf(of), text.value), ...found.value];
  const current = Math.min(chosen.value, commands.length - 1);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    dialog.current?.close();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === undefined) run(commands[current]);
    else if (commands.length > 0) chosen.value = (current + step + commands.length) % commands.length;
  };
  return (
    <dialog ref={dialog} class="palette" aria-label={texts.title} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label={texts.label}
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={commands.length > 0 ? `${list}-${current}` : undefined}
        placeholder={texts.label}
        autoComplete="off"
        value={text.value}
        onInput={({ currentTarget: { value } }) => type(value)}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label={texts.title}>
        {commands.map((command, i) => (
          <Choice
            key={command.id}
            id={`${list}-${i}`}
            command={command}
            isCurrent={i === current}
            onRun={() => run(command)}
          />
        ))}
      </div>
      <p class={commands.length === 0 ? 'hint' : 'hidden'} role="status">
        {commands.length > 0 ? texts.count(commands.length) : isSearching.value ? texts.searching : texts.none}
      </p>
    </dialog>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly command: Command;
  readonly isCurrent: boolean;
  readonly onRun: () => void;
}

function Choice({ id, command: { icon, label, hint }, isCurrent, onRun }: ChoiceProps) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isCurrent) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    // The keyboard acts in the field, which names the current choice.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <div ref={row} id={id} role="option" tabIndex={-1} aria-selected={isCurrent} onClick={onRun}>
      <Icon name={icon} />
      <span>{label}</span>
      <span class="hint">{hint}</span>
    </div>
  );
}

/** Pages and actions that the user may open, those of the shown domain first. */
function commandsOf({ user, match, onSignOut }: Omit<PaletteProps, 'onClose' | 'takeTyped'>): Command[] {
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
