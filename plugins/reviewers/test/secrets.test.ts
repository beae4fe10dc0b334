import { describe, expect, it } from 'vitest';
import { sentinel } from '../index.ts';
import { clean } from './clean.ts';
import { input, random } from './fixture.ts';

const b64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const pem = (kind: string) =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${random(64)}\n${random(64, 'any', 9)}\n-----END ${kind}PRIVATE KEY-----\n`;

/** What leaks: put together here, so that this file holds no key. */
const leaks: Readonly<Record<string, string>> = {
  'AWS access key id': `id = "${'AK'}IA${random(16, 'upper')}"`,
  'AWS secret access key': `aws_secret_access_key = ${random(40)}`,
  'GitHub token': `t = "${'gh'}p_${random(36)}"`,
  'GitHub app token': `t = "${'gh'}s_${random(36)}"`,
  'GitHub fine-grained token': `t = "github${'_pat_'}${random(22)}_${random(59, 'any', 5)}"`,
  'GitLab token': `t = "gl${'pat-'}${random(20)}"`,
  'Slack token': `t = "xo${'xb-'}${random(12, 'hex')}-${random(24)}"`,
  'Slack webhook': `u = "https://hooks.slack${'.com/services/'}T${random(9, 'upper')}/B${random(9, 'upper', 4)}/${random(24)}"`,
  'Stripe live key': `k = "sk${'_live_'}${random(24)}"`,
  'Anthropic key': `k = "sk-${'ant-'}api03-${random(93)}AA"`,
  'OpenAI project key': `k = "sk-${'proj-'}${random(74)}"`,
  'OpenAI key': `k = "s${'k-'}${random(48)}"`,
  'Google API key': `k = "AI${'za'}${random(35)}"`,
  'Google OAuth secret': `k = "GOC${'SPX-'}${random(28)}"`,
  'npm token': `//npm.example.com/:_authToken=np${'m_'}${random(36)}`,
  'PyPI token': `t = "py${'pi-'}AgEIcHlwaS5vcmc${random(80)}"`,
  'RSA private key': pem('RSA '),
  'PKCS8 private key': pem(''),
  'OpenSSH private key': pem('OPENSSH '),
  'private key in JSON': JSON.stringify({ private_key: pem('') }),
  'JSON web token': `t = "${b64url({ alg: 'HS256' })}.${b64url({ sub: 'u-91', role: 'admin', iat: 1_700_000_123 })}.${random(43)}"`,
  'Twilio API key': `k = "S${'K'}${random(32, 'hex')}"`,
  'Twilio auth token': `TWILIO_AUTH_TOKEN=${random(32, 'hex')}`,
  'SendGrid key': `k = "S${'G.'}${random(22)}.${random(43, 'any', 8)}"`,
  'Azure storage key': `c = "DefaultEndpointsProtocol=https;AccountName=shop;Account${'Key='}${random(86)}=="`,
  'Discord bot token': `t = "M${random(23)}.${random(6)}.${random(27, 'any', 8)}"`,
  'Discord webhook': `u = "https://discord${'.com/api/webhooks/'}123498761234987612/${random(68)}"`,
  'Telegram bot token': `t = "481923847:A${'A'}${random(33)}"`,
  'DigitalOcean token': `t = "do${'p_v1_'}${random(64, 'hex')}"`,
  'Hugging Face token': `t = "h${'f_'}${random(34, 'letters')}"`,
  'Docker Hub token': `t = "dckr${'_pat_'}${random(27)}"`,
  'Vault token': `t = "hv${'s.'}${random(24)}"`,
  'password of a data base': `url = "postgres://app:${random(10)}@db.shop-cloud.io:5432/shop"`,
  'password with symbols': `url = "mongodb+srv://root:${random(14)}!x@cluster0.ab1cd.mongodb.net/test"`,
  'secret with no known form': `client_secret = "${random(40)}"`,
  'secret in hex': `const SESSION_SECRET = '${random(64, 'hex')}';`,
  'password in settings': 'database:\n  password: "Gr8-Winter!Storm27"\n',
};

describe.each(Object.entries(leaks))('%s', (_, text) => {
  it('is found, told with its place, and not repeated', async () => {
    const files = { ...clean.goModule, 'config/settings.yaml': `# settings\n\n${text}\n` };
    const report = await sentinel(input(files));
    expect(report.sentinel_decision).toBe('HOLD');
    expect(report.blockers).toHaveLength(1);
    expect(report.hold_reason).toMatch(/^secrets: config\/settings\.yaml:[34]: /);
    const long = text.match(/[\w+/-]{16,}/g)?.filter((part) => /\d/.test(part)) ?? [];
    for (const part of long) expect(report.hold_reason).not.toContain(part);
  });
});

it.each([
  [
    'the key of a vendor’s documents',
    'key = "AKIAIOSFODNN7EXAMPLE"\naws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"',
  ],
  ['letters in place of a token', `t = "gh${'p_'}${'x'.repeat(36)}"`],
  ['a token that counts up', `t = "gh${'p_'}1234567890abcdefghijklmnopqrstuvwxyz"`],
  ['words in place of a key', 'k = "sk-ant-api03-your-key-goes-here-your-key-goes-here-0000"'],
  ['a test key', `k = "sk${'_test_'}${random(24)}"`],
  ['a variable', 'url = "postgres://app:${DB_PASSWORD}@db.shop.io/shop"\npassword: {{ vault_password }}'],
  [
    'a password for nobody',
    'url = "postgres://user:password@db.example.com/shop"\nurl2 = "redis://:s3cr3tpw9@redis:6379"',
  ],
  ['the head of a key without the key', 'if (text.startsWith("-----BEGIN PRIVATE KEY-----")) return true;'],
  [
    'a token of a tutorial',
    `t = "${b64url({ alg: 'HS256', typ: 'JWT' })}.${b64url({ sub: '1234567890', name: 'John Doe' })}.${random(43)}"`,
  ],
  [
    'a commit and a digest',
    `commit = "${random(40, 'hex')}"\nsha256 = "${random(64, 'hex')}"\npassword_hash = "${random(64, 'hex')}"`,
  ],
  [
    'a name of a secret',
    'secretName: "prod-billing-service-credentials2"\ntoken: "com.example.billing.TokenProvider1"',
  ],
  ['the account of an emulator', `c = "AccountName=devstoreaccount1;Account${'Key='}${random(86)}=="`],
])('nothing is said about %s', async (_, text) => {
  const report = await sentinel(input({ 'config/settings.yaml': text, 'src/settings.py': text }));
  expect(report.blockers).toEqual([]);
  expect(report.advisories).toEqual([]);
});

it('a private key of the tests is told and holds nobody', async () => {
  expect(await sentinel(input({ 'test/tls/key.pem': pem('') }))).toMatchObject({
    sentinel_decision: 'ADVISORY',
    blockers: [],
  });
});
