/**
 * Detects apps that harm the page around them: by an endless loop, a flood of messages, or a
 * navigation of their frame. The frame of such an app is removed until the user reloads it.
 */
import { signal } from '@preact/signals';
import { LONGEST_DETAIL, ping } from '../notices.ts';
import type { Trouble } from './choices.ts';
import { addLine, addNotice } from './state.ts';
import { TEXTS } from './texts.ts';

/** Null: the app is shown. */
export const trouble = signal<Trouble | null>(null);

const PING_MS = 1000;
/** Unanswered pings after which the app is reported to hang. */
const MOST_PINGS = 3;
/** Messages a second. Normal pages send a few hundred, conformance pages up to 7,000. */
const MOST_MESSAGES = 8000;
/** Characters a second: five messages of the maximum size. */
const MOST_CHARACTERS = 60_000_000;
const WINDOW_MS = 1000;

let sent = 0;
let answered = 0;
/** The guard of the page has started. */
let isAlive = false;
let messages = 0;
let characters = 0;
let windowStart = 0;

/** Resets the state for a new page or frame. */
export function watchAgain(): void {
  trouble.value = null;
  isAlive = false;
  messages = 0;
  characters = 0;
  answered = sent;
}

export function watchFrame(frame: () => HTMLIFrameElement | null): void {
  setInterval(() => {
    const target = frame()?.contentWindow;
    // Browsers throttle the timers of hidden pages.
    if (target == null || document.hidden) {
      answered = sent;
      return;
    }
    if (isAlive && trouble.value === null && sent - answered >= MOST_PINGS) {
      trouble.value = 'hangs';
      addLine('host', TEXTS.console.silent((MOST_PINGS * PING_MS) / 1000));
    }
    target.postMessage(ping(++sent), '*');
  }, PING_MS);
  // frame-src blocked a navigation of the frame, which now shows an error.
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    if (effectiveDirective !== 'frame-src') return;
    addNotice({
      kind: 'blocked',
      attempt: 'navigation',
      detail: blockedURI.slice(0, LONGEST_DETAIL) || TEXTS.sandbox.noAddress,
    });
    trouble.value = 'left';
  });
}

export function receivePong(id: number): void {
  if (id > sent) return;
  isAlive = true;
  answered = id === 0 ? sent : id;
  if (trouble.value === 'hangs') trouble.value = null;
}

/** Counts a message of the app. False: the limit is exceeded, and the frame is removed. */
export function countMessage(): boolean {
  const now = performance.now();
  if (now - windowStart > WINDOW_MS) {
    windowStart = now;
    messages = 0;
    characters = 0;
  }
  if (++messages <= MOST_MESSAGES && characters <= MOST_CHARACTERS) return true;
  if (trouble.value !== 'floods')
    addNotice({ kind: 'blocked', attempt: 'message', detail: TEXTS.sandbox.flood(messages, characters) });
  trouble.value = 'floods';
  return false;
}

export function countText(text: string): void {
  characters += text.length;
}
