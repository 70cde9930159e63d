import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

const DEPLOY = fileURLToPath(new URL('../../../../deploy/kubernetes', import.meta.url));

/** What is shipped for a cluster, a document of it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly patches?: readonly { readonly path: string }[];
}

async function readDocuments(path: string): Promise<readonly Manifest[]> {
  return parseAllDocuments(await readFile(path, 'utf8')).map((document) => document.toJS() as Manifest);
}

async function readKustomization(folder: string): Promise<Kustomization> {
  return parse(await readFile(join(DEPLOY, folder, 'kustomization.yaml'), 'utf8')) as Kustomization;
}

/** All of the base, which is made of nothing but resources: kustomize does nothing else with it. */
export async function readBase(): Promise<readonly Manifest[]> {
  const { resources, ...others } = await readKustomization('base');
  if (Object.keys(others).toSorted().join() !== 'apiVersion,kind') throw new Error('The base is more than resources.');
  return (await Promise.all(resources.map((name) => readDocuments(join(DEPLOY, 'base', name))))).flat();
}

/** What an overlay changes of the base. */
export async function readPatches(overlay: string): Promise<readonly Manifest[]> {
  const { patches = [] } = await readKustomization(overlay);
  return (await Promise.all(patches.map(({ path }) => readDocuments(join(DEPLOY, overlay, path))))).flat();
}

/** With other namespaces than the shipped ones. */
export function inNamespaces<T extends Manifest>(manifest: T, names: Readonly<Record<string, string>>): T {
  const fields = new Set(['namespace', 'kubernetes.io/metadata.name']);
  const renamed = JSON.parse(JSON.stringify(manifest), (key, value: unknown) =>
    fields.has(key) && typeof value === 'string' ? (names[value] ?? value) : value,
  ) as T;
  if (manifest.kind !== 'Namespace') return renamed;
  return { ...renamed, metadata: { ...renamed.metadata, name: names[renamed.metadata.name] ?? '' } };
}

/** Where objects of a manifest's kind are. */
export function collectionPath({ apiVersion, kind, metadata: { namespace } }: Manifest): string {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const plural = kind.toLowerCase().replace(/y$/u, 'ie').concat('s');
  return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`;
}
