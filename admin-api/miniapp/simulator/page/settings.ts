/** Display settings of the phone, stored by the browser. */
import { effect, type Signal, signal } from '@preact/signals';
import { PANELS, type PanelName, SCHEMES, type Scheme, SIZE_NAMES, SIZES, type SizeName } from './choices.ts';

const isDark = matchMedia('(prefers-color-scheme: dark)').matches;

export const size = kept<SizeName>('size', SIZE_NAMES, 'medium');
export const scheme = kept<Scheme>('scheme', SCHEMES, isDark ? 'dark' : 'light');
export const orientation = kept<'portrait' | 'landscape'>('orientation', ['portrait', 'landscape'], 'portrait');
export const panel = kept<PanelName>('panel', PANELS, 'console');

function kept<T extends string>(name: string, values: readonly T[], initial: T): Signal<T> {
  const key = `simulator.${name}`;
  const stored = localStorage.getItem(key) as T;
  const value = signal(values.includes(stored) ? stored : initial);
  let isFirst = true;
  effect(() => {
    if (value.value !== initial || !isFirst) localStorage.setItem(key, value.value);
    isFirst = false;
  });
  return value;
}

/** Size of the app's screen in CSS pixels of the app. */
export function screenSize(): { readonly width: number; readonly height: number } {
  const { width, height } = SIZES[size.value];
  return orientation.value === 'portrait' ? { width, height } : { width: height, height: width };
}
