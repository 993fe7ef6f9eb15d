/** When the user last did something in this window. */

/** Milliseconds. Later requests are those of the page, not of the user. */
const IN_USE_MS = 300_000;

let lastInput = performance.now();
for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'])
  addEventListener(
    type,
    () => {
      lastInput = performance.now();
    },
    { passive: true },
  );

export const isInUse = (): boolean => performance.now() - lastInput <= IN_USE_MS;
