/** Nothing is waited for without end. */

/** Far longer than anything takes that comes at all. */
const WAIT_MS = 15_000;

/** Rejects, saying `what`, when it takes too long. */
export async function within<Result>(result: Promise<Result>, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`In vain: ${what}.`)), WAIT_MS);
  });
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}
