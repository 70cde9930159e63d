import { DockerOptionsInvalidError } from '@agent-workspace/core';

/** Whom a container runs as. Numbers, since the image need not know the host's names. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Where neither the workdir nor this process says whom to run as, or both say root. */
export const DEFAULT_USER: ContainerUser = { uid: 1000, gid: 1000 };

const USER = /^(\d{1,10})(?::(\d{1,10}))?$/;

/**
 * Reads the `user` option: `uid` or `uid:gid`, the group being as the user by default.
 *
 * @throws `docker-options-invalid`
 */
export function parseUser(text: string): ContainerUser {
  const [, uid, gid] = USER.exec(text) ?? [];
  if (uid === undefined) {
    const reason = 'give numbers, as in "1000" or "1000:1000", since the image need not know your names.';
    throw new DockerOptionsInvalidError({ option: 'user', reason });
  }
  return { uid: Number(uid), gid: Number(gid ?? uid) };
}

export function formatUser({ uid, gid }: ContainerUser): string {
  return `${uid}:${gid}`;
}
