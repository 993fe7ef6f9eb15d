/** Nothing is waited for without end. */
import { PATIENCE_MS } from '../../../support/patience.ts';

/** Rejects, saying `what`, when it takes too long. */
export async function within<Result>(result: Promise<Result>, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`In vain: ${what}.`)), PATIENCE_MS);
  });
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}
