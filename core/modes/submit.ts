/** Hands in one prompt; `begin` starts the run that it was accepted for. */
export type Submit = () => Promise<{ begin?: (() => void) | undefined }>;
