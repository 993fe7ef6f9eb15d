/** What the command palette offers. Pure, so that tests import it. */
import type { IconName } from '../ui/icons.ts';

export interface Command {
  /** Unique. */
  readonly id: string;
  readonly label: string;
  /** What it is, or where it leads. */
  readonly hint: string;
  readonly icon: IconName;
  readonly run: () => void;
}

/** At most this many are shown. */
const MAX_SHOWN = 12;

/**
 * Commands whose label or hint has all words of the text: first those whose label begins with it,
 * then those with a word that does, each in the given order.
 */
export function matchCommands(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const ranked = [[], [], []] as Command[][];
  for (const command of commands) {
    const label = command.label.toLowerCase();
    const all = `${label} ${command.hint.toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) continue;
    const rank = label.startsWith(first) ? 0 : label.split(/[\s.]/).some((word) => word.startsWith(first)) ? 1 : 2;
    ranked[rank].push(command);
  }
  return ranked.flat().slice(0, MAX_SHOWN);
}
