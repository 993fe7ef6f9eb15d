/**
 * Takes photos and stores small copies: an app has 5 MB of storage, and a value has at most 1 MB.
 * Each photo has its own key, and the list of keys is another value.
 */

const LIST = 'photos';
/** Pixels of the longer side; such a JPEG has about 100 KB. */
const MAX_SIDE = 1024;
const QUALITY = 0.75;

const problem = document.getElementById('problem') as HTMLElement;
const state = document.getElementById('state') as HTMLElement;
const takeButton = document.getElementById('take') as HTMLButtonElement;
const gallery = document.getElementById('gallery') as HTMLElement;
const viewer = document.getElementById('viewer') as HTMLDialogElement;
const large = document.getElementById('large') as HTMLImageElement;
const closeButton = document.getElementById('close') as HTMLButtonElement;
const removeButton = document.getElementById('remove') as HTMLButtonElement;

/** Newest first. */
let keys: readonly string[] = [];
/** Key of the photo in the viewer. */
let opened = '';

/** The text for the user, by the code of a HostError. Other codes are bugs of the app. */
function explain(error: unknown): string {
  const { code, message, operation } = error as HostError;
  const isCamera = operation === 'camera.takePhoto';
  if (code === 'permission_denied')
    return isCamera ? 'This app may not use the camera. Allow it to take photos.' : 'This app may not use storage.';
  if (code === 'quota_exceeded') return 'The storage is full. Delete photos, then take this one again.';
  if (code === 'busy') return isCamera ? 'Another app uses the camera.' : 'The phone is busy. Try again.';
  if (code === 'timeout') return 'The phone did not respond. Try again.';
  if (code === 'unsupported') return isCamera ? 'This device has no camera.' : 'This device has no storage for apps.';
  return `Something went wrong: ${message}`;
}

function report(error: unknown): void {
  problem.textContent = explain(error);
  problem.hidden = false;
}

async function load(): Promise<void> {
  try {
    keys = JSON.parse((await Host.storage.get(LIST)) ?? '[]');
    for (const key of keys) gallery.append(itemOf(key, (await Host.storage.get(key)) ?? ''));
    takeButton.disabled = false;
    showState();
  } catch (error) {
    state.textContent = '';
    report(error);
  }
}

function showState(): void {
  if (keys.length === 0) state.textContent = 'No photos yet.';
  else state.textContent = keys.length === 1 ? '1 photo' : `${keys.length} photos`;
}

async function take(): Promise<void> {
  takeButton.disabled = true;
  problem.hidden = true;
  state.textContent = 'Waiting for the camera…';
  try {
    const photo = await shrink(`data:image/jpeg;base64,${await Host.camera.takePhoto()}`);
    await keep(photo);
  } catch (error) {
    // Leaving the camera without a photo is not an error for users.
    if ((error as HostError).code !== 'cancelled') report(error);
  }
  takeButton.disabled = false;
  showState();
}

async function keep(photo: string): Promise<void> {
  const key = `photo-${Date.now()}`;
  // Store the photo before the list, so that the list never has a key without a photo.
  await Host.storage.set(key, photo);
  try {
    await Host.storage.set(LIST, JSON.stringify([key, ...keys]));
  } catch (error) {
    await Host.storage.set(key, '');
    throw error;
  }
  keys = [key, ...keys];
  gallery.prepend(itemOf(key, photo));
}

/** Returns a smaller JPEG of the same picture. */
async function shrink(source: string): Promise<string> {
  const image = new Image();
  image.src = source;
  await image.decode();
  const scale = Math.min(1, MAX_SIDE / Math.max(image.naturalWidth, image.naturalHeight));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.naturalWidth * scale);
  canvas.height = Math.round(image.naturalHeight * scale);
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', QUALITY);
}

function itemOf(key: string, photo: string): HTMLElement {
  const image = document.createElement('img');
  image.alt = `Photo of ${new Date(Number(key.slice('photo-'.length))).toLocaleString()}`;
  image.src = photo;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'photo';
  button.append(image);
  button.addEventListener('click', () => openPhoto(key, image));
  const item = document.createElement('li');
  item.id = key;
  item.append(button);
  return item;
}

function openPhoto(key: string, image: HTMLImageElement): void {
  opened = key;
  large.src = image.src;
  large.alt = image.alt;
  viewer.showModal();
}

async function remove(): Promise<void> {
  viewer.close();
  const key = opened;
  const others = keys.filter((other) => other !== key);
  try {
    await Host.storage.set(LIST, JSON.stringify(others));
    // Keys cannot be deleted, but an empty value needs almost no storage.
    await Host.storage.set(key, '');
    problem.hidden = true;
  } catch (error) {
    report(error);
    return;
  }
  keys = others;
  document.getElementById(key)?.remove();
  showState();
}

takeButton.addEventListener('click', take);
closeButton.addEventListener('click', () => viewer.close());
removeButton.addEventListener('click', remove);
load();
