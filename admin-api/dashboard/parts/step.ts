/** A step of a timeline. */

export interface Step {
  readonly state: 'done' | 'now' | 'failed' | 'next';
  readonly text: string;
  /** Details. */
  readonly detail?: string;
  /** Time of the step, past or future, in the format of the API. */
  readonly at?: string;
  /** Expected end of a step in progress. */
  readonly until?: string;
}
