/** A small button with an icon. Its label is read, and shown as a tooltip. */
import type { IconName } from '../icons.ts';
import { Icon } from './icon.tsx';

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
}

export function IconButton({ icon, label, onClick }: IconButtonProps) {
  return (
    <button type="button" class="button button-quiet button-icon" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
