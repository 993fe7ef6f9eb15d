/**
 * Finds apps that harm the page around them: that run without end, flood it with messages, or lead
 * their frame elsewhere. The frame of such an app is removed until the user loads it again.
 */
import { signal } from '@preact/signals';
import { LONGEST_DETAIL, ping } from '../notices.ts';
import type { Trouble } from './choices.ts';
import { addLine, addNotice } from './state.ts';
import { TEXTS } from './texts.ts';

/** Null: the app is shown. */
export const trouble = signal<Trouble | null>(null);

const PING_MS = 1000;
/** Pings without a response after which the app is said to hang. */
const MOST_PINGS = 3;
/** In one second. An honest page sends a few hundred, and the conformance pages up to 7,000. */
const MOST_MESSAGES = 8000;
/** In the same time: five of the largest messages. */
const MOST_CHARACTERS = 60_000_000;
const WINDOW_MS = 1000;

let sent = 0;
let answered = 0;
/** The guard of the page has begun. */
let isAlive = false;
let messages = 0;
let characters = 0;
let windowStart = 0;

/** The frame has another page, or there is another frame. */
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
    // Timers of hidden pages are slowed down.
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
  // The frame has been led to where frame-src does not allow it, and now shows an error.
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

/** Counts a message of the app. False: there are too many, and the frame is removed. */
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
