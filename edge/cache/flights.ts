/**
 * Collapsed forwarding: of many who ask at one time for what is not there, one asks the origin and the others wait. They wait for what can be
 * given to all; as soon as it shows that it cannot, each goes by itself, all at once.
 */

/** What became of it for those who wait. */
export type Landing =
  | 'kept' // it can be looked up now
  | 'not-kept' // it is for one visitor alone, or came to nothing
  | 'late'; // it takes too long

export class Flight {
  /** Who waits. */
  followers = 0;
  readonly #landed: Promise<Landing>;
  #land: (landing: Landing) => void = () => {};
  /** Somebody waits from here on. */
  onFollower: () => void;

  constructor(onFollower: () => void) {
    this.onFollower = onFollower;
    this.#landed = new Promise((resolve) => {
      this.#land = resolve;
    });
  }

  /** At most so many milliseconds. */
  async wait(most: number): Promise<Landing> {
    this.followers++;
    this.onFollower();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Landing>((resolve) => {
      timer = setTimeout(resolve, most, 'late');
    });
    try {
      return await Promise.race([this.#landed, late]);
    } finally {
      clearTimeout(timer);
      this.followers--;
    }
  }

  land(landing: Landing): void {
    this.#land(landing);
  }
}

export class Flights {
  readonly #open = new Map<string, Flight>();

  get(key: string): Flight | undefined {
    return this.#open.get(key);
  }

  get count(): number {
    return this.#open.size;
  }

  begin(key: string, onFollower: () => void): Flight {
    const flight = new Flight(onFollower);
    this.#open.set(key, flight);
    return flight;
  }

  /** More than once does nothing. */
  end(key: string, flight: Flight, landing: Landing): void {
    if (this.#open.get(key) === flight) this.#open.delete(key);
    flight.land(landing);
  }
}
