/** A user of the sandbox, as `/etc/passwd` has it. */
export interface EnvdUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** The home directory, absolute. */
  readonly home: string;
}

export { findUser } from './find-user.ts';
