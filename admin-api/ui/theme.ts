/** Light or dark: as the system has it, or as chosen in this browser. */
import { computed, effect, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'waypost-theme';

const system = matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(system.matches);
system.addEventListener('change', ({ matches }) => {
  isSystemDark.value = matches;
});

export const theme = signal<Theme>(readTheme());

export const isDark = computed(() => (theme.value === 'system' ? isSystemDark.value : theme.value === 'dark'));

/** Browsers may refuse storage; then the choice ends with the page. */
function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORED);
    return THEMES.find((name) => name === stored) ?? 'system';
  } catch {
    return 'system';
  }
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  try {
    localStorage.setItem(STORED, chosen);
  } catch {}
}

/** Sets the attribute that the style sheet reads, now and after each change. */
export function followTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = isDark.value ? 'dark' : 'light';
  });
}
