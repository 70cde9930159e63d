import type { ClusterRecords } from './cluster-records.ts';
import { boundTo, type StoredRecord } from './lease-object.ts';

/**
 * Removes the bindings to a workspace that hold no more, since they are of an earlier life than the one given.
 *
 * @returns whether any binding holds in that life
 */
export async function sweepBindings(
  records: ClusterRecords,
  { id, life }: { readonly id: string; readonly life: string },
): Promise<boolean> {
  const others: StoredRecord<'binding'>[] = [];
  let isBound = false;
  for await (const binding of records.list('binding', boundTo(id))) {
    if (binding.record.life === life) isBound = true;
    else others.push(binding);
  }
  // They may be of a later life instead. Where this one goes on now that they were read, they are of none that comes.
  const isCurrent = others.length > 0 && (await records.read('workspace', id))?.record.life === life;
  if (isCurrent) for (const binding of others) await records.remove(binding);
  return isBound;
}
