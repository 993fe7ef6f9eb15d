/** State of the page: the topics of the server, and local state. */
import { batch, type Signal, signal } from '@preact/signals';
import type { Level, Notice } from '../notices.ts';
import type { Topic, Topics, ViolationView } from '../protocol.ts';
import { violationOf } from '../violation.ts';

type TopicSignals = { readonly [T in Topic]: Signal<Topics[T] | null> };

export const topics: TopicSignals = {
  package: signal(null),
  host: signal(null),
  permissions: signal(null),
  prompts: signal(null),
  storage: signal(null),
  device: signal(null),
  photos: signal(null),
  network: signal(null),
  background: signal(null),
  audit: signal(null),
  violations: signal(null),
};

export function updateTopics(changed: Partial<Topics>): void {
  batch(() => {
    for (const [topic, value] of Object.entries(changed)) (topics[topic as Topic] as Signal<unknown>).value = value;
  });
}

export interface ConsoleLine {
  readonly id: number;
  readonly at: number;
  /** `host`: a line of the host about the app. */
  readonly level: Level | 'host';
  readonly text: string;
}

const MOST_LINES = 500;
/** Milliseconds to batch console lines: an app may write thousands at once. */
const SHOW_MS = 50;

export const consoleLines = signal<readonly ConsoleLine[]>([]);
/** Violations reported by the guard in the app's pages; the server has the others. */
export const guardViolations = signal<readonly ViolationView[]>([]);

let count = 0;
let newLines: ConsoleLine[] = [];
let newViolations: ViolationView[] = [];
let isWaiting = false;

export function addLine(level: ConsoleLine['level'], text: string): void {
  newLines.push({ id: ++count, at: Date.now(), level, text });
  if (newLines.length > MOST_LINES) newLines.shift();
  showSoon();
}

export function addNotice(notice: Notice): void {
  if (notice.kind === 'console') {
    addLine(notice.level, notice.text);
    return;
  }
  // Ids of the server are positive.
  const violation = violationOf(notice, -++count);
  if (violation === undefined) return;
  newViolations.push(violation);
  if (newViolations.length > MOST_LINES) newViolations.shift();
  showSoon();
}

function showSoon(): void {
  if (!isWaiting) setTimeout(show, SHOW_MS);
  isWaiting = true;
}

function show(): void {
  isWaiting = false;
  batch(() => {
    if (newLines.length > 0) consoleLines.value = [...consoleLines.value, ...newLines].slice(-MOST_LINES);
    if (newViolations.length > 0)
      guardViolations.value = [...guardViolations.value, ...newViolations].slice(-MOST_LINES);
  });
  newLines = [];
  newViolations = [];
}

interface Toast {
  readonly id: number;
  readonly text: string;
}

const TOAST_MS = 3000;
const MOST_TOASTS = 3;

export const toasts = signal<readonly Toast[]>([]);
/** Milliseconds that the phone vibrates, or 0. */
export const vibration = signal(0);
let vibrationTimer: ReturnType<typeof setTimeout> | undefined;

export function showToast(text: string): void {
  const toast = { id: ++count, text };
  toasts.value = [...toasts.value, toast].slice(-MOST_TOASTS);
  setTimeout(() => {
    toasts.value = toasts.value.filter((other) => other !== toast);
  }, TOAST_MS);
}

/** Short vibrations are displayed for longer. */
const VIBRATION_SHOWN_MS = 800;

export function vibrate(ms: number): void {
  clearTimeout(vibrationTimer);
  vibration.value = ms;
  vibrationTimer = setTimeout(
    () => {
      vibration.value = 0;
    },
    Math.max(ms, VIBRATION_SHOWN_MS),
  );
}

/** Clears the toast and vibration of the previous app page. */
export function clearScreen(): void {
  clearTimeout(vibrationTimer);
  vibration.value = 0;
  toasts.value = [];
}
