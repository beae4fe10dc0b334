import { type Case, file } from '../case.ts';
import { joined, made, pem } from '../pieces.ts';
import { go, node, python } from '../repositories.ts';

const secret = 'secret' as const;

const serviceAccount = JSON.stringify(
  {
    type: 'service_account',
    project_id: 'acme-shop-prod',
    private_key_id: made(40, 'hex', 'gcp'),
    private_key: pem('PRIVATE KEY'),
    client_email: 'deploy@acme-shop-prod.iam.gserviceaccount.com',
    token_uri: 'https://oauth2.googleapis.com/token',
  },
  null,
  2,
);

/** The tests of repositories in languages that are not here. */
const checked = '.PHONY: test\n\ntest:\n\t@echo "ok 1 - is valid"\n';

const twilio = { sid: joined('A', 'C', made(32, 'hex', 'twilio sid')), token: made(32, 'hex', 'twilio token') };

/** Keys as people leave them in repositories. */
export const secrets: readonly Case[] = [
  {
    name: 'AWS key pair in Django settings',
    files: python({
      'shop/settings.py': file`
        import os

        DEBUG = os.environ.get("DEBUG") == "1"
        AWS_STORAGE_BUCKET_NAME = "acme-shop-media"
        AWS_ACCESS_KEY_ID = "${joined('AK', 'IA', made(16, 'upper', 'aws'))}"
        AWS_SECRET_ACCESS_KEY = "${made(40, 'base64', 'aws secret')}"
        STATIC_URL = "/static/"
      `,
    }),
    planted: [
      { kind: secret, file: 'shop/settings.py', at: 'AWS_ACCESS_KEY_ID' },
      { kind: secret, file: 'shop/settings.py', at: 'AWS_SECRET_ACCESS_KEY' },
    ],
  },
  {
    name: 'fine-grained GitHub token in a compose file',
    files: node({
      'docker-compose.yml': file`
        services:
          runner:
            image: ghcr.io/acme/runner:2.311.0
            restart: unless-stopped
            environment:
              RUNNER_NAME: shop-1
              GH_TOKEN: ${joined('github', '_pat_', made(22, 'any', 'fine'), '_', made(59, 'any', 'grained'))}
      `,
    }),
    planted: [{ kind: secret, file: 'docker-compose.yml', at: 'GH_TOKEN' }],
  },
  {
    name: 'GitLab token as the default of a command line option',
    files: python({
      'scripts/release.py': file`
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--project", type=int, required=True)
        parser.add_argument("--token", default="${joined('gl', 'pat-', made(20, 'url', 'gitlab'))}")
        print(parser.parse_args().project)
      `,
    }),
    planted: [{ kind: secret, file: 'scripts/release.py', at: '--token' }],
  },
  {
    name: 'Slack webhook address in a shell script',
    files: node({
      'scripts/notify.sh': file`
        #!/bin/sh
        set -eu
        hook='https://hooks.slack.com/${joined('services', '/T', made(10, 'upper'), '/B', made(10, 'upper', 'b'), '/', made(24, 'any', 'slack'))}'
        curl --max-time 10 --fail -X POST -H 'Content-Type: application/json' -d "{\"text\": \"$1\"}" "$hook"
      `,
    }),
    planted: [{ kind: secret, file: 'scripts/notify.sh', at: 'hook=' }],
  },
  {
    name: 'live Stripe key as a fallback for a variable',
    files: node(
      {
        'src/billing.ts': file`
          import Stripe from 'stripe';

          export const stripe = new Stripe(
            process.env.STRIPE_KEY ?? '${joined('sk', '_live_', made(24, 'any', 'stripe'))}',
            { timeout: 10_000 },
          );
        `,
      },
      { stripe: '^16.2.0' },
    ),
    planted: [{ kind: secret, file: 'src/billing.ts', at: 'process.env.STRIPE_KEY' }],
  },
  {
    name: 'Azure storage connection string in appsettings.json',
    files: {
      'README.md': '# Reports\n',
      Makefile: checked,
      'appsettings.json': file`
        {
          "Logging": { "LogLevel": { "Default": "Information" } },
          "ConnectionStrings": {
            "Blob": "DefaultEndpointsProtocol=https;AccountName=acmeprod;Account${joined('Key=', made(86, 'base64', 'azure'), '==')};EndpointSuffix=core.windows.net"
          }
        }
      `,
    },
    planted: [{ kind: secret, file: 'appsettings.json', at: '"Blob"' }],
  },
  {
    name: 'npm token in .npmrc',
    files: node({
      '.npmrc': file`
        save-exact=true
        //registry.npmjs.org/:_authToken=${joined('npm', '_', made(36, 'any', 'npm'))}
      `,
    }),
    planted: [{ kind: secret, file: '.npmrc', at: '_authToken' }],
  },
  {
    name: 'SendGrid key in a Go mailer',
    files: go({
      'mail/mail.go': file`
        package mail

        import "github.com/sendgrid/sendgrid-go"

        const apiKey = "${joined('S', 'G.', made(22, 'url', 'sg'), '.', made(43, 'url', 'grid'))}"

        // Client sends the mails of the shop.
        var Client = sendgrid.NewSendClient(apiKey)
      `,
      'go.mod': 'module example.com/shop\n\ngo 1.22\n\nrequire github.com/sendgrid/sendgrid-go v3.14.0+incompatible\n',
      'go.sum': file`
        github.com/sendgrid/sendgrid-go v3.14.0+incompatible h1:${made(43, 'base64', 'sum')}=
        github.com/sendgrid/sendgrid-go v3.14.0+incompatible/go.mod h1:${made(43, 'base64', 'mod')}=
      `,
    }),
    planted: [{ kind: secret, file: 'mail/mail.go', at: 'apiKey = ' }],
  },
  {
    name: 'Twilio account and token in a module',
    files: node(
      {
        'src/sms.js': file`
          import twilio from 'twilio';

          const accountSid = '${twilio.sid}';
          const authToken = '${twilio.token}';
          export const client = twilio(accountSid, authToken);
        `,
      },
      { twilio: '^5.2.0' },
    ),
    planted: [{ kind: secret, file: 'src/sms.js', at: `const accountSid = '${twilio.sid}';\nconst authToken = ` }],
  },
  {
    name: 'OpenAI key in a committed .env',
    files: node({
      '.env': file`
        PORT=3000
        OPENAI_API_KEY=${joined('sk', '-proj-', made(58, 'url', 'open'), 'T3', 'BlbkFJ', made(58, 'url', 'ai'))}
      `,
    }),
    planted: [{ kind: secret, file: '.env', at: 'OPENAI_API_KEY' }],
  },
  {
    name: 'private key of a server',
    files: node({ 'deploy/tls/server.key': pem('RSA PRIVATE KEY', 20), '.gitignore': 'node_modules\n' }),
    planted: [{ kind: secret, file: 'deploy/tls/server.key' }],
  },
  {
    name: 'secret that tokens are signed with, in the source',
    files: node(
      {
        'src/auth.ts': file`
          import jwt from 'jsonwebtoken';

          const JWT_SECRET = '${made(32, 'any', 'jwt')}';

          export const sign = (user: { id: string }): string => jwt.sign({ sub: user.id }, JWT_SECRET, { expiresIn: '1h' });
        `,
      },
      { jsonwebtoken: '^9.0.2' },
    ),
    // Where the secret stands, and where it is used.
    planted: [{ kind: secret, file: 'src/auth.ts' }],
  },
  {
    name: 'database address with its password in alembic.ini',
    files: python({
      'alembic.ini': file`
        [alembic]
        script_location = migrations
        sqlalchemy.url = postgresql+psycopg2://${joined('shop', ':', made(14, 'any', 'pg'), '@')}db-1.acme-internal.net:5432/shop
      `,
    }),
    planted: [{ kind: secret, file: 'alembic.ini', at: 'sqlalchemy.url' }],
  },
  {
    name: 'Telegram bot token passed to its constructor',
    files: python({
      'bot.py': file`
        from telegram.ext import Application

        app = Application.builder().token("${joined(made(10, 'digits', 'tg').replace(/^0/, '6'), ':AA', made(33, 'url', 'bot'))}").build()
        app.run_polling()
      `,
    }),
    planted: [{ kind: secret, file: 'bot.py', at: '.token(' }],
  },
  {
    name: 'DigitalOcean token in Terraform variables',
    files: {
      'README.md': '# Infrastructure\n',
      Makefile: checked,
      'main.tf':
        'variable "do_token" {\n  sensitive = true\n}\n\nprovider "digitalocean" {\n  token = var.do_token\n}\n',
      'prod.auto.tfvars': `region   = "fra1"\ndo_token = "${joined('dop', '_v1_', made(64, 'hex', 'do'))}"\n`,
    },
    planted: [{ kind: secret, file: 'prod.auto.tfvars', at: 'do_token' }],
  },
  {
    name: 'Discord webhook address in a workflow script',
    files: node({
      'scripts/announce.mjs': file`
        const hook = 'https://discord.com/api/${joined('webhooks', '/', '1', made(17, 'digits', 'dc'), '/', made(68, 'url', 'dc'))}';
        await fetch(hook, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ content: process.argv[2] }),
          signal: AbortSignal.timeout(10_000),
        });
      `,
    }),
    planted: [{ kind: secret, file: 'scripts/announce.mjs', at: 'const hook' }],
  },
  {
    name: 'Shopify token in YAML of an app',
    files: node({
      'config/shopify.yml': file`
        production:
          shop: acme.myshopify.com
          api_version: "2024-07"
          access_token: ${joined('shp', 'at_', made(32, 'hex', 'shopify'))}
      `,
    }),
    planted: [{ kind: secret, file: 'config/shopify.yml', at: 'access_token' }],
  },
  {
    name: 'key file of a Google service account',
    files: python({ 'deploy/service-account.json': `${serviceAccount}\n` }),
    planted: [{ kind: secret, file: 'deploy/service-account.json', at: '"private_key":' }],
  },
  {
    name: 'clean: placeholders in .env.example and the README',
    files: node({
      '.env.example': file`
        # Copy to .env and fill in
        OPENAI_API_KEY=sk-your-key-here
        STRIPE_KEY=${joined('sk', '_test_', 'x'.repeat(24))}
        DATABASE_URL=postgres://user:password@localhost:5432/shop
        JWT_SECRET=change-me
        SLACK_WEBHOOK=https://hooks.slack.com/services/XXX/YYY/ZZZ
      `,
      'README.md': file`
        # Shop

        \`\`\`sh
        export GITHUB_TOKEN=${joined('gh', 'p_', 'x'.repeat(36))}
        export AWS_SECRET_ACCESS_KEY=<your secret>
        npm test
        \`\`\`
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: the example keys of the AWS documentation',
    files: python({
      'docs/deploy.md': file`
        # Deploying

            aws configure set aws_access_key_id ${joined('AK', 'IAIOSFODNN7', 'EXAMPLE')}
            aws configure set aws_secret_access_key ${joined('wJalrXUtnFEMI/', 'K7MDENG/bPxRfiCY', 'EXAMPLEKEY')}
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: secrets that come from the environment and a vault',
    files: node({
      'src/config.ts': file`
        const required = (name: string): string => {
          const value = process.env[name];
          if (!value) throw new Error(\`\${name} is not set\`);
          return value;
        };

        export const config = {
          jwtSecret: required('JWT_SECRET'),
          apiKey: required('PAYMENTS_API_KEY'),
          password: process.env.DB_PASSWORD ?? '',
          tokenHeader: 'x-shop-token',
          secretName: 'prod/shop/stripe-api-key',
        };
      `,
      'deploy/values.yaml': file`
        env:
          - name: DB_PASSWORD
            valueFrom:
              secretKeyRef:
                name: shop-db
                key: password
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: digests, identifiers and commits that look random',
    files: node(
      {
        'src/assets.json': `${JSON.stringify({ 'app.js': `sha384-${made(64, 'base64', 'sri')}`, build: made(40, 'hex', 'build') }, null, 2)}\n`,
        'src/ids.ts': `export const TENANT_ID = '${made(8, 'hex')}-1f3a-4c5b-9d2e-${made(12, 'hex')}';\nexport const ETAG = '"${made(32, 'hex', 'etag')}"';\n`,
        'index.html': `<script src="https://cdn.jsdelivr.net/npm/htmx.org@2.0.1/dist/htmx.min.js" integrity="sha384-${made(64, 'base64', 'htmx')}" crossorigin="anonymous"></script>\n`,
      },
      { express: '^4.19.2' },
    ),
    planted: [],
  },
  {
    name: 'clean: a test of a masking function with invented keys',
    files: node({
      'src/mask.js': "export const mask = (text) => text.replace(/\\bsk_live_\\w+/g, '[stripe key]');\n",
      'test/mask.test.js': file`
        import assert from 'node:assert/strict';
        import { test } from 'node:test';
        import { mask } from '../src/mask.js';

        const password = 'hunter2';

        test('masks the keys of Stripe', () => {
          assert.equal(mask('key ${joined('sk', '_live_', 'a'.repeat(24))}, ' + password), 'key [stripe key], hunter2');
        });
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: a public key and a certificate request',
    files: node({
      'deploy/signing.pub': pem('PUBLIC KEY', 4),
      'deploy/authorized_keys': `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${made(43, 'base64', 'ssh')} deploy@acme\n`,
    }),
    planted: [],
  },
];
