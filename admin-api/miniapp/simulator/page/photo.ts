/** Pictures of the simulated camera, as JPEG. */
import { signal } from '@preact/signals';
import { TEXTS } from './texts.ts';

type Source = keyof typeof TEXTS.camera.sources;

export const source = signal<Source>('test');
export const file = signal<File | null>(null);

const TEST_WIDTH = 960;
const TEST_HEIGHT = 1280;
/** Pixels of the longer side of a photo. */
const LONGEST_SIDE = 1600;
const QUALITY = 0.85;

/** Shows the camera's video. Returns a function that releases it. Rejects with a user message. */
export async function openCamera(canvas: HTMLCanvasElement): Promise<() => void> {
  if (source.peek() === 'webcam') return openWebcam(canvas);
  if (source.peek() === 'file') await drawFile(canvas);
  else drawTestPicture(canvas);
  return () => {};
}

/** Base64 of the canvas as JPEG. */
export function takeJpeg(canvas: HTMLCanvasElement): string {
  return canvas.toDataURL('image/jpeg', QUALITY).split(',')[1];
}

function drawTestPicture(canvas: HTMLCanvasElement): void {
  const context = sized(canvas, TEST_WIDTH, TEST_HEIGHT);
  const sky = context.createLinearGradient(0, 0, 0, TEST_HEIGHT);
  sky.addColorStop(0, '#5b8fd6');
  sky.addColorStop(0.6, '#f3d9b1');
  context.fillStyle = sky;
  context.fillRect(0, 0, TEST_WIDTH, TEST_HEIGHT);
  context.fillStyle = '#f7f1e3';
  circle(context, 600, 330, 110);
  context.fillStyle = '#3f6b5c';
  hill(context, -80, 980, 760);
  context.fillStyle = '#2c4c42';
  hill(context, 340, 1080, 820);
  context.fillStyle = '#1a2b26';
  context.fillRect(0, 1120, TEST_WIDTH, TEST_HEIGHT - 1120);
  context.fillStyle = '#ffffff';
  context.font = '600 44px system-ui, sans-serif';
  context.textAlign = 'center';
  context.fillText(new Date().toLocaleTimeString('en-GB'), TEST_WIDTH / 2, 1216);
}

function circle(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

function hill(context: CanvasRenderingContext2D, x: number, y: number, width: number): void {
  context.beginPath();
  context.ellipse(x + width / 2, y + 260, width / 1.4, 420, 0, 0, 2 * Math.PI);
  context.fill();
}

async function drawFile(canvas: HTMLCanvasElement): Promise<void> {
  if (file.peek() === null) throw new Error(TEXTS.camera.noFile);
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file.peek()!);
  } catch {
    throw new Error(TEXTS.camera.unreadable);
  }
  drawScaled(canvas, bitmap, bitmap.width, bitmap.height);
  bitmap.close();
}

async function openWebcam(canvas: HTMLCanvasElement): Promise<() => void> {
  const video = document.createElement('video');
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 1280 } } });
  } catch {
    throw new Error(TEXTS.camera.webcamDenied);
  }
  video.srcObject = stream;
  video.muted = true;
  await video.play();
  let frame = 0;
  const draw = (): void => {
    drawScaled(canvas, video, video.videoWidth, video.videoHeight);
    frame = requestAnimationFrame(draw);
  };
  draw();
  return () => {
    cancelAnimationFrame(frame);
    for (const track of stream.getTracks()) track.stop();
  };
}

function drawScaled(canvas: HTMLCanvasElement, image: CanvasImageSource, width: number, height: number): void {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  const context = sized(canvas, Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
}

function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  return canvas.getContext('2d')!;
}
