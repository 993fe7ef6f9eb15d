/** Runs a task at an interval while the page is visible and in use. */
import { useEffect, useRef } from 'preact/hooks';

/** Requests extend the session, which must expire while the user is away. */
const UNUSED_MS = 3_600_000;

let lastInput = performance.now();
for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'])
  addEventListener(
    type,
    () => {
      lastInput = performance.now();
    },
    { passive: true },
  );

/** Calls `run` with a delay of `milliseconds` after the previous call has ended. Null: never. */
export function useInterval(run: () => Promise<unknown>, milliseconds: number | null): void {
  const current = useRef(run);
  current.current = run;
  useEffect(() => {
    if (milliseconds === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    const schedule = (): void => {
      if (!isStopped) timer = setTimeout(turn, milliseconds);
    };
    const turn = (): void => {
      if (document.hidden || performance.now() - lastInput > UNUSED_MS) schedule();
      else void current.current().then(schedule, schedule);
    };
    schedule();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [milliseconds]);
}
