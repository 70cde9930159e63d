import { consoleFiles } from '@agent-workspace/console';
import { type App, newApp } from '../http/app-env.ts';

const ABSENT = `The agent service. GET /openapi.json says what it takes.
There is no console here: \`pnpm -C apps/console build\` makes it.
`;

/** The web console at `/`, where it was built. */
export async function consoleRoutes(): Promise<App> {
  const app = newApp();
  const files = await consoleFiles();
  if (!files.has('/')) app.get('/', (c) => c.text(ABSENT));
  for (const [path, { body, headers }] of files) {
    app.get(path, (c) => {
      if (c.req.header('if-none-match') === headers['etag']) return c.body(null, 304, headers);
      return c.body(body, 200, headers);
    });
  }
  return app;
}
