import { z } from 'zod';

/** The way out of a sandbox, which is told back but not enforced. */
export interface EgressBody {
  readonly allowOut?: readonly string[] | undefined;
  readonly denyOut?: readonly string[] | undefined;
  readonly rules?: Readonly<Record<string, unknown>> | undefined;
  readonly egressProxy?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface NetworkBody extends EgressBody {
  readonly allowPublicTraffic?: boolean | undefined;
  readonly maskRequestHost?: string | undefined;
  readonly httpsPorts?: readonly number[] | undefined;
}

export interface CreateBody {
  readonly templateID: string;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly envVars?: Readonly<Record<string, string>> | undefined;
  readonly secure?: boolean | undefined;
  readonly allow_internet_access?: boolean | undefined;
  readonly network?: NetworkBody | undefined;
  readonly autoPause?: boolean | undefined;
  readonly autoPauseMemory?: boolean | undefined;
  readonly autoResume?: { readonly enabled: boolean } | undefined;
  readonly volumeMounts?: readonly unknown[] | undefined;
  readonly mcp?: unknown;
  readonly iam?: { readonly tokens?: Readonly<Record<string, unknown>> | undefined } | undefined;
}

export interface ConnectBody {
  /** Seconds. */
  readonly timeout: number;
  readonly memory?: boolean | undefined;
}

export interface ConnectBodyV2 {
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly memory?: boolean | undefined;
}

export interface UpdateNetworkBody extends EgressBody {
  readonly allow_internet_access?: boolean | undefined;
}

const strings = z.record(z.string(), z.string());
const seconds = z.int();
const duration = seconds.min(0);

const egress = {
  allowOut: z.array(z.string()).optional(),
  denyOut: z.array(z.string()).optional(),
  rules: z.record(z.string(), z.unknown()).optional(),
  egressProxy: z.looseObject({ address: z.string() }).nullish(),
};

const network = z.object({
  ...egress,
  allowPublicTraffic: z.boolean().optional(),
  maskRequestHost: z.string().optional(),
  httpsPorts: z.array(z.int().min(1).max(65_535)).optional(),
});

export const createBody: z.ZodType<CreateBody> = z.object({
  templateID: z.string().min(1),
  timeout: seconds.optional(),
  metadata: strings.optional(),
  envVars: strings.optional(),
  secure: z.boolean().optional(),
  allow_internet_access: z.boolean().optional(),
  network: network.optional(),
  autoPause: z.boolean().optional(),
  autoPauseMemory: z.boolean().optional(),
  autoResume: z.object({ enabled: z.boolean() }).optional(),
  volumeMounts: z.array(z.unknown()).optional(),
  mcp: z.unknown().optional(),
  iam: z.object({ tokens: z.record(z.string(), z.unknown()).optional() }).optional(),
});

export const connectBody: z.ZodType<ConnectBody> = z.object({ timeout: duration, memory: z.boolean().optional() });

/** From 2.51 on, and of the resume that the SDK does not use. */
export const connectBodyV2: z.ZodType<ConnectBodyV2> = z.object({
  timeout: duration.optional(),
  memory: z.boolean().optional(),
});

export const timeoutBody: z.ZodType<{ readonly timeout: number }> = z.object({ timeout: seconds });

export const refreshBody: z.ZodType<{ readonly duration?: number | undefined }> = z.object({
  duration: duration.max(3600).optional(),
});

export const pauseBody: z.ZodType<{ readonly memory?: boolean | undefined }> = z.object({
  memory: z.boolean().optional(),
});

export const networkBody: z.ZodType<UpdateNetworkBody> = z.object({
  ...egress,
  allow_internet_access: z.boolean().optional(),
});
