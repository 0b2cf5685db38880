/** A credential was stored or taken away, and what depends on it could not be brought up to date. Source: sdk document. */
export class CredentialSynchronizationError extends Error {
  readonly providerId: string;
  readonly operation: string;
  readonly credential: unknown;

  constructor(providerId: string, operation: string, credential: unknown, cause: unknown) {
    super(`Models of "${providerId}" are not up to date after ${operation}`, { cause });
    this.name = 'CredentialSynchronizationError';
    this.providerId = providerId;
    this.operation = operation;
    this.credential = credential;
  }
}
