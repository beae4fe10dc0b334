/** A kind of secret and how it is known. */
export interface SecretKind {
  readonly name: string;
  /** Global; the group `secret` is the part that must look random, the whole match if there is none. */
  readonly pattern: RegExp;
  /** Whether tests commonly hold one that opens nothing: `told` as a lesser concern there, `silent`, or neither. */
  readonly inTests?: 'told' | 'silent';
}

/** Forms that issuers document so that scanners can know them, most specific first. */
export const secretKinds: readonly SecretKind[] = [
  { name: 'AWS access key id', pattern: /(?<![A-Z0-9])(?:AKIA|ASIA)(?<secret>[A-Z0-9]{16})(?![A-Z0-9])/g },
  {
    name: 'AWS secret access key',
    pattern:
      /aws[\w.-]{0,20}(?:secret|sk)[\w.-]{0,20}["']?\s{0,4}[:=]\s{0,4}["']?(?<secret>[A-Za-z0-9/+]{40})(?![\w/+=])/gi,
  },
  { name: 'GitHub token', pattern: /(?<!\w)gh[po]_(?<secret>[A-Za-z0-9]{36,251})(?!\w)/g },
  { name: 'GitHub app token', pattern: /(?<!\w)gh[usr]_(?<secret>[A-Za-z0-9]{36,251})(?!\w)/g },
  { name: 'GitHub fine-grained token', pattern: /(?<!\w)github_pat_(?<secret>\w{60,251})(?!\w)/g },
  { name: 'GitLab token', pattern: /(?<!\w)gl(?:pat|dt|rt|ptt|soat|cbt)-(?<secret>[\w-]{20,64})(?![\w-])/g },
  { name: 'Slack token', pattern: /(?<!\w)(?:xox[abeoprs]|xapp)-(?<secret>[\w-]{20,250})/g },
  {
    name: 'Slack webhook',
    pattern: /hooks\.slack\.com\/(?:services|workflows)\/T\w{6,14}\/[AB]\w{6,14}\/(?<secret>\w{18,50})/g,
  },
  { name: 'Stripe live key', pattern: /(?<!\w)(?:sk|rk)_live_(?<secret>[A-Za-z0-9]{16,200})/g },
  { name: 'Anthropic key', pattern: /(?<![\w-])sk-ant-[a-z]{2,10}\d\d-(?<secret>[\w-]{32,200})/g },
  { name: 'OpenAI key', pattern: /(?<![\w-])sk-(?:proj|svcacct|admin)-(?<secret>[\w-]{32,250})/g },
  { name: 'OpenAI key', pattern: /(?<![\w-])sk-(?<secret>[A-Za-z0-9]{48})(?![\w-])/g },
  { name: 'Google API key', pattern: /(?<!\w)AIza(?<secret>[\w-]{35})(?![\w-])/g },
  { name: 'Google OAuth secret', pattern: /(?<!\w)GOCSPX-(?<secret>[\w-]{28})(?![\w-])/g },
  { name: 'npm token', pattern: /(?<!\w)npm_(?<secret>[A-Za-z0-9]{36})(?!\w)/g },
  { name: 'PyPI token', pattern: /(?<!\w)pypi-(?<secret>AgE[\w-]{50,300})/g },
  {
    name: 'private key',
    pattern:
      /-----BEGIN (?:[A-Z0-9]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----(?:[^\n]{0,80}(?:\\r|\\n|\n|\r)){1,6}?[\s"'+\\]{0,40}(?<secret>[A-Za-z0-9+/=]{40,})/g,
    inTests: 'told',
  },
  {
    name: 'JSON web token',
    pattern: /(?<![\w-])eyJ[\w-]{10,400}\.eyJ[\w-]{10,2000}\.(?<secret>[\w-]{20,700})/g,
    inTests: 'silent',
  },
  { name: 'Twilio API key', pattern: /(?<!\w)SK(?<secret>[0-9a-f]{32})(?!\w)/g },
  {
    name: 'Twilio auth token',
    pattern: /twilio[\w.-]{0,20}(?:token|secret)["']?\s{0,4}[:=]\s{0,4}["']?(?<secret>[0-9a-f]{32})(?!\w)/gi,
  },
  { name: 'SendGrid key', pattern: /(?<!\w)SG\.(?<secret>[\w-]{16,32}\.[\w-]{32,64})(?![\w-])/g },
  { name: 'Azure storage key', pattern: /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/g },
  { name: 'Discord bot token', pattern: /(?<![\w.-])[MNO](?<secret>[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40})(?![\w.-])/g },
  { name: 'Discord webhook', pattern: /discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/(?<secret>[\w-]{60,80})/g },
  { name: 'Telegram bot token', pattern: /(?<!\w)\d{8,10}:AA(?<secret>[\w-]{33})(?![\w-])/g },
  { name: 'DigitalOcean token', pattern: /(?<!\w)do[oprt]_v1_(?<secret>[0-9a-f]{64})(?!\w)/g },
  { name: 'Hugging Face token', pattern: /(?<!\w)hf_(?<secret>[A-Za-z]{34})(?!\w)/g },
  { name: 'Mailgun key', pattern: /(?<![\w-])key-(?<secret>[0-9a-f]{32})(?!\w)/g },
  { name: 'Shopify token', pattern: /(?<!\w)shp(?:at|ca|pa|ss)_(?<secret>[0-9a-fA-F]{32})(?!\w)/g },
  { name: 'Databricks token', pattern: /(?<!\w)dapi(?<secret>[0-9a-f]{32})(?!\w)/g },
  { name: 'Docker Hub token', pattern: /(?<!\w)dckr_pat_(?<secret>[\w-]{27})(?![\w-])/g },
  { name: 'Vault token', pattern: /(?<![\w.])hvs\.(?<secret>[\w-]{24,200})/g },
  { name: 'Groq key', pattern: /(?<!\w)gsk_(?<secret>[A-Za-z0-9]{52})(?!\w)/g },
  { name: 'Linear key', pattern: /(?<!\w)lin_api_(?<secret>[A-Za-z0-9]{40})(?!\w)/g },
  { name: 'age secret key', pattern: /AGE-SECRET-KEY-1(?<secret>[0-9A-Z]{58})/g },
  { name: 'OpenRouter key', pattern: /(?<![\w-])sk-or-v1-(?<secret>[0-9a-f]{64})(?!\w)/g },
  { name: 'Perplexity key', pattern: /(?<!\w)pplx-(?<secret>[A-Za-z0-9]{48})(?!\w)/g },
  { name: 'Replicate token', pattern: /(?<!\w)r8_(?<secret>[A-Za-z0-9]{37})(?!\w)/g },
  { name: 'Grafana token', pattern: /(?<!\w)glsa_(?<secret>[A-Za-z0-9]{32}_[0-9a-fA-F]{8})(?!\w)/g },
  { name: 'Grafana Cloud token', pattern: /(?<!\w)glc_(?<secret>[A-Za-z0-9+/]{32,400})(?![\w+/])/g },
  { name: 'Sentry token', pattern: /(?<!\w)sntrys_(?<secret>eyJ[\w+/=-]{20,400}_[\w+/]{43})(?![\w+/])/g },
  { name: 'Sentry user token', pattern: /(?<!\w)sntryu_(?<secret>[0-9a-f]{64})(?!\w)/g },
  { name: 'New Relic key', pattern: /(?<!\w)NRAK-(?<secret>[A-Z0-9]{27})(?!\w)/g },
  { name: 'Square token', pattern: /(?<!\w)sq0(?:atp|csp)-(?<secret>[\w-]{22,43})(?![\w-])/g },
  { name: 'Notion token', pattern: /(?<!\w)ntn_(?<secret>[A-Za-z0-9]{46})(?!\w)/g },
  { name: 'Airtable token', pattern: /(?<!\w)pat[A-Za-z0-9]{14}\.(?<secret>[0-9a-f]{64})(?!\w)/g },
  { name: 'Postman key', pattern: /(?<!\w)PMAK-(?<secret>[0-9a-f]{24}-[0-9a-f]{34})(?!\w)/g },
  { name: 'Terraform Cloud token', pattern: /(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.(?<secret>[\w-]{60,70})(?![\w-])/g },
  { name: 'Doppler token', pattern: /(?<![\w.])dp\.(?:pt|st|ct|sa|scim|audit)\.(?<secret>[\w.-]{40,60})/g },
  { name: 'PlanetScale token', pattern: /(?<!\w)pscale_(?:tkn|pw|oauth)_(?<secret>[\w.-]{32,64})(?![\w-])/g },
  { name: 'Atlassian token', pattern: /(?<!\w)ATATT3(?<secret>[\w=-]{100,220})(?![\w-])/g },
  { name: 'Bitbucket password', pattern: /(?<!\w)ATBB(?<secret>[A-Za-z0-9]{32})(?!\w)/g },
  { name: 'Supabase token', pattern: /(?<!\w)sb(?:p|_secret)_(?<secret>[\w-]{30,64})(?![\w-])/g },
  { name: 'Figma token', pattern: /(?<!\w)figd_(?<secret>[\w-]{38,64})(?![\w-])/g },
  { name: 'RubyGems key', pattern: /(?<!\w)rubygems_(?<secret>[0-9a-f]{48})(?!\w)/g },
  { name: 'Pulumi token', pattern: /(?<!\w)pul-(?<secret>[0-9a-f]{40})(?!\w)/g },
  { name: 'Heroku key', pattern: /(?<!\w)HRKU-(?<secret>AA[\w-]{58})(?![\w-])/g },
  { name: 'Brevo key', pattern: /(?<!\w)xkeysib-(?<secret>[0-9a-f]{64}-[A-Za-z0-9]{16})(?!\w)/g },
  { name: 'Azure client secret', pattern: /(?<![\w~.])(?<secret>[\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])/g },
  {
    name: 'Stripe webhook secret',
    pattern: /(?<!\w)whsec_(?<secret>[A-Za-z0-9+/]{32,64})(?![\w+/])/g,
    inTests: 'silent',
  },
  {
    name: 'Teams webhook',
    pattern: /webhook\.office\.com\/webhookb2\/[0-9a-f-]{36}@[0-9a-f-]{36}\/IncomingWebhook\/(?<secret>[0-9a-f]{32})/g,
  },
];
