/** What each screen gets. */
import type { ComponentType } from 'preact';

export interface ScreenProps {
  /** From the address. NaN on pages that have no domain. */
  readonly domainId: number;
  /** The parameters of the address, as text. */
  readonly params: Readonly<Record<string, string>>;
}

export type Screen = ComponentType<ScreenProps>;
