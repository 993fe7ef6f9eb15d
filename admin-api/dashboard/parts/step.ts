/** A step of a timeline. */

export interface Step {
  readonly state: 'done' | 'now' | 'failed' | 'next';
  readonly text: string;
  /** More about it. */
  readonly detail?: string;
  /** When it happened or will happen, as the API writes it. */
  readonly at?: string;
  /** When a step that goes on is expected to end. */
  readonly until?: string;
}
