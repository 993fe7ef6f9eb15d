/** The types of host-sdk.js 1.0.0. */
export interface HostStorage {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
}
