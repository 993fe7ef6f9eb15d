/** The reason why something could not be checked, as the end of a sentence. */
export class NotChecked extends Error {
  readonly fix?: string;

  constructor(reason: string, fix?: string) {
    super(reason);
    this.fix = fix;
  }
}

/** There is nothing to check, which is well: a single node has no etcd. */
export class NotNeeded extends NotChecked {}
