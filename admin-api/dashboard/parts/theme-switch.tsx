/** Chooses the colours of the dashboard in this browser. */
import type { IconName } from '../../ui/icons.ts';
import { Icon } from '../../ui/parts/icon.tsx';
import { chooseTheme, THEMES, type Theme, theme } from '../../ui/theme.ts';
import { TEXTS } from '../texts.ts';

export const THEME_ICONS: Readonly<Record<Theme, IconName>> = { system: 'system', light: 'sun', dark: 'moon' };

export function ThemeSwitch() {
  return (
    <fieldset class="themes">
      <legend class="hidden">{TEXTS.theme.label}</legend>
      {THEMES.map((name) => (
        <label key={name} title={TEXTS.theme[name]}>
          <input
            type="radio"
            class="hidden"
            name="theme"
            checked={theme.value === name}
            onChange={() => chooseTheme(name)}
          />
          <Icon name={THEME_ICONS[name]} />
          <span class="hidden">{TEXTS.theme[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}
