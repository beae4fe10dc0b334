import { type Case, file } from '../case.ts';
import { joined, made, pem } from '../pieces.ts';
import { node, python } from '../repositories.ts';

const secret = 'secret' as const;

/** A repository with a file whose line that holds `at` leaks something. */
function leak(name: string, path: string, text: string, at: string): Case {
  const files = path.endsWith('.py') ? python({ [path]: text }) : node({ [path]: text });
  return { name, files, planted: [{ kind: secret, file: path, at }] };
}

/** More keys, in more kinds of files. */
export const secrets: readonly Case[] = [
  leak(
    'GitHub token in the address of a remote',
    'scripts/publish.sh',
    `#!/bin/sh\nset -eu\ngit remote set-url origin https://x-access-token:${joined('gh', 'p_', made(36, 'any', 'gh'))}@github.com/acme/site.git\ngit push origin gh-pages\n`,
    'git remote',
  ),
  leak(
    'Slack bot token in a settings file',
    'config/production.json',
    `{\n  "slack": {\n    "channel": "#orders",\n    "botToken": "${joined('xox', 'b-', made(12, 'digits'), '-', made(13, 'digits'), '-', made(24, 'any', 'bot'))}"\n  }\n}\n`,
    'botToken',
  ),
  leak(
    'Google key in a geocoder',
    'shop/geocode.py',
    `from functools import partial\n\nfrom geopy.geocoders import GoogleV3\n\ngeocoder = GoogleV3(api_key="${joined('AI', 'za', made(35, 'url', 'google'))}", timeout=5)\n`,
    'GoogleV3(api_key',
  ),
  leak(
    'PyPI token in .pypirc',
    '.pypirc',
    `[pypi]\nusername = __token__\npassword = ${joined('pypi', '-AgEIcHlwaS5vcmc', made(140, 'url', 'pypi'))}\n`,
    'password',
  ),
  leak(
    'Anthropic key in the settings of an agent',
    'agents/writer.yaml',
    `model: claude-sonnet\nmax_tokens: 2000\napi_key: ${joined('sk', '-ant-api03-', made(93, 'url', 'ant'), 'AA')}\n`,
    'api_key',
  ),
  leak('OpenSSH key of a deployment', 'deploy/id_ed25519', pem('OPENSSH PRIVATE KEY', 6), '-----BEGIN'),
  leak(
    'Hugging Face token at a login',
    'train.py',
    `from huggingface_hub import login\n\nlogin("${joined('hf', '_', made(34, 'any', 'hf').replace(/\d/g, 'q'))}")\n`,
    'login("',
  ),
  leak(
    'password of a database in Java properties',
    'src/main/resources/application.properties',
    `spring.datasource.url=jdbc:postgresql://db-1.acme-internal.net:5432/shop\nspring.datasource.username=shop\nspring.datasource.password=${joined('Wv7', '!kq', 'Zt29#', 'mB')}\n`,
    'datasource.password',
  ),
  leak(
    'MongoDB address with its password',
    'src/db.js',
    `import { MongoClient } from 'mongodb';\n\nexport const client = new MongoClient('mongodb+srv://shop:${made(16, 'any', 'mongo')}@cluster0.x7k2p.mongodb.net/shop');\n`,
    'new MongoClient',
  ),
  leak(
    'password in a manifest of Kubernetes',
    'k8s/secret.yaml',
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop-db\nstringData:\n  POSTGRES_PASSWORD: ${made(24, 'any', 'k8s')}\n`,
    'POSTGRES_PASSWORD',
  ),
  leak(
    'password in the arguments of curl',
    'scripts/reindex.sh',
    `#!/bin/sh\nset -eu\ncurl --max-time 60 --fail -u elastic:${made(20, 'any', 'elastic')} -X POST https://search.acme.io/_reindex -d @reindex.json\n`,
    'curl',
  ),
  leak(
    'token in a header written out',
    'src/inventory.ts',
    `export const inventory = (sku: string): Promise<Response> =>\n  fetch(\`https://inventory.acme.io/\${sku}\`, {\n    headers: { Authorization: 'Bearer ${made(48, 'any', 'bearer')}' },\n    signal: AbortSignal.timeout(5000),\n  });\n`,
    'Authorization',
  ),
  leak(
    'password in .netrc',
    '.netrc',
    `machine artifacts.acme.io\n  login ci\n  password ${made(20, 'any', 'netrc')}\n`,
    'password',
  ),
  leak(
    'secret key of Django',
    'shop/settings.py',
    `DEBUG = False\nSECRET_KEY = "${made(30, 'any', 'dj')}${joined('!@', '#w$', '(k1_', '&z=+')}${made(8, 'any', 'ango')}"\nALLOWED_HOSTS = ["shop.example.com"]\n`,
    'SECRET_KEY',
  ),
  leak(
    'connection string of SQL Server',
    'appsettings.Production.json',
    `{\n  "ConnectionStrings": {\n    "Shop": "Server=tcp:acme.database.windows.net,1433;Database=shop;User ID=shop;${joined('Pass', 'word=', made(18, 'any', 'mssql'))};Encrypt=True;"\n  }\n}\n`,
    '"Shop"',
  ),
  leak(
    'Grafana service account token',
    'scripts/dashboards.mjs',
    `const token = process.env.GRAFANA_TOKEN || '${joined('gl', 'sa_', made(32, 'any', 'graf'), '_', made(8, 'hex', 'graf'))}';\nexport const headers = { authorization: \`Bearer \${token}\` };\n`,
    'const token',
  ),
  leak(
    'Sentry token in a build setting',
    '.sentryclirc',
    `[defaults]\norg=acme\nproject=shop\n\n[auth]\ntoken=${joined('sntrys', '_', Buffer.from('{"iat":1719923520,"url":"https://sentry.io"}').toString('base64').replace(/=+$/, ''), '_', made(43, 'base64', 'sentry'))}\n`,
    'token=',
  ),
  leak(
    'registry login in the settings of Docker',
    'deploy/config.json',
    `{\n  "auths": {\n    "registry.acme.io": {\n      "auth": "${Buffer.from(`ci:${made(24, 'any', 'docker')}`).toString('base64')}"\n    }\n  }\n}\n`,
    '"auth"',
  ),
  {
    name: 'clean: words around passwords that are none',
    files: node({
      'src/i18n/de.json':
        '{\n  "password": "Passwort vergessen?",\n  "token": "Bestätigungscode-eingeben",\n  "apiKeyHint": "Den-Schlüssel-finden-Sie-in-Ihrem-Konto"\n}\n',
      'src/login.ts': file`
        export const API_KEY_HEADER = 'X-Shop-Api-Key-V2';
        export const PASSWORD_RESET_ROUTE = '/account/password/reset';
        export const tokenPattern = /^[A-Za-z0-9_-]{20,}$/;
        export const secretQuestions = ['firstPet', 'birthTown', 'motherMaidenName'];
        export const passwordField = document.querySelector<HTMLInputElement>('input[name="password"]');
        export const accessTokenStorageKey = 'acme.shop.accessToken.v3';
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: secrets that are encrypted or named',
    files: node({
      'k8s/sealed.yaml': file`
        apiVersion: bitnami.com/v1alpha1
        kind: SealedSecret
        metadata:
          name: shop-db
        spec:
          encryptedData:
            password: AgB${made(180, 'base64', 'sealed')}
      `,
      'secrets/prod.enc.yaml': `db_password: ENC[AES256_GCM,data:${made(24, 'base64', 'sops')},iv:${made(43, 'base64', 'iv')}=,tag:${made(22, 'base64', 'tag')}==,type:str]\n`,
      'infra/main.tf': file`
        resource "aws_db_instance" "shop" {
          username = "shop"
          password = random_password.db.result
        }

        data "aws_secretsmanager_secret" "stripe" {
          name = "prod/shop/stripe-secret-key-2024"
        }
      `,
      'chart/templates/secret.yaml':
        'apiVersion: v1\nkind: Secret\nstringData:\n  password: {{ .Values.database.password | quote }}\n  apiToken: {{ required "apiToken is needed" .Values.apiToken }}\n',
    }),
    planted: [],
  },
  {
    name: 'clean: hashes of passwords and public keys of services',
    files: python({
      'seeds/users.sql': `INSERT INTO users (email, password) VALUES ('ada@example.com', '$2b$12$${made(53, 'any', 'bcrypt')}');\n`,
      'shop/settings.py': file`
        import os

        SECRET_KEY = os.environ["SECRET_KEY"]
        STRIPE_PUBLISHABLE_KEY = "pk_live_${made(24, 'any', 'publishable')}"
        SENTRY_DSN = "https://${made(32, 'hex', 'dsn')}@o447951.ingest.sentry.io/5429219"
        PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
        AUTH_PASSWORD_VALIDATORS = [{"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"}]
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: passwords of a database on the machine itself',
    files: node({
      'docker-compose.yml': file`
        services:
          db:
            image: postgres:16.3
            environment:
              POSTGRES_PASSWORD: postgres
              POSTGRES_USER: shop
          app:
            build: .
            environment:
              DATABASE_URL: postgres://shop:postgres@db:5432/shop
              REDIS_URL: redis://:devpassword@redis:6379/0
      `,
      Dockerfile: 'FROM node:24.4.1-alpine\nWORKDIR /app\nCOPY . .\nCMD ["node", "src/total.js"]\n',
    }),
    planted: [],
  },
  {
    name: 'clean: an image and a font inside a stylesheet',
    files: node({
      'public/site.css': `.logo { background: url("data:image/png;base64,${made(900, 'base64', 'png')}"); }\n@font-face { font-family: token; src: url("data:font/woff2;base64,${made(1200, 'base64', 'woff')}"); }\n`,
      'notebooks/sales.ipynb': `${JSON.stringify({ cells: [{ cell_type: 'code', outputs: [{ data: { 'image/png': made(600, 'base64', 'plot') } }], source: ['plot(token)'] }], nbformat: 4 })}\n`,
    }),
    planted: [],
  },
];
