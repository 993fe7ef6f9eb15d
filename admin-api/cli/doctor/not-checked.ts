/** A check could not run. The message is the reason, as the end of a sentence. */
export class NotChecked extends Error {
  readonly fix?: string;

  constructor(reason: string, fix?: string) {
    super(reason);
    this.fix = fix;
  }
}

/** The check does not apply, which is not a problem: a single node has no etcd. */
export class NotNeeded extends NotChecked {}
