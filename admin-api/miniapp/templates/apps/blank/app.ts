/** Counts taps and stores the count. */

const problem = document.getElementById('problem') as HTMLElement;
const button = document.getElementById('add') as HTMLButtonElement;
const output = document.getElementById('count') as HTMLElement;

let count = 0;

/** The text for the user, by the code of a HostError. Other codes are bugs of the app. */
function explain(error: unknown): string {
  const { code, message } = error as HostError;
  if (code === 'permission_denied') return 'This app may not use storage.';
  if (code === 'quota_exceeded') return 'The storage of this app is full.';
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
    // Values are strings. A key that was never set returns null.
    count = Number((await Host.storage.get('count')) ?? 0);
    output.textContent = String(count);
    button.disabled = false;
  } catch (error) {
    report(error);
  }
}

async function add(): Promise<void> {
  count += 1;
  output.textContent = String(count);
  try {
    await Host.storage.set('count', String(count));
    problem.hidden = true;
  } catch (error) {
    report(error);
  }
}

button.addEventListener('click', add);
load();
