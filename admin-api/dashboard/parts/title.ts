/** The title of the window, and the focus after a page has changed. */
import { useEffect } from 'preact/hooks';
import { TEXTS } from '../texts.ts';

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = TEXTS.pageTitle(title);
  }, [title]);
}
