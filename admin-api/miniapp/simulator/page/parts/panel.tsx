/** What all panels have. */
import type { ComponentChildren } from 'preact';

/** Said where there is nothing to show. */
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
  /** Read instead of the label, which it contains. */
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
