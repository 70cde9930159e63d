import { WorkspaceError } from './workspace-error.ts';

export type SearchUnavailableDetails = {
  readonly reason: string;
};

/** There is no ripgrep to search with. */
export class SearchUnavailableError extends WorkspaceError<'search-unavailable', SearchUnavailableDetails> {
  static readonly code = 'search-unavailable';

  constructor(details: SearchUnavailableDetails, options?: ErrorOptions) {
    super({
      code: SearchUnavailableError.code,
      message: `Search needs ripgrep: ${details.reason}. Set the ripgrepPath option to an rg binary.`,
      details,
      cause: options?.cause,
    });
  }
}
