/** A secret in a text. */
export interface Secret {
  readonly kind: string;
  readonly offset: number;
  readonly secret: string;
  readonly weight: 'FAIL' | 'ADVISORY';
}
