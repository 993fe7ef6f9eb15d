/** The properties of all screens. */
import type { ComponentType } from 'preact';

export interface ScreenProps {
  /** Domain id of the address. NaN on pages without a domain. */
  readonly domainId: number;
  /** The parameters of the address, as text. */
  readonly params: Readonly<Record<string, string>>;
}

export type Screen = ComponentType<ScreenProps>;
