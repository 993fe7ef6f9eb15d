/** Runs a task at an interval while the page is visible. */
import { useEffect, useRef } from 'preact/hooks';

/** `run` starts `milliseconds` after its last run has ended; null: not at all. */
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
      if (document.hidden) schedule();
      else void current.current().then(schedule, schedule);
    };
    schedule();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [milliseconds]);
}
