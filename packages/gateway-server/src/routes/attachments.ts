import { GatewayResourceNotFoundError } from '@agent-workspace/core';
import {
  attachmentSchemas,
  CONTENT_TYPES,
  type Health,
  MAX_JSON_BYTES,
  parseRequest,
  PROTOCOL_VERSION,
  ROUTES,
} from '@agent-workspace/gateway-protocol';
import type { GatewayAppOptions } from '../http/create-gateway-app.ts';
import { type GatewayApp, type GatewayContext } from '../http/gateway-context.ts';
import { jsonResponse } from '../http/json-response.ts';
import { readJson } from '../http/read-body.ts';
import { pathPart, routerPath } from '../http/route-path.ts';

/** The attachment that a request names, which can only be the one whose token it has. */
function ownAttachment(context: GatewayContext): string {
  const { attachmentId } = context.var.host;
  const id = pathPart(context, 'id');
  if (id !== attachmentId) throw new GatewayResourceNotFoundError({ resource: `attachment ${id} of this token` });
  return attachmentId;
}

/** What is about the connection to a host itself. */
export function addAttachmentRoutes(app: GatewayApp, { hosts, instance, bundleHash }: GatewayAppOptions): void {
  const { attachments } = hosts;

  app.get(ROUTES.health, (context) => {
    const { attachmentId, backend } = context.var.host;
    const health: Health = {
      status: 'ok',
      protocol: PROTOCOL_VERSION,
      bundleHash,
      instance,
      kind: backend.kind,
      workdir: backend.workdir,
      attachmentId,
      attachments: attachments.size,
    };
    return jsonResponse(health);
  });

  app.get(routerPath(ROUTES.attachment), (context) =>
    jsonResponse({ isAttached: attachments.has(pathPart(context, 'id')) }),
  );

  app.put(routerPath(ROUTES.attachment), async (context) => {
    const attachmentId = ownAttachment(context);
    const body = parseRequest(attachmentSchemas().renew, await readJson(context, MAX_JSON_BYTES), 'a renewal');
    return jsonResponse({ attachmentId, expiresInMs: attachments.renew(attachmentId, body.ttlMs) ?? 0 });
  });

  app.delete(routerPath(ROUTES.attachment), async (context) => {
    await attachments.revoke(ownAttachment(context));
    return jsonResponse({ attachments: attachments.size });
  });

  app.delete(routerPath(ROUTES.call), (context) =>
    jsonResponse({ isCancelled: context.var.host.calls.cancel(pathPart(context, 'id')) }),
  );

  app.get(ROUTES.events, (context) => {
    const stream = context.var.host.events.stream(context.req.raw.signal);
    return new Response(stream, { headers: { 'content-type': CONTENT_TYPES.ndjson } });
  });
}
