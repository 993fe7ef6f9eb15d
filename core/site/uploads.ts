/** Sizes of request bodies, by site (protection) and by rule. */

/** The largest limit in bytes. */
export const MAX_UPLOAD = 2 ** 40;
/** Maximum bytes of a request body that are held before the request is sent to the origin. */
export const MAX_UPLOAD_BUFFER = 10_485_760;

/** In bytes. Null: not set. */
export interface UploadTerms {
  readonly maxSize: number | null;
  readonly buffer: number | null;
}

export const NO_UPLOAD_TERMS: UploadTerms = { maxSize: null, buffer: null };
