/** Loads the script of a screen, with a placeholder in the meantime. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PageName } from './addresses.ts';
import { Skeleton } from './parts/skeleton.tsx';
import type { Screen, ScreenProps } from './screen.ts';
import { SCREENS } from './screens.ts';
import { TEXTS } from './texts.ts';

type ScreenName = keyof typeof SCREENS;

/** Cache of loaded screens, which are shown immediately. */
const loaded = new Map<ScreenName, Screen>();

/** Begins to load the script of a page's screen. LazyScreen shows a failure. */
export function preloadScreen(page: PageName | undefined): void {
  if (page !== undefined && isScreenName(page)) SCREENS[page]().catch(() => {});
}

const isScreenName = (page: PageName): page is ScreenName => page in SCREENS;

export function LazyScreen({ page, ...props }: ScreenProps & { readonly page: ScreenName }) {
  const shown = useSignal<Screen | null>(loaded.get(page) ?? null);
  const hasFailed = useSignal(false);
  useEffect(() => {
    if (shown.peek() !== null) return;
    let isCurrent = true;
    SCREENS[page]().then(
      (screen) => {
        loaded.set(page, screen);
        if (isCurrent) shown.value = screen;
      },
      () => {
        if (isCurrent) hasFailed.value = true;
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [page]);
  if (hasFailed.value) return <Outdated />;
  const Shown = shown.value;
  return Shown === null ? <Skeleton /> : <Shown {...props} />;
}

/** Shown if a script cannot be loaded: after an update of the service, or without a connection. */
function Outdated() {
  return (
    <div class="note note-bad" role="alert">
      <p>{TEXTS.errors.script}</p>
      <button type="button" class="button" onClick={() => window.location.reload()}>
        {TEXTS.reload}
      </button>
    </div>
  );
}
