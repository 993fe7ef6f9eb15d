/** Replaces the package "typescript" for openapi-typescript, because version 7 has no API. */
import { ts } from '@ts-morph/common';

export default ts;
