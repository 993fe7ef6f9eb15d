/**
 * Field lines as a flat list: name, value, name, value, … Names are in lower case, values in
 * Latin-1. Repeated names stay in order of arrival.
 */
export type FieldList = readonly string[];
