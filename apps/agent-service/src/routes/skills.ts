import { createRoute, z } from '@hono/zod-openapi';
import type { Skill } from '@agent-workspace/core';
import { type App, type AppContext, newApp } from '../http/app-env.ts';
import { leaseWorkspace } from '../http/lease-workspace.ts';
import { limitBody, limitStream, MOST_SKILL_BYTES } from '../http/limit-body.ts';
import { failures, json, scopeQuery, secured, workspaceParams } from '../http/schemas.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Service } from '../service.ts';
import { UploadedFolder } from '../workspaces/uploaded-folder.ts';

const SKILLS = '/v1/workspaces/{workspaceId}/skills';
const FORM = 'multipart/form-data';

const skillSchema = z
  .object({ name: z.string(), description: z.string(), path: z.string(), body: z.string() })
  .openapi('Skill');

const listRoute = createRoute({
  method: 'get',
  path: SKILLS,
  summary: 'Skills of the agent',
  security: secured,
  request: { params: workspaceParams, query: scopeQuery },
  responses: { 200: json('By name', z.object({ skills: z.array(skillSchema) })), ...failures },
});

const addRoute = createRoute({
  method: 'post',
  path: SKILLS,
  summary: 'Add a skill: an archive as the body, or a folder as a form of its files',
  security: secured,
  request: { params: workspaceParams, query: scopeQuery },
  responses: { 201: json('Added, or there already just so', skillSchema), ...failures },
});

const removeRoute = createRoute({
  method: 'delete',
  path: `${SKILLS}/{name}`,
  summary: 'Remove a skill',
  security: secured,
  request: { params: workspaceParams.extend({ name: z.string().min(1) }), query: scopeQuery },
  responses: { 204: { description: 'Gone' }, ...failures },
});

/** Skills of a workspace, in the scope of an agent. */
export function skillsRoutes(service: Service): App {
  const app = newApp();
  app.use('/v1/workspaces/:workspaceId/skills/*', leaseWorkspace(service));

  app.openapi(listRoute, async (c) => {
    const skills = await c.get('lease').session.listSkills();
    return c.json({ skills: skills.map(describe) }, 200);
  });

  app.openapi(addRoute, async (c) => {
    const { session, workspace } = c.get('lease');
    const skill = await upload(c, (source) => session.addSkill(source));
    service.tell({ type: 'skills-changed' }, { workspaceId: workspace.workspaceId });
    return c.json(describe(skill), 201);
  });

  app.openapi(removeRoute, async (c) => {
    const { session, workspace } = c.get('lease');
    await session.removeSkill(c.req.valid('param').name);
    service.tell({ type: 'skills-changed' }, { workspaceId: workspace.workspaceId });
    return c.body(null, 204);
  });

  return app;
}

type Source = { readonly path: string } | { readonly archive: ReadableStream<Uint8Array> };

async function upload(c: AppContext, add: (source: Source) => Promise<Skill>): Promise<Skill> {
  if (c.req.header('content-type')?.startsWith(FORM) !== true) {
    const body = c.req.raw.body;
    if (body === null) throw new ServiceError('request-invalid', `Send an archive, or a folder as ${FORM}.`);
    return await add({ archive: limitStream(body, MOST_SKILL_BYTES) });
  }
  await limitBody(MOST_SKILL_BYTES)(c, async () => {});
  const parts = [...(await readForm(c)).values()];
  const files = parts.filter((part) => part instanceof File);
  if (files.length === 0) throw new ServiceError('request-invalid', 'The form has no files.');
  await using folder = await UploadedFolder.create(files);
  return await add(folder);
}

async function readForm(c: AppContext): Promise<FormData> {
  try {
    return await c.req.raw.formData();
  } catch (cause) {
    throw new ServiceError('request-invalid', `The body is no ${FORM}: ${(cause as Error).message}`, { cause });
  }
}

function describe({ name, description, path, body }: Skill): z.infer<typeof skillSchema> {
  return { name, description, path, body };
}
