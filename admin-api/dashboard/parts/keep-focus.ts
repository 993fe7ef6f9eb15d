/**
 * Keeps the focus in the page. A form that is created anew after a save, or a deleted row, takes
 * the focused element with it; the keyboard would then start again at the top of the document.
 */

interface Focused {
  readonly element: HTMLElement;
  readonly path: string;
  /** Its name, and its position among the elements of the same kind and name. */
  readonly name: string;
  readonly index: number;
}

let focused: Focused | null = null;

const content = (): HTMLElement | null => document.getElementById('content');

const nameOf = (element: HTMLElement): string =>
  element.ariaLabel ?? (element as HTMLInputElement).labels?.[0]?.textContent ?? element.textContent ?? '';

const namedLike = ({ localName }: HTMLElement, name: string): HTMLElement[] =>
  [...(content()?.querySelectorAll<HTMLElement>(localName) ?? [])].filter((element) => nameOf(element) === name);

/** Whether no control has the focus. */
export const isFocusLost = (): boolean =>
  document.activeElement === document.body || document.activeElement === content();

/** Focuses the element that took the place of a removed one, or the content of the page. */
export function keepFocus(): void {
  addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    const name = nameOf(target);
    focused = { element: target, path: location.pathname, name, index: namedLike(target, name).indexOf(target) };
  });
  addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget !== null) return;
    // A removed element is still in the document while this event is dispatched.
    queueMicrotask(() => {
      if (focused?.element === target && focused.element.isConnected && document.activeElement !== target)
        focused = null;
    });
  });
  new MutationObserver(() => {
    if (focused === null || focused.element.isConnected) return;
    const { element, path, name, index } = focused;
    focused = null;
    if (document.activeElement !== document.body) return;
    const successor = path === location.pathname ? namedLike(element, name)[Math.max(index, 0)] : undefined;
    (successor ?? content())?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}
