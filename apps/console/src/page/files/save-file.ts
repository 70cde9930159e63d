import type { ApiClient, ApiRequest } from '../api/api-client.ts';

/** Not every browser has taken what it needs when the click returns. */
const KEPT_MS = 60_000;

/** Has the browser save what the service answers. A plain link could not bring the token along. */
export async function saveFile(api: ApiClient, path: string, request: ApiRequest, name: string): Promise<void> {
  const url = URL.createObjectURL(await (await api.fetch(path, request)).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
