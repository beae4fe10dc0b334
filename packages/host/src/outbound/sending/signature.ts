/**
 * The headers by which a receiver knows which delivery it gets and, if there are keys, that it is ours: those of Standard
 * Webhooks. With several keys, one signature by each, so that a receiver may know any of them.
 */
export async function signed(
  delivery: string,
  body: string,
  { keys, now }: { readonly keys: readonly string[]; readonly now: Date },
): Promise<[string, string][]> {
  // The standard has no dot in an id, as dots separate what is signed.
  const id = delivery.replaceAll('.', '_');
  const headers: [string, string][] = [
    ['idempotency-key', delivery],
    ['webhook-id', id],
    ['webhook-timestamp', String(Math.floor(now.getTime() / 1000))],
  ];
  if (keys.length === 0) return headers;
  const { Webhook } = await import('standardwebhooks');
  const signatures = keys.map((key) => new Webhook(key).sign(id, now, body));
  return [...headers, ['webhook-signature', signatures.join(' ')]];
}
