/**
 * Schedules background tasks and shows which of them have run.
 *
 * The page and background.js share the storage and run at the same time, so each value has one
 * writer: the page writes "reminders", and background.js writes "fired".
 */

interface Reminder {
  readonly id: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly due: number;
}

interface Fired {
  readonly id: string;
  readonly at: number;
}

const MOST = 50;
const POLL_MS = 2000;

const problem = document.getElementById('problem') as HTMLElement;
const state = document.getElementById('state') as HTMLElement;
const editor = document.getElementById('editor') as HTMLFormElement;
const textField = document.getElementById('text') as HTMLInputElement;
const delayField = document.getElementById('delay') as HTMLSelectElement;
const addButton = document.getElementById('add') as HTMLButtonElement;
const list = document.getElementById('reminders') as HTMLElement;

/** Newest first. */
let reminders: readonly Reminder[] = [];
let fired: readonly Fired[] = [];

/** The text for the user, by the code of a HostError. Other codes are bugs of the app. */
function explain(error: unknown): string {
  const { code, message, operation } = error as HostError;
  const isSchedule = operation === 'background.schedule';
  if (code === 'permission_denied')
    return isSchedule
      ? 'This app may not run in the background. Allow it to remind you.'
      : 'This app may not use storage.';
  if (code === 'quota_exceeded') return isSchedule ? 'There are too many reminders.' : 'The storage is full.';
  if (code === 'busy' || code === 'timeout') return 'The phone is busy. Try again.';
  if (code === 'unsupported') return 'This device cannot run tasks in the background.';
  return `Something went wrong: ${message}`;
}

function report(error: unknown): void {
  problem.textContent = explain(error);
  problem.hidden = false;
}

async function load(): Promise<void> {
  try {
    reminders = JSON.parse((await Host.storage.get('reminders')) ?? '[]');
    fired = JSON.parse((await Host.storage.get('fired')) ?? '[]');
    addButton.disabled = false;
    show();
  } catch (error) {
    state.textContent = '';
    report(error);
  }
}

async function add(event: Event): Promise<void> {
  // The sandbox blocks form submission.
  event.preventDefault();
  const delay = Number(delayField.value) * 1000;
  const reminder = { id: `reminder-${Date.now()}`, text: textField.value.trim(), due: Date.now() + delay };
  const changed = [reminder, ...reminders].slice(0, MOST);
  addButton.disabled = true;
  try {
    // Schedule the task first, so that every listed reminder has a task.
    await Host.background.schedule(reminder.id, delay);
    await Host.storage.set('reminders', JSON.stringify(changed));
    reminders = changed;
    problem.hidden = true;
    editor.reset();
    show();
  } catch (error) {
    report(error);
  }
  addButton.disabled = false;
}

function show(): void {
  list.replaceChildren(...reminders.map(itemOf));
  state.textContent = reminders.length === 0 ? 'No reminders yet.' : 'The phone may be a little late, never early.';
}

function itemOf({ id, text, due }: Reminder): HTMLElement {
  const event = fired.find((other) => other.id === id);
  const title = document.createElement('strong');
  title.textContent = text;
  const detail = document.createElement('span');
  detail.className = 'quiet';
  detail.textContent =
    event === undefined ? `Due ${new Date(due).toLocaleString()}` : `Reminded ${new Date(event.at).toLocaleString()}`;
  const item = document.createElement('li');
  item.className = event === undefined ? 'card' : 'card fired';
  item.append(title, detail);
  return item;
}

/** Polls storage, since a page gets no event when its background file has run. */
async function poll(): Promise<void> {
  if (document.hidden || reminders.length === 0) return;
  try {
    const text = (await Host.storage.get('fired')) ?? '[]';
    if (text === JSON.stringify(fired)) return;
    fired = JSON.parse(text);
    show();
  } catch {
    // The next poll retries.
  }
}

editor.addEventListener('submit', add);
document.addEventListener('visibilitychange', poll);
setInterval(poll, POLL_MS);
load();
