/** Waits for the signal that stops a command which runs until then. */

/** A second signal ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve());
  });
}
