import { E2BOptionsInvalidError } from '@agent-workspace/core';
import { E2B } from 'e2b';
import { connectionOptions } from '../control/control-plane.ts';
import { translateError } from '../control/translate-error.ts';
import type { E2BConnectionOptions } from '../e2b-options.ts';
import { workspaceTemplate, type WorkspaceTemplateOptions } from './workspace-template.ts';

export interface BuildTemplateOptions extends WorkspaceTemplateOptions, E2BConnectionOptions {
  /** What the template is called, perhaps with a tag, as in `agents:v2`. */
  readonly name: string;
  /** Default: E2B's own. */
  readonly cpuCount?: number | undefined;
  /** Memory in MiB. Default: E2B's own. */
  readonly memoryMB?: number | undefined;
  /** Told what the build does, a line at a time. */
  readonly onProgress?: ((line: string) => void) | undefined;
}

/** A template that is ready. */
export interface BuiltTemplate {
  readonly name: string;
  readonly templateId: string;
  readonly buildId: string;
}

/**
 * Builds a template that has the gateway in it, with Node, `rg` and the packages asked for, so that a
 * new sandbox need not be given any of it. Workspaces take it by `template: name`.
 *
 * @throws `e2b-request-failed`, `e2b-options-invalid`
 */
export async function buildTemplate(options: BuildTemplateOptions): Promise<BuiltTemplate> {
  const { name, cpuCount, memoryMB, onProgress, requestTimeoutMs, baseTemplate, fromImage } = options;
  if (name === '') throw new E2BOptionsInvalidError({ option: 'name', reason: 'it is empty.' });
  if (baseTemplate !== undefined && fromImage !== undefined) {
    const reason = 'a template begins either with another one or with an image; give one of the two.';
    throw new E2BOptionsInvalidError({ option: 'fromImage', reason });
  }
  const template = await workspaceTemplate(options);
  const client = new E2B({
    ...connectionOptions(options),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
  });
  try {
    const built = await client.Template.build(template, name, {
      ...(cpuCount !== undefined && { cpuCount }),
      ...(memoryMB !== undefined && { memoryMB }),
      ...(onProgress !== undefined && { onBuildLogs: ({ message }) => onProgress(message) }),
    });
    return { name: built.name, templateId: built.templateId, buildId: built.buildId };
  } catch (error) {
    throw translateError(error, `build the template ${name}`);
  }
}
