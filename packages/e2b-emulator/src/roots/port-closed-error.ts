/** Nothing listens on that port of the sandbox. */
export class PortClosedError extends Error {
  override readonly name = 'PortClosedError';
  readonly port: number;

  constructor(port: number, options?: ErrorOptions) {
    super(`Nothing listens on port ${port} of the sandbox.`, options);
    this.port = port;
  }
}
