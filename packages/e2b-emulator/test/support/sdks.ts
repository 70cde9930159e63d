import * as newest from 'e2b';
import * as oldest from 'e2b-2-45';

/** The module of the SDK; what the tests use of it is the same in both versions. */
export type Sdk = typeof newest;

/** The newest of each of the two generations of routes. */
export const SDKS: readonly { readonly version: string; readonly sdk: Sdk }[] = [
  { version: '2.51.0', sdk: newest },
  { version: '2.45.0', sdk: oldest as unknown as Sdk },
];
