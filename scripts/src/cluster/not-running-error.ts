/** There is no cluster in the folder. */
export class NotRunningError extends Error {
  override readonly name: string = 'NotRunningError';

  constructor() {
    super('The cluster does not run. Start it with `pnpm cluster up`.');
  }
}
