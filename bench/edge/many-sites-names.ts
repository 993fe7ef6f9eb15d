/** The domain of a number. Neighbours in number are none in the store. */
export const apexOf = (i: number): string => `${(Math.imul(i + 1, 2654435761) >>> 0).toString(36)}-site.test`;
