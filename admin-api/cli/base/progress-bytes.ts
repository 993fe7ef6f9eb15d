/** Progress of long operations, in bytes. */
import { type Output, print } from './io.ts';

/** Milliseconds between two lines of progress. */
const INTERVAL = 2000;

export const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);

/** Returns a function that prints the progress, at most once per interval. */
export function byteReporter(output: Output, done: string): (bytes: number, size: number) => void {
  let last = performance.now();
  return (bytes, size) => {
    if (performance.now() - last < INTERVAL) return;
    last = performance.now();
    print(output, `${megabytes(bytes)} of ${megabytes(size)} MB ${done}`);
  };
}
