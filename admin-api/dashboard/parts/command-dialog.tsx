/** A dialog with a search for commands: the palette and the account switcher. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../ui/parts/icon.tsx';
import { type Command, matchCommands } from '../palette.ts';
import { TEXTS } from '../texts.ts';
import { LatestResponse } from './latest-response.ts';

/** Milliseconds without input after which a search starts. */
const TYPING_MS = 120;

export interface OpenedDialog {
  /** Returns what was typed before the dialog was shown. Called once. */
  readonly takeTyped: () => string;
  readonly onClose: () => void;
}

/** Shows what was found so far with `show`, while `mayContinue`. */
export type Find = (
  text: string,
  mayContinue: () => boolean,
  show: (found: readonly Command[]) => void,
) => Promise<void>;

interface CommandDialogProps extends OpenedDialog {
  readonly title: string;
  /** Label of the field. */
  readonly label: string;
  /** Shown if nothing matches. */
  readonly none: string;
  /** Shown before what is found, as far as they match the text. */
  readonly commands: readonly Command[];
  readonly find: Find;
  /** Whether it also searches without a text. */
  readonly findsAll?: boolean;
}

export function CommandDialog({ takeTyped, onClose, title, label, none, ...props }: CommandDialogProps) {
  const { find, findsAll = false } = props;
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
    if (query === '' && !findsAll) {
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
    if (typed !== '' || findsAll) type(typed);
  }, []);
  const commands = [...matchCommands(props.commands, text.value), ...found.value];
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
    <dialog ref={dialog} class="palette" aria-label={title} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={commands.length > 0 ? `${list}-${current}` : undefined}
        placeholder={label}
        autoComplete="off"
        value={text.value}
        onInput={({ currentTarget: { value } }) => type(value)}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label={title}>
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
        {commands.length > 0
          ? TEXTS.palette.count(commands.length)
          : isSearching.value
            ? TEXTS.palette.searching
            : none}
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
