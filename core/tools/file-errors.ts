import { CodedError, messageOf } from '../base/coded-error.js';
import { TOOL_ERRORS } from './errors.js';

const REASONS: Readonly<Record<string, readonly [code: string, text: string]>> = {
  ENOENT: [TOOL_ERRORS.FILE_NOT_FOUND, 'no such file or folder'],
  ENOTDIR: [TOOL_ERRORS.FILE_NOT_FOUND, 'a part of the path is a file, not a folder'],
  EACCES: [TOOL_ERRORS.FILE_ACCESS_FAILED, 'permission denied'],
  EPERM: [TOOL_ERRORS.FILE_ACCESS_FAILED, 'operation not permitted'],
  EROFS: [TOOL_ERRORS.FILE_ACCESS_FAILED, 'the file system is read-only'],
  ENOSPC: [TOOL_ERRORS.FILE_ACCESS_FAILED, 'no space left on the disk'],
  EDQUOT: [TOOL_ERRORS.FILE_ACCESS_FAILED, 'the disk quota is used up'],
  ELOOP: [TOOL_ERRORS.FILE_ACCESS_FAILED, 'its symbolic links lead in a circle'],
  ENAMETOOLONG: [TOOL_ERRORS.BAD_ARGUMENT, 'the name is too long'],
  EISDIR: [TOOL_ERRORS.WRONG_FILE_KIND, 'it is a folder'],
};

/** What went wrong with a file, in words for the model, naming the path as it was given. Errors that are already coded pass through. */
export function fileError(error: unknown, action: string, path: string): Error {
  if (error instanceof CodedError) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (error instanceof Error && error.name === 'AbortError') return error;
  const reason = code === undefined ? undefined : REASONS[code];
  const text = `Could not ${action} ${path}: ${reason ? reason[1] : messageOf(error)}`;
  return new CodedError(reason ? reason[0] : TOOL_ERRORS.FILE_ACCESS_FAILED, text, { cause: error });
}
