/** What the proxy says by itself, without asking the sandbox. */
export interface ProxyAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** What a browser shows in place of JSON. */
  readonly page?: { readonly title: string; readonly text: string } | undefined;
}

function json(
  status: number,
  title: string,
  answer: Readonly<Record<string, unknown>> & { readonly message: string },
): ProxyAnswer {
  const body = JSON.stringify({ ...answer, code: status });
  return { status, contentType: 'application/json; charset=utf-8', body, page: { title, text: answer.message } };
}

/** It never was, has ended, or is paused and not to be woken. */
export function sandboxNotFoundAnswer(sandboxId: string): ProxyAnswer {
  return json(502, 'Sandbox Not Found', { sandboxId, message: 'The sandbox was not found' });
}

export function portClosedAnswer(sandboxId: string, port: number): ProxyAnswer {
  return json(502, 'Closed Port Error', { sandboxId, message: 'The sandbox is running but port is not open', port });
}

/** Between E2B and envd alone. */
export function controlPathAnswer(path: string): ProxyAnswer {
  return json(404, 'Not Found', { message: 'path not found', path });
}

export function trafficTokenAnswer(sandboxId: string, isMissing: boolean): ProxyAnswer {
  const message = isMissing
    ? 'Sandbox is secured with traffic access token. Token header "e2b-traffic-access-token" is missing'
    : 'Sandbox is secured with traffic access token. Token in the header "e2b-traffic-access-token" is invalid';
  return json(403, 'Access Denied', { sandboxId, message });
}

export function resumeDeniedAnswer(sandboxId: string): ProxyAnswer {
  return json(403, 'Access Denied', {
    sandboxId,
    message: 'The sandbox is paused, and this request is not permitted to resume it',
  });
}

/** A resume that did not work out. */
export function transitioningAnswer(sandboxId: string): ProxyAnswer {
  return json(409, 'Sandbox Is Transitioning', { sandboxId, message: 'The sandbox is being paused or resumed' });
}

/** A URL of a file that is signed with none of the tokens. */
export function signatureAnswer(): ProxyAnswer {
  return json(401, 'Access Denied', { message: 'The signature is of no sandbox that is there, or the URL has none' });
}

export function plainAnswer(status: number, message: string): ProxyAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body: message };
}
