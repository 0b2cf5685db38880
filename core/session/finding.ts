/** Something the doctor has to say about a session file. */
export interface Finding {
  /** Counts from 1; left out for what concerns the file as a whole. */
  line?: number;
  /** A note asks for nothing: it is to be known, not repaired. */
  severity: 'problem' | 'note';
  kind:
    | 'header'
    | 'torn'
    | 'fused'
    | 'noise'
    | 'utf8'
    | 'duplicate'
    | 'cycle'
    | 'orphan'
    | 'newline'
    | 'lock'
    | 'unknown-type'
    | 'version';
  message: string;
}
