/** An authenticator app for one-time codes (TOTP). */
import { Secret, TOTP } from 'otpauth';

/** Seconds of a time step. */
export const STEP = 30;

export class App {
  readonly #totp: TOTP;

  /** `secret`: in base32, with or without spaces. */
  constructor(secret: string) {
    this.#totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
  }

  /** The code at the time of this process plus `later` seconds. */
  code(later = 0): string {
    return this.#totp.generate({ timestamp: Date.now() + later * 1000 });
  }

  /** A code that is invalid for the current and adjacent time steps. */
  wrong(): string {
    const valid = [-2, -1, 0, 1, 2].map((steps) => this.code(steps * STEP));
    return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !valid.includes(code)) ?? '';
  }
}
