/** JSON text that is already encoded: written as it is instead of being parsed and encoded again. The maker vouches for its syntax. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
