/** Sets the title of the window. */
import { useEffect } from 'preact/hooks';
import { acted } from '../acting.ts';
import { TEXTS } from '../texts.ts';

export function usePageTitle(title: string): void {
  const username = acted.value?.username ?? null;
  useEffect(() => {
    document.title = TEXTS.pageTitle(username === null ? title : TEXTS.acting.title(title, username));
  }, [title, username]);
}
