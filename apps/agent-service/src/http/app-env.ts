import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Lease } from '../workspaces/workspace-access.ts';
import { ServiceError } from './service-error.ts';

/** What is known of a request on its way. */
export interface AppEnv {
  Variables: {
    requestId: string;
    /** Whose the request is: below `/v1`. */
    tenant: string;
    /** The workspace that the request is about: below `/v1/workspaces/{workspaceId}`, where it is needed. */
    lease: Lease;
  };
}

export type App = OpenAPIHono<AppEnv>;
export type AppContext = Context<AppEnv>;

/** An app, or a part of one, that says in one way what is wrong with a request. */
export function newApp(): App {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      const issues = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      const [first] = issues;
      const message = `The request's ${result.target} cannot be used: ${first?.path ?? ''}: ${first?.message ?? ''}`;
      throw new ServiceError('request-invalid', message, { details: { issues } });
    },
  });
}
