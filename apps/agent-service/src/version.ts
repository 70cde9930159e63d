import packageJson from '../package.json' with { type: 'json' };

/** Of this app. */
export const VERSION: string = packageJson.version;
