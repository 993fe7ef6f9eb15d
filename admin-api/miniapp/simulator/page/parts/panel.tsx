/** The common parts of all panels. */
import type { ComponentChildren } from 'preact';

/** Text of an empty panel. */
export function Empty({ text }: { readonly text: string }) {
  return <p class="panel-empty">{text}</p>;
}

interface PanelBarProps {
  readonly children: ComponentChildren;
}

/** Controls above the content. */
export function PanelBar({ children }: PanelBarProps) {
  return <div class="panel-bar">{children}</div>;
}

interface ButtonProps {
  readonly label: string;
  /** Accessible name, which contains the label. */
  readonly description?: string;
  readonly onClick: () => unknown;
}

export function SmallButton({ label, description, onClick }: ButtonProps) {
  return (
    <button type="button" class="button button-small" aria-label={description} onClick={() => void onClick()}>
      {label}
    </button>
  );
}
