import { ApiError } from './api-error.ts';
import type { Route } from './route.ts';

/** What E2B has and this emulator does not, by the routes that ask for it. */
const FEATURES: readonly (readonly [feature: string, path: string])[] = [
  ['snapshots', '/snapshots'],
  ['snapshots', '/sandboxes/:sandboxID/snapshots'],
  ['forking sandboxes', '/sandboxes/:sandboxID/fork'],
  ['sandbox logs', '/sandboxes/:sandboxID/logs'],
  ['sandbox logs', '/v2/sandboxes/:sandboxID/logs'],
  ['metrics of many sandboxes', '/sandboxes/metrics'],
  ['volumes', '/volumes/*'],
  ['volumes', '/volumecontent/*'],
  ['secrets', '/secrets/*'],
  ['building templates', '/v3/templates/*'],
  ['building templates', '/v2/templates/*'],
  ['building templates', '/templates/*'],
  ['teams', '/teams/*'],
  ['API keys', '/api-keys/*'],
  ['access tokens', '/access-tokens/*'],
  ['nodes', '/nodes/*'],
];

export function notEmulated(feature: string): ApiError {
  return new ApiError(501, `The E2B emulator does not emulate ${feature}.`);
}

/** Says so, by name, rather than that there is no such route. */
export const NOT_EMULATED_ROUTES: readonly Route[] = FEATURES.map(([feature, path]) => ({
  name: 'not-emulated',
  method: '*',
  path,
  handle: () => {
    throw notEmulated(feature);
  },
}));
