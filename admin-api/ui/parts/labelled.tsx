/** A control with its label. Its hint and its fault are read with it. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface Labels {
  readonly label: string;
  readonly hint?: string;
  readonly fault?: string;
}

/** What connects the control with its label, hint and fault. */
interface ControlAttributes {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

interface LabelledProps extends Labels {
  /** A checkbox: the label is behind it. */
  readonly isCheck?: boolean;
  /** Only read: what is around the control shows it. */
  readonly isLabelHidden?: boolean;
  readonly renderControl: (attributes: ControlAttributes) => ComponentChildren;
}

export function Labelled({ label, hint, fault, isCheck = false, isLabelHidden = false, renderControl }: LabelledProps) {
  const id = useId();
  const notes = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean).join(' ');
  const control = renderControl({
    id,
    'aria-invalid': fault !== undefined,
    'aria-describedby': notes === '' ? undefined : notes,
  });
  return (
    <div class={isCheck ? 'check-field' : 'field'}>
      {isCheck && control}
      <label for={id} class={isLabelHidden ? 'hidden' : undefined}>
        {label}
      </label>
      {!isCheck && control}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
