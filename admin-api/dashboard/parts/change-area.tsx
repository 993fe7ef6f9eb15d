/** Wraps controls that change something. Viewers see the values, but no buttons. */
import type { ComponentChildren } from 'preact';
import { session } from '../session.ts';
import { TEXTS } from '../texts.ts';

interface ChangeAreaProps {
  /** Whether to show a note to viewers. Set once per page. */
  readonly hasNote?: boolean;
  readonly children: ComponentChildren;
}

export function ChangeArea({ hasNote = false, children }: ChangeAreaProps) {
  const isViewer = session.value?.user.role === 'viewer';
  return (
    <>
      {isViewer && hasNote && <p class="hint">{TEXTS.readsOnly}</p>}
      <fieldset class="stack change-area" disabled={isViewer}>
        {children}
      </fieldset>
    </>
  );
}
