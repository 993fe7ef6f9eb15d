/**
 * What openapi-typescript takes for the package "typescript": version 7 of it has no API any more.
 */
import { ts } from '@ts-morph/common';

export default ts;
