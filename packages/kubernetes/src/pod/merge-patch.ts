type Value = unknown;

interface Fields {
  readonly [key: string]: Value;
}

/** By which field the items of a list are told apart, as Kubernetes' own strategic merge has it. */
const LIST_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  imagePullSecrets: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  ports: 'containerPort',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
};

function isFields(value: Value): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/**
 * Merges a patch into an object: objects are merged, lists of what has a name are merged by it, other lists
 * replaced, and `null` removes.
 */
export function mergePatch<T>(base: T, patch: unknown): T {
  return merge(base, patch, '') as T;
}

function merge(base: Value, patch: Value, name: string): Value {
  if (patch === undefined) return base;
  if (Array.isArray(patch)) return mergeLists(Array.isArray(base) ? base : [], patch, LIST_KEYS[name]);
  if (!isFields(patch)) return patch;
  // A name such as `__proto__` is a field like any other.
  const merged = new Map<string, Value>(isFields(base) ? Object.entries(base) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (value !== undefined) merged.set(key, merge(merged.get(key), value, key));
  }
  return Object.fromEntries(merged);
}

function mergeLists(base: readonly Value[], patch: readonly Value[], key: string | undefined): readonly Value[] {
  if (key === undefined) return patch.map((item) => merge(undefined, item, ''));
  const keyOf = (item: Value): Value => (isFields(item) ? item[key] : undefined);
  const merged = [...base];
  for (const item of patch) {
    const at = merged.findIndex((candidate) => keyOf(candidate) !== undefined && keyOf(candidate) === keyOf(item));
    if (at === -1) merged.push(merge(undefined, item, ''));
    else merged[at] = merge(merged[at], item, '');
  }
  return merged;
}
