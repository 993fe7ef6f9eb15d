/** A small button with a picture. Its label is read, and shown as a tooltip. */

const PATHS = {
  copy: 'M5 5V2.5h8.5V11H11M2.5 5H11v8.5H2.5z',
  duplicate: 'M5 5V2.5h8.5V11H11M2.5 5H11v8.5H2.5zM6.75 7v4.5M4.5 9.25H9',
  remove: 'M2.5 4.5h11M6 4.5V2.5h4v2M4 4.5l.75 9h6.5l.75-9M6.75 7v4M9.25 7v4',
  restore: 'M3 3v4h4M3.3 7a5 5 0 1 1 .6 4',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  form: 'M2.5 2.5h11v11h-11zM5 6h6M5 10h6',
  rotate:
    'M8 3.7 12.3 8 8 12.3 3.7 8zM9.8 1.4a6.7 6.7 0 0 1 4.8 4.8M15.2 3.8l-.6 2.4-2.4-.6M6.2 14.6a6.7 6.7 0 0 1-4.8-4.8M.8 12.2l.6-2.4 2.4.6',
  reload: 'M13 8a5 5 0 1 1-1.5-3.5M12.5 1.5v3.5H9',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.25" />
    </svg>
  );
}

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
