import { expect, it } from 'vitest';
import { sentinel } from '../index.ts';
import { input, random } from './fixture.ts';

const login = (text: string) => Buffer.from(text).toString('base64');

/** Name, file, text: put together here, so that this file holds no key. */
const leaks: readonly (readonly [string, string, string])[] = [
  ['a password given to curl', 'a.sh', `curl -fsS -u elastic:${random(20)} https://search.shop.io/_reindex\n`],
  ['a password given to curl after =', 'a.sh', `curl --user=ci:${random(16)} https://nexus.shop.io\n`],
  ['a password given to sshpass', 'a.sh', `sshpass -p '${random(14)}' ssh deploy@web-1.shop.io\n`],
  ['a password given to docker login', 'a.sh', `docker login registry.shop.io -u ci -p ${random(20)}\n`],
  ['a password in front of a command', 'a.sh', `PGPASSWORD=${random(18)} psql -h db-1.shop.io shop\n`],
  ['a token in a header', 'a.ts', `const headers = { Authorization: 'Bearer ${random(48)}' };\n`],
  ['a token in a header of curl', 'a.sh', `curl -H "Authorization: token ${random(40, 'hex')}" https://api.shop.io\n`],
  ['a login in a header', 'a.py', `headers = {"Authorization": "Basic ${login(`ci:${random(20)}`)}"}\n`],
  ['a password of a role', 'a.sql', `CREATE USER shop WITH PASSWORD '${random(16)}';\n`],
  ['a password of a user', 'a.sql', `CREATE USER 's'@'%' IDENTIFIED BY '${random(16)}';\n`],
  ['a password in .netrc', '.netrc', `machine shop.io\n  login ci\n  password ${random(20)}\n`],
  ['a login of Docker', 'deploy/config.json', `{"auths": {"shop.io": {"auth": "${login(`ci:${random(24)}`)}"}}}\n`],
  [
    'a connection string',
    'a.json',
    `"Server=tcp:shop.database.windows.net;User ID=s;Pass${'word='}${random(18)};Encrypt=True"\n`,
  ],
  ['a password with a #', 'a.properties', `spring.datasource.password=Wv7!kq${'Zt29#mB'}\n`],
  ['a key with every sign', 'settings.py', `SECRET_KEY = "${random(30)}!@#w$(k1_&z=+${random(8, 'hex')}"\n`],
  ['a Grafana token', 'a.js', `const t = '${'gl'}sa_${random(32)}_${random(8, 'hex')}';\n`],
  [
    'a Sentry token',
    'a.ini',
    `token=${'sntr'}ys_${login('{"iat":1719923520,"url":"x"}').replace(/=+$/, '')}_${random(43)}\n`,
  ],
  ['a New Relic key', 'a.js', `const k = '${'NR'}AK-${random(27, 'upper')}';\n`],
  ['a Square token', 'a.js', `const k = '${'sq0'}atp-${random(22)}';\n`],
  ['a Notion token', 'a.js', `const k = '${'nt'}n_${random(46)}';\n`],
  ['a Postman key', 'a.js', `const k = '${'PM'}AK-${random(24, 'hex', 12)}-${random(34, 'hex', 11)}';\n`],
  ['a Terraform token', 'a.tf', `token = "${random(14)}.atlas${'v1.'}${random(67)}"\n`],
  ['a Doppler token', 'a.sh', `export D=${'dp'}.pt.${random(43)}\n`],
  ['a PlanetScale password', 'a.js', `const k = '${'pscale'}_pw_${random(43)}';\n`],
  ['an Atlassian token', 'a.js', `const k = '${'ATA'}TT3xFfGF0${random(180)}';\n`],
  ['a Supabase token', 'a.js', `const k = '${'sb'}p_${random(40, 'hex')}';\n`],
  ['a Replicate token', 'a.js', `const k = '${'r'}8_${random(37)}';\n`],
  ['an OpenRouter key', 'a.js', `const k = '${'sk'}-or-v1-${random(64, 'hex')}';\n`],
  ['a Figma token', 'a.js', `const k = '${'fi'}gd_${random(40)}';\n`],
  ['a RubyGems key', 'a.rb', `k = '${'ruby'}gems_${random(48, 'hex')}'\n`],
  [
    'a webhook of Teams',
    'a.js',
    `const u = 'https://shop.webhook.office.com/${'webhook'}b2/${random(8, 'hex')}-1b2c-4d3e-8f90-${random(12, 'hex')}@${random(8, 'hex', 5)}-1b2c-4d3e-8f90-${random(12, 'hex', 5)}/IncomingWebhook/${random(32, 'hex')}/x';\n`,
  ],
  ['a secret of webhooks of Stripe', 'a.js', `const s = '${'whs'}ec_${random(32)}';\n`],
];

it.each(leaks)('finds %s', async (_, file, text) => {
  const { findings, blockers, hold_reason } = await sentinel(input({ [file]: text }));
  expect(blockers).toHaveLength(1);
  expect(findings.filter(({ result }) => result !== 'PASS')).toEqual([
    expect.objectContaining({
      check: 'secrets',
      evidence: expect.stringMatching(`^${file.replaceAll('.', '\\.')}:[123]: `),
    }),
  ]);
  for (const part of text.match(/\w{16,}/g)?.filter((one) => /\d/.test(one)) ?? [])
    expect(hold_reason).not.toContain(part);
});

it.each([
  [
    'a password of this machine',
    'a.sh',
    'curl -u admin:admin123 http://localhost:9200\ncurl -u "$USER:$PASS" https://x.io\n',
  ],
  [
    'a token of elsewhere',
    'a.ts',
    'const headers = { Authorization: `Bearer ${token}`, authorization: "Bearer YOUR_TOKEN_GOES_HERE" };\n',
  ],
  ['a header of a document', 'README.md', `curl -H 'Authorization: Bearer ${random(40)}' https://api.example.com\n`],
  ['a login that is no secret', 'a.py', `headers = {"Authorization": "Basic ${login('user:password')}"}\n`],
  [
    'a role for everybody',
    'a.sql',
    "CREATE USER shop WITH PASSWORD 'postgres';\nCREATE USER s PASSWORD 'developers';\n",
  ],
  ['a connection to oneself', 'a.json', '"Server=localhost;Database=shop;User Id=sa;Password=Passw0rd;"\n'],
  ['a variable before a command', 'a.sh', 'PGPASSWORD="$DB_PASSWORD" psql shop\nMYSQL_PWD=${PW} mysql\n'],
  ['a sealed secret', 'k8s/a.yaml', `kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgB${random(180)}\n`],
  ['a token for the next page', 'a.json', `{"NextContinuationToken": "${random(44)}", "csrfToken": "${random(40)}"}\n`],
  ['a password of nobody', 'README.md', 'socks://your-name:a1b2c3d4e5f6g7@br41.shop.io\n'],
  ['a pattern for passwords', 'a.js', "const password = '^(?=.*[A-Z])(?=.*\\\\d)[A-Za-z\\\\d@$!%*?&]{12,}$';\n"],
  ['a sentence about a token', 'a.js', "const tokenHelp = 'Bearer-tokens-are-sent-in-the-Authorization-header';\n"],
])('has nothing against %s', async (_, file, text) => {
  const { findings } = await sentinel(input({ [file]: text }));
  expect(findings.filter(({ result }) => result !== 'PASS')).toEqual([]);
});
