/** Notes: list, search, add, edit and delete. All notes are stored as one JSON string. */

interface Note {
  readonly id: number;
  readonly title: string;
  readonly text: string;
}

const KEY = 'notes';

const problem = document.getElementById('problem') as HTMLElement;
const state = document.getElementById('state') as HTMLElement;
const overview = document.getElementById('overview') as HTMLElement;
const search = document.getElementById('search') as HTMLInputElement;
const addButton = document.getElementById('add') as HTMLButtonElement;
const list = document.getElementById('notes') as HTMLElement;
const editor = document.getElementById('editor') as HTMLFormElement;
const titleField = document.getElementById('title') as HTMLInputElement;
const textField = document.getElementById('text') as HTMLTextAreaElement;
const removeButton = document.getElementById('remove') as HTMLButtonElement;
const cancelButton = document.getElementById('cancel') as HTMLButtonElement;

let notes: readonly Note[] = [];
/** Id of the note in the editor; 0 for a new one. */
let edited = 0;

/** The text for the user, by the code of a HostError. Other codes are bugs of the app. */
function explain(error: unknown): string {
  const { code, message } = error as HostError;
  if (code === 'permission_denied') return 'This app may not use storage.';
  if (code === 'quota_exceeded') return 'The storage is full. Delete or shorten notes, then save again.';
  if (code === 'busy' || code === 'timeout') return 'The phone is busy. Try again.';
  if (code === 'unsupported') return 'Open this app on a phone, or with "waypost pkg dev".';
  return `Something went wrong: ${message}`;
}

function report(error: unknown): void {
  problem.textContent = explain(error);
  problem.hidden = false;
}

async function load(): Promise<void> {
  try {
    notes = JSON.parse((await Host.storage.get(KEY)) ?? '[]');
    addButton.disabled = false;
    show();
  } catch (error) {
    state.textContent = '';
    report(error);
  }
}

/** True: stored. The app shows changes only after they are stored. */
async function store(changed: readonly Note[]): Promise<boolean> {
  try {
    await Host.storage.set(KEY, JSON.stringify(changed));
  } catch (error) {
    report(error);
    return false;
  }
  notes = changed;
  problem.hidden = true;
  return true;
}

function show(): void {
  const words = search.value.trim().toLowerCase();
  const found = notes.filter(({ title, text }) => `${title} ${text}`.toLowerCase().includes(words));
  list.replaceChildren(...found.map(itemOf));
  if (notes.length === 0) state.textContent = 'No notes yet. Write the first one.';
  else if (found.length === 0) state.textContent = 'No note has these words.';
  else state.textContent = found.length === 1 ? '1 note' : `${found.length} notes`;
}

function itemOf(note: Note): HTMLElement {
  // Use textContent, not innerHTML: text from users is not markup.
  const title = document.createElement('strong');
  title.textContent = note.title;
  const text = document.createElement('span');
  text.className = 'quiet';
  text.textContent = note.text;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'note card';
  button.append(title, text);
  button.addEventListener('click', () => edit(note));
  const item = document.createElement('li');
  item.append(button);
  return item;
}

function edit(note: Note): void {
  edited = note.id;
  titleField.value = note.title;
  textField.value = note.text;
  removeButton.hidden = edited === 0;
  overview.hidden = true;
  editor.hidden = false;
  titleField.focus();
}

function closeEditor(): void {
  problem.hidden = true;
  editor.hidden = true;
  overview.hidden = false;
  show();
  addButton.focus();
}

async function save(event: Event): Promise<void> {
  // The sandbox blocks form submission.
  event.preventDefault();
  const note = { id: edited || Date.now(), title: titleField.value.trim(), text: textField.value };
  const others = notes.filter(({ id }) => id !== edited);
  if (await store([note, ...others])) closeEditor();
}

async function remove(): Promise<void> {
  if (await store(notes.filter(({ id }) => id !== edited))) closeEditor();
}

search.addEventListener('input', show);
addButton.addEventListener('click', () => edit({ id: 0, title: '', text: '' }));
editor.addEventListener('submit', save);
cancelButton.addEventListener('click', closeEditor);
removeButton.addEventListener('click', remove);
load();
