/** What `POST /init` sets, for all services. */
export interface EnvdState {
  /** `undefined`: everybody is let in. */
  accessToken?: string | undefined;
  /** Who acts where a request names nobody. */
  defaultUser: string;
  /** Where relative paths and commands begin. Default: the user's home. */
  defaultWorkdir?: string | undefined;
  /** Of every process, before those of its request. */
  envs: Record<string, string>;
}

/** As it is before `POST /init`. The sandbox's id may be known from the start. */
export function createEnvdState(): EnvdState {
  const id = process.env['E2B_SANDBOX_ID'];
  return { defaultUser: 'user', envs: { E2B_SANDBOX: 'true', ...(id !== undefined && { E2B_SANDBOX_ID: id }) } };
}
