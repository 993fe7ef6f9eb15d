/** The options of the page's controls. */

export const SIZES = {
  small: { width: 360, height: 640 },
  medium: { width: 390, height: 844 },
  tablet: { width: 800, height: 1280 },
} as const;
export type SizeName = keyof typeof SIZES;
export const SIZE_NAMES = Object.keys(SIZES) as readonly SizeName[];

export const SCHEMES = ['light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

export const PANELS = [
  'console',
  'storage',
  'network',
  'background',
  'permissions',
  'device',
  'findings',
  'sandbox',
] as const;
export type PanelName = (typeof PANELS)[number];

/** Why an app was stopped. An app that hangs is still shown. */
export type Trouble = 'hangs' | 'stopped' | 'floods' | 'left';
