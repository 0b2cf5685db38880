/** Error codes of the request half of this room: the word a program tests, and what it means. */
export const PROVIDER_ERRORS = {
  /** The provider refused the request; the message is `<status> <body>`. */
  REFUSED: 'PROVIDER_REFUSED',
  /** The provider reported an error in the middle of its answer. */
  REPORTED: 'PROVIDER_REPORTED',
  /** The stream ended before the answer was whole. */
  STREAM_ENDED: 'PROVIDER_STREAM_ENDED',
  /** Not a byte came for as long as the setting allows. */
  STREAM_SILENT: 'PROVIDER_STREAM_SILENT',
  /** No answer began within the time that the setting allows. */
  TIMEOUT: 'PROVIDER_TIMEOUT',
  /** A piece of the stream is not JSON. */
  STREAM_MALFORMED: 'PROVIDER_STREAM_MALFORMED',
  /** The address answers with something other than an event stream. */
  NOT_A_STREAM: 'PROVIDER_NOT_A_STREAM',
  /** The model declined to answer, or a filter of the provider stopped it. */
  DECLINED: 'PROVIDER_DECLINED',
  /** The address of a model or of a proxy is not a URL we can use. */
  BAD_URL: 'PROVIDER_BAD_URL',
} as const;
