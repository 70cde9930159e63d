import { readFile } from 'node:fs/promises';

/** Names by id. */
type Names = ReadonlyMap<string, string>;

async function readNames(database: string): Promise<Names> {
  const names = new Map<string, string>();
  try {
    for (const line of (await readFile(database, 'utf8')).split('\n')) {
      const [name, , id] = line.split(':');
      // The first line of an id is the one that counts.
      if (name !== undefined && id !== undefined && !names.has(id)) names.set(id, name);
    }
  } catch {
    // A system without the database has no names: ids are all that can be said.
  }
  return names;
}

/** Who files belong to, by the names that are in use when it is first asked. */
export class OwnerNames {
  #users: Promise<Names> | undefined;
  #groups: Promise<Names> | undefined;

  /** The number in place of a name that there is none of. */
  async find(uid: bigint, gid: bigint): Promise<{ readonly owner: string; readonly group: string }> {
    this.#users ??= readNames('/etc/passwd');
    this.#groups ??= readNames('/etc/group');
    const [users, groups] = [await this.#users, await this.#groups];
    return { owner: users.get(String(uid)) ?? String(uid), group: groups.get(String(gid)) ?? String(gid) };
  }
}
