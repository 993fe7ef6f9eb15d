/**
 * Field lines, flat: name, value, name, value, …; names in lower case, values in Latin-1; repeated
 * names in the order of arrival.
 */
export type FieldList = readonly string[];
